/* SPDX-License-Identifier: MIT */
/* The samples of a batch, those of a series side by side, and those of series that were refused
 * before at the end; with markers of series that have ended,
 * and with samples of the future when their time has come.  The writer's thread. */
#pragma once

#include "entry.h"

struct gather_waiting { /* A marker, or a sample of the future; pins its entry. */
	struct entry *entry;
	struct remote_write_sample sample;
};

struct gather_list {
	struct gather_waiting *items;
	size_t len, room;
};

struct gather { /* All zero: empty. */
	struct remote_write_sample *samples;
	size_t len, room;
	struct remote_write_sample *sorted;
	size_t sorted_room;
	uint32_t round, turn;
	bool by_tenant; /* Set by the caller: those of a tenant are side by side. */

	struct entry **pinned; /* Entries of samples that are in no batch, or that are outdated. */
	size_t pinned_len, pinned_room;
	struct gather_list markers, future;
	size_t future_max;
	mc_time future_limit; /* From now on; 0: samples of the future do not wait. */
	uint64_t skipped;     /* Of the future, for which there was no room, in this batch. */
};

/* Gathers what a batch has, and what waits. */
void gather_batch(struct gather *, struct entry_set *, const struct mc_batch *batch);

/* Those that were gathered are delivered. */
void gather_clear(struct gather *);

/* Has markers wait for the next batch: the series has ended, or goes on as 'next', with other
 * labels; NULL: it has ended. */
void gather_end(struct gather *, struct entry *, const struct entry *next);

void gather_done(struct gather *);
