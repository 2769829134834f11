/* SPDX-License-Identifier: MIT */
/* Pieces of requests that were written before: a host sends the same series in the same order,
 * every interval.  Of such a piece only times, values and rates differ, all of which have eight
 * bytes at places that are known; so they are put into the bytes of the last one, and nothing is
 * sorted or sized.  That is a sixth of the work.  How a batch is made up of hosts may differ every
 * time: an aggregator takes what has come meanwhile.  Labels of hosts, which may change, are
 * compared each time, and of metadata of series the number of their last change.  So the answers
 * of conventions are kept with the bytes, until a plan does not fit any more.
 *
 * A plan is learned when a piece that begins with the same series comes again.
 * Those that have not been used for long go: where hosts come and go they would
 * be all that the memory holds.  Others do not, when there is no more room: to
 * learn what must be forgotten before it comes again is work for nothing. */
#pragma once

#include <collector/private/otlp.h>

#include "engine/otlp/otlp_labels.h"

#define OTLP_ENCODINGS_SIZE ((size_t)8 << 20) /* Bytes of all, at most. */
#define OTLP_ENCODING_SIZE ((size_t)1 << 20)  /* Of one. */
#define OTLP_ENCODING_BUCKETS 4096            /* Powers of two. */
#define OTLP_ENCODING_MISSES 65536
#define OTLP_ENCODING_STALE (600 * MC_SECOND)

struct otlp_encoding;

struct otlp_encodings {
	struct otlp_encoding **buckets;        /* By the series; NULL: none yet. */
	uint64_t *misses;                      /* A bit for each series, by its hash. */
	unsigned misses_len;                   /* Bits that are set. */
	struct otlp_encoding *oldest, *newest; /* By when they were used. */
	size_t size;                           /* Bytes of all plans. */
	bool rates;                            /* Are after the values: otlp_write_rates(). */
};

void otlp_encoding_done(struct otlp_encodings *);

/* How a value is written by a convention; all zero: as it is, under collectd's names. */
struct otlp_conversion {
	double divisor;
	bool integer; /* Whole numbers are written as such. */
	bool unknown; /* It was, and then takes less room than a number. */
};

struct otlp_encoding_part { /* The samples to write. */
	const struct mc_batch *batch;
	const struct mc_sample *last; /* After this one; NULL: from the first. */
};

/* Writes the samples of one host that the part begins with, if there is a plan for them: the bytes
 * are the plan's until its next use.  Returns the last of them, or NULL without a plan.  Then
 * *learn is whether to learn from the next encoding. */
const struct mc_sample *otlp_encoding_use(struct otlp_encodings *,
					  const struct otlp_encoding_part *, struct otlp_labels *,
					  struct mc_otlp_bytes *, bool *learn);

struct otlp_recording {
	struct mc_otlp_bytes bytes; /* The encoding of the host. */
	const uint32_t
		*places; /* For its values, in their order: in bytes before the end, where the field
			    with its time begins; after it is that with the value, then that with
			    the rate, if any; and before it, for ABSOLUTE, that with the start. */
	uint32_t places_len;
	const struct otlp_conversion *conversions; /* Of each place; NULL: all are zero. */
	const uint16_t *changes;                   /* Of metadata, of each sample. */
	const unsigned char *labels;               /* Of the host. */
	uint32_t labels_size;
};

/* Learns from what otlp_encoding_use() asked for. */
void otlp_encoding_learn(struct otlp_encodings *, const struct otlp_encoding_part *,
			 const struct otlp_recording *);
