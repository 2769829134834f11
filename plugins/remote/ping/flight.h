/* SPDX-License-Identifier: MIT */
/* Requests that wait for their replies, in the order in which they were sent.
 * All wait equally long, so the oldest is over first.  One thread. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/plugin.h>

#define FLIGHT_MAX                                                                                 \
	32768 /* Half of the sequence numbers: no two are taken for                                \
	       * each other. */

struct flight {
	mc_time sent;
	unsigned target;
	bool waits;
};

struct flights {
	struct flight *items; /* A power of 2, by sequence number. */
	unsigned len;
	uint16_t oldest, next; /* Sequence numbers. */
	mc_time limit;         /* How long they wait. */
};

/* Room for 'wanted' requests at a time, FLIGHT_MAX at most. */
void flight_init(struct flights *, unsigned wanted, mc_time limit);
void flight_done(struct flights *);

/* The sequence number of a request of now.  False: too many wait already. */
bool flight_start(struct flights *, mc_time now, unsigned target, uint16_t *sequence);

/* The request of that number, if it waits; else NULL. */
struct flight *flight_find(struct flights *, uint16_t sequence);

/* Its reply came at that time.  False: it was late. */
bool flight_end(struct flights *, struct flight *, mc_time arrived);

/* The target of one whose time is over; false when all are taken. */
bool flight_expire(struct flights *, mc_time now, unsigned *target);

/* When the next one will be over; INT64_MAX: none waits. */
mc_time flight_due(struct flights *);
