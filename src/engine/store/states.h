/* SPDX-License-Identifier: MIT */
/* States of series, set by judges: see include/collector/judge.h.  Takes no lock.  Thread: any. */
#pragma once

#include <collector/judge.h>

struct store;

/* How many series are in that state; those that have just left the store count. */
uint64_t states_count(const struct store *, enum mc_state);

/* The series is being freed. */
void states_leave(struct store *, struct mc_series *);
