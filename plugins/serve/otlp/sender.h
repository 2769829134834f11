/* SPDX-License-Identifier: MIT */
/* Senders, and whether they still send.  Thread: any. */
#pragma once

#include <collector/journal.h>

#include "kept.h"
#include "stream.h"

#define SENDER_NAME_SIZE 128

struct senders {
	struct kept kept; /* First; of struct sender. */
	size_t len_max;
	double silent_after;   /* Of its intervals; 0: nobody is called silent. */
	mc_time default_value; /* Interval of those who do not say theirs. */
	mc_time started;       /* Nobody was heard before that. */
};

void sender_init(struct senders *, size_t len_max, double silent_after, mc_time default_value);
void sender_done(struct senders *);

struct sender_news {           /* Facts from an accepted request. */
	mc_time newest;        /* Time of its newest sample; 0: it has none. */
	mc_time interval;      /* The shortest of its samples'; 0: none. */
	bool numbered;         /* It has a number. */
	struct stream_gap gap; /* Numbers that are missing before it. */
	bool stated;           /* The sender says why: 'dropped'. */
	uint64_t dropped;      /* Values that it had to drop, as it says. */
};

/* A request of that name was taken, or known.  If there are too many senders,
 * the one longest unheard is forgotten. */
void sender_heard(struct senders *, const char *name, const struct sender_news *);

struct sender_view { /* Of a sender, now. */
	char name[SENDER_NAME_SIZE];
	bool up;
	mc_time silence;  /* Since it was last heard. */
	mc_time interval; /* At which it usually is. */
	mc_time lag;      /* Of its newest sample, when it came; -1: none. */

	/* Since the last look. */
	bool went, came;
	mc_time away;          /* For how long, if it came back. */
	uint64_t missing;      /* Numbers of requests, not explained. */
	struct stream_gap gap; /* The last of these. */
	uint64_t dropped;      /* Values, as it said. */
};

/* All senders, *len of them, to be freed with free().  Who was
 * silent for SENDER_FORGET is forgotten. */
#define SENDER_FORGET (7 * 86400 * MC_SECOND)
struct sender_view *sender_look(struct senders *, size_t *len);

/* The interval of a sender after one more pause. */
mc_time sender_learn(mc_time interval, mc_time pause);
