/* SPDX-License-Identifier: MIT */
/* Queries that every configuration has; names and series are collectd's. */
#pragma once

#include "kit/series/sql_query.h"

#define PREDEFINED_LEN 11
#define PREDEFINED_DEFAULTS 7 /* The first ones are those of a database without a Query. */

extern const struct sql_query predefined[PREDEFINED_LEN];
