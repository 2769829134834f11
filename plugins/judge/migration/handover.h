/* SPDX-License-Identifier: MIT */
/* Samples of a guest's new host that wait, because its old host has some of before the move that
 * have not come: its link was down, or it sends seldom.  Pure.
 *
 * They wait until the old host has sent all up to them, as values of it show, and no longer than a
 * limit: it may have died in the move. */
#pragma once

#include <collector/plugin.h>

/* Of all guests; at half of it nobody waits longer. */
#define HANDOVER_SIZE_MAX ((size_t)16 << 20)

struct handover_sample {
	struct handover_sample *next;
	struct mc_series *series; /* Held. */
	const char *stream;       /* As the next; of several samples. */
	mc_time time, interval;
	unsigned values_len;
	union mc_value values[];
};

struct handover_stream {
	struct handover_stream *next;
	char text[];
};

struct handover {       /* Of a guest.  All zero: nothing waits. */
	mc_time since;  /* Since when, by the clock of here; 0: nothing waits. */
	mc_time first;  /* Time of the first one. */
	bool releasing; /* A thread is at it. */
	bool forced;    /* Samples without a right to the guest are refused, */
	bool again;     /* or else they wait again. */
	struct handover_sample *samples, *last;
	struct handover_stream *streams; /* The last one first. */
	size_t size;
};

struct handover_old {     /* Progress of the old host. */
	mc_time sampled;  /* Time of its last sample of the guest; 0: unknown. */
	mc_time seen;     /* When that came. */
	mc_time interval; /* Of these samples. */
	mc_time left;     /* When the guest left it, by its own clock; 0: it has not said so. */
	mc_time reached;  /* Latest time of what it has sent, of whatever guest. */
};

/* Whether a sample of the new host with that time must wait. */
bool handover_is_needed(const struct handover_old *, mc_time first);

bool handover_is_over(const struct handover *, const struct handover_old *, mc_time now,
		      mc_time limit);

/* Keeps a copy; 'series' is held by now, and held until somebody else releases it.  Returns its
 * size. */
size_t handover_add(struct handover *, struct mc_series *series, const char *stream,
		    const struct handover_sample *like, const union mc_value *values);

/* All of them, to be given to handover_free() but for their series; others may be added again. */
struct handover handover_take(struct handover *);

void handover_free(struct handover *);
