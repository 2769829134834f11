/* SPDX-License-Identifier: MIT */
/* Decisions of judges about series.  Many series share few decisions, so that each is kept once,
 * and a series has the number of its own.
 *
 * A decision holds for one generation; a reload begins the next.  A number that was given never
 * means something else, so no series has to be visited then.  There are 65,535 numbers; when they
 * are used up, which some thousand reloads do, judges are asked for each sample: slow, but right.
 *
 * Thread: any; a look-up takes no lock. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

enum decision_admission {
	DECISION_UNASKED,
	DECISION_TAKEN,
	DECISION_DROPPED,
	DECISION_RENAMED, /* Its slot says into which one. */
};

struct decision {
	uint32_t generation;
	uint32_t excluded; /* Flags of its samples: the writers that do not get them. */
	uint32_t admit_each, route_each; /* Judges, a bit each, ... */
	uint8_t admission;               /* ... and enum decision_admission. */
	bool routed;   /* Judges were asked which writers get it: 'excluded', ... */
	bool reported; /* A judge reports when it falls silent. */
};

#define DECISION_CHUNK 256
#define DECISION_NONE UINT32_MAX /* No number. */

struct decisions {
	_Atomic uint32_t generation;
	_Atomic uint32_t plain; /* Number of: taken, everybody gets it. */
	pthread_mutex_t lock;   /* Guards what follows. */
	uint32_t begin, len;    /* Numbers: of this generation, and given; 0 means none. */
	struct decision *_Atomic chunks[256];
};

/* 'decisions' is all zero. */
void decision_init(struct decisions *);
void decision_done(struct decisions *);

/* Begins the next generation. */
void decision_renew(struct decisions *);

/* The number of a decision of this generation; 0 if all are used up, or the generation is over. */
uint16_t decision_keep(struct decisions *, const struct decision *);

/* The decision of a number; NULL if judges of this generation were not asked. */
static inline const struct decision *decision_find(const struct decisions *decisions,
						   uint16_t number)
{
	const struct decision *found =
		&atomic_load_explicit(&decisions->chunks[number / DECISION_CHUNK],
				      memory_order_acquire)[number % DECISION_CHUNK];

	return found->generation == atomic_load_explicit(&decisions->generation,
							 memory_order_acquire) &&
			       number != 0
		       ? found
		       : NULL;
}

static inline uint32_t decision_plain(const struct decisions *decisions)
{
	return atomic_load_explicit(&decisions->plain, memory_order_acquire);
}
