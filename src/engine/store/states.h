/* SPDX-License-Identifier: MIT */
/* What judges say of series: see include/collector/judge.h.  Any thread, no
 * lock. */
#pragma once

#include <collector/judge.h>

struct store;

/* How many series are in that state; those that have just left the store
 * count. */
uint64_t states_count(const struct store *, enum mc_state);

/* The series is being freed. */
void states_leave(struct store *, struct mc_series *);
