/* SPDX-License-Identifier: MIT */
/* The collector's own types, model/types.db: part of the program, so that they
 * are there whatever is installed where. */
#pragma once

#include "model/type.h"

/* A set that holds them, sealed: later additions are not our own. */
struct type_set *own_types_new(void);
