/* SPDX-License-Identifier: MIT */
/* Services that Icinga has answered not to have: nothing is sent for them for a while, as each
 * result would be refused.  Thread: one at a time. */
#pragma once

#include <stdbool.h>

#include <collector/kit/map.h>
#include <collector/plugin.h>

#define ABSENT_MAX 10000 /* Of more the one that was answered first is asked for again. */
#define ABSENT_FOR (600 * MC_SECOND)

/* 'all' is zero at first.  'name' is "HOST!SERVICE", 'now' monotonic. */
void absent_add(struct mc_lru *all, const char *name, mc_time now);
bool absent_has(struct mc_lru *all, const char *name, mc_time now);
void absent_done(struct mc_lru *all);
