/* SPDX-License-Identifier: MIT */
/* Reports series that have fallen silent, or have values again: one notification each while they
 * are few; one for each host that has many; and one for all hosts when these are many, too, so
 * that no outage and no sender makes a storm of notifications.  One thread. */
#pragma once

#include <stddef.h>

#include <collector/plugin.h>

#define SILENCE_SERIES_MAX 10 /* Series of a host that are reported one by one. */
#define SILENCE_BURST 50      /* Notifications at once; beyond it one for all. */
#define SILENCE_PER_SECOND 5  /* In the long run. */

struct silence_allowance { /* All zero at first. */
	double used;       /* Notifications of the burst. */
	mc_time time;      /* clock_now() then. */
};

struct silence { /* The findings of one sweep.  All zero at first. */
	struct silence_item *items;
	size_t len, room;
};

/* As store_sweep() shows it; 'silence' is a struct silence.  The series has to
 * live until silence_tell() has returned. */
void silence_add(void *silence, struct mc_series *, mc_time silent);

/* Sends the notifications, and empties it.  One for all is about the instance. */
void silence_tell(struct silence *, const struct mc_ctx *, struct silence_allowance *);
