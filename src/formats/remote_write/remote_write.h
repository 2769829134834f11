/* SPDX-License-Identifier: MIT */
/* Requests of Prometheus' remote write, 1.0 and 2.0, before compression.
 *
 * A series keeps what is the same in each request, so a sample costs its number and its time.
 * Sources: prometheus.io/docs/specs, "Remote-Write 1.0" and "2.0"; prometheus/prompb of Prometheus
 * 2.42 and 3.16 for the numbers of fields.  One thread; reading is pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/remote_write/symbols.h"

enum remote_write_version { REMOTE_WRITE_1, REMOTE_WRITE_2 };

/* The types of metrics of version 2.0. */
enum remote_write_type {
	REMOTE_WRITE_UNSPECIFIED,
	REMOTE_WRITE_COUNTER,
	REMOTE_WRITE_GAUGE,
	REMOTE_WRITE_HISTOGRAM,
	REMOTE_WRITE_SUMMARY = 5,
};

/* The value that marks the end of a series.  As bits of a double, in model/value.h of
 * prometheus/common. */
#define REMOTE_WRITE_STALE UINT64_C(0x7ff0000000000002)

/* --- Series ---------------------------------------------------------------- */

struct remote_write_series {
	unsigned char *plain; /* Its labels in a request of 1.0; NULL: not made yet. */
	uint32_t plain_size;
	uint32_t round, count, at; /* The caller's own, as the next two; 0 at first. */
	uint32_t described;        /* In that turn of the symbols. */
	bool counts, refused;
	uint8_t type; /* enum remote_write_type */
	uint8_t labels_len;
	int64_t start;              /* When its counter began, in ms since 1970; 0: not known. */
	struct symbol *help, *unit; /* Or NULL; as the next. */
	struct symbol *tenant;      /* Whose it is; only its own have requests with it. */
	struct symbol *labels[];    /* Names, sorted, each followed by its value. */
};

#define REMOTE_WRITE_LABELS_MAX 127

struct remote_write_label {
	const char *name, *value;
};

/* A description of a series; the labels are sorted by name, at most REMOTE_WRITE_LABELS_MAX.  Help
 * and unit may be NULL. */
struct remote_write_about {
	const struct remote_write_label *labels;
	size_t labels_len;
	enum remote_write_type type;
	const char *help, *unit;
	int64_t start;      /* When its counter began, in ms since 1970 UTC; 0: not known. */
	const char *tenant; /* NULL: it makes no difference. */
};
struct remote_write_series *remote_write_series_new(struct symbols *,
						    const struct remote_write_about *);
void remote_write_series_free(struct symbols *, struct remote_write_series *);

/* Writes it as Prometheus shows it, cut at 'size' bytes: name{label="value"}. */
void remote_write_series_print(const struct remote_write_series *, char *out, size_t size);

/* --- Writing --------------------------------------------------------------- */

struct remote_write_sample {
	struct remote_write_series *series;
	uint64_t bits; /* Of the double. */
	int64_t time;  /* In ms since 1970 UTC. */
};

struct remote_write_buffer { /* All zero: empty. */
	unsigned char *at;
	size_t room;
};

struct remote_write_bytes { /* In the buffer, until its next use. */
	const unsigned char *at;
	size_t size;
};

/* Writes a request with these samples, in their order; samples of a series that follow each other
 * share its labels.  In version 1.0 a metric is described once in each turn of the symbols. */
struct remote_write_bytes remote_write_encode(struct remote_write_buffer *, struct symbols *,
					      enum remote_write_version,
					      const struct remote_write_sample *samples,
					      size_t len);

void remote_write_buffer_free(struct remote_write_buffer *);

/* --- Reading --------------------------------------------------------------- */

struct remote_write_text {
	const char *at;
	size_t size;
};

struct remote_write_read_sample {
	const struct remote_write_text *labels; /* Names, each followed by its value. */
	size_t labels_len;                      /* Of the texts: twice that of labels. */
	uint64_t bits;
	int64_t time;
	uint64_t type; /* Version 2.0, as the next. */
	int64_t start;
	struct remote_write_text help, unit;
};

/* Calls visit() for each sample of a request; false if it is invalid, after any of them. */
typedef void remote_write_visit(void *argument, const struct remote_write_read_sample *);
bool remote_write_read(enum remote_write_version, const void *bytes, size_t size,
		       remote_write_visit *visit, void *argument);
