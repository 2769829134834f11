/* SPDX-License-Identifier: MIT */
/* The series of collectd for statistics of named. */
#pragma once

#include "statistics.h"

struct names_of_value {
	const char *type, *type_instance;
};

/* False: collectd does not have it. */
bool names_of_value(const struct statistics_value *, struct names_of_value *);
