/* SPDX-License-Identifier: MIT */
/* Whose requests make those of a guest's disk slow: pure functions of what the disks of a storage
 * did in an interval, and before.
 *
 * A disk waits if its time per request is Factor times its own slow mean, and more than a floor,
 * while it has no more requests than usual.  That is a neighbour's fault if another guest on the
 * same storage has more requests or bytes than usual, or than just before, and most of them; and if
 * the others there are slower, too: a disk that is slow alone has reasons of its own. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CONTENTION_SHARES_MAX 3
#define CONTENTION_LEARN 10      /* Intervals until a disk has means. */
#define CONTENTION_NAMED_MIN 0.1 /* A smaller share is not worth a name. */

struct contention_rule {
	double latency_min; /* Seconds a request takes when a disk waits, at least, ... */
	double factor;      /* ... and times its mean; above 1. */
	unsigned hits;      /* Intervals in a row that it takes to change. */
};

enum contention_measure { CONTENTION_BYTES, CONTENTION_REQUESTS };
#define CONTENTION_MEASURES 2

struct contention_disk { /* All zero, but for 'guest': new. */
	unsigned guest;
	/* Of the last interval; 'use' is by enum contention_measure, a second. */
	bool is_known;
	double use[CONTENTION_MEASURES];
	double latency; /* Seconds; NaN: no request. */
	/* Slow means of the intervals before it, and how many these are. */
	double means[CONTENTION_MEASURES], mean_latency;
	uint32_t uses, latencies;
	double recent[CONTENTION_MEASURES]; /* Quick means of the same. */
	uint32_t grown; /* Intervals in a row in which it had more than usual, this one included. */
	uint32_t since_quick; /* Intervals since its requests were last as quick as usual. */
};

struct contention_share {
	unsigned guest;
	double part; /* Of all there is on the storage; 1 is all. */
};

struct contention_answer {
	enum contention_measure measure; /* By which they have most. */
	size_t shares_len;               /* 0: nobody can be named. */
	bool is_late; /* The disk was quick while those who are named had more already. */
	struct contention_share shares[CONTENTION_SHARES_MAX]; /* The largest ones, in order. */
};

struct contention_verdict { /* All zero: all is well. */
	bool is_bad;
	unsigned hits;    /* Intervals in a row that show otherwise. */
	unsigned unknown; /* Intervals in a row without a request. */
};

/* Takes what a disk did in an interval; a value that is not known makes all of it unknown.
 * 'latency' may be NaN. */
void contention_follow(struct contention_disk *, const struct contention_rule *, double bytes,
		       double requests, double latency);

/* Whether it waits; 'is_bad': whether it did, for which half as much suffices. */
bool contention_waits(const struct contention_disk *, const struct contention_rule *, bool is_bad);

struct contention_view; /* The disks of a storage in an interval. */

/* Adds up what the guests do.  Freed by contention_view_free(). */
struct contention_view *contention_view_new(const struct contention_disk *const *disks, size_t len);
void contention_view_free(struct contention_view *);

/* Shares the wait of a disk; 'is_bad' as above: those who are named already need not have more than
 * usual. */
void contention_blame(const struct contention_view *, const struct contention_disk *, bool is_bad,
		      struct contention_answer *);

/* Takes an interval with the answer, in which nobody is named if the disk does not wait;
 * 'is_known': it had requests.  A wait that may be chance has to last longer.  Whether the verdict
 * has changed. */
bool contention_take(struct contention_verdict *, const struct contention_rule *, bool is_known,
		     const struct contention_answer *);
