/* SPDX-License-Identifier: MIT */
/* The number of a request.
 *
 * With a journal it is that of the records that it delivers, so that a receiver that gets them
 * again after a crash recognizes them.  A batch that takes several requests has its number on the
 * last: when that is known, so are the others.  Without a journal requests are counted, anew from
 * each start. */
#pragma once

#include <collector/journal.h>

#include <stdbool.h>

/* The number of a request: the receiver takes each number once. */
struct number {
	char stream[MC_DEDUP_ID_MAX + 1]; /* "SENDER/RUN" */
	uint64_t first, last;             /* The places that it takes; 0: no number. */
	uint64_t gap;                     /* Samples before it that never come; 0: none. */
};

struct numbers {
	bool wanted;
	struct number own; /* Of the next request that is counted. */
	bool doubtful;     /* It was sent, to no avail; ... */
	uint32_t last_crc; /* ... this was its checksum. */
	uint64_t missed;   /* From mc_dropped_before(): the number to report ... */
	uint64_t reported; /* ... and what the receiver knows. */
	bool telling;      /* The request with it is not taken yet. */
	bool says_gap;     /* The one that was asked for last has it. */
};

/* Draws the random name of a sender without a journal; 0 or -errno. */
int numbers_start(struct numbers *);

/* Samples lost by the journal's quota are reported with the next request, until one is taken: as
 * the number beyond those that the receiver knows of.  One that may have been taken says the same
 * again.
 *
 * The number of a request whose bytes, not packed, have that checksum, for a batch of those records
 * of which it is the 'last' request, or not.  'missed' is what mc_dropped_before() says now. */
struct numbers_request {
	const char *instance;
	struct mc_records records;
	bool last;
	uint32_t crc;
	uint64_t missed;
};
struct number numbers_next(struct numbers *, const struct numbers_request *);

/* The last one that was asked for was taken, or refused for good. */
void numbers_done(struct numbers *, bool taken);
