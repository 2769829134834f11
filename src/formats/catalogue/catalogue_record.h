/* SPDX-License-Identifier: MIT */
/* The file of the catalogue: a head of 16 bytes, then records until it ends; the last record of a
 * name holds.  All numbers are little endian.
 *
 *   head     magic "MCCATAL" 7, version 3, 0 4, CRC32C 4
 *   series   CRC32C of the rest 4, kind 1, size of the name 2, first 4, last 4, interval 4, name
 *   metric   after the name, if the kind has the bit 128: family 4, labels 4, resource 4, part 1,
 *            bound 8 and start 8 if the part says so
 *   family   CRC32C of the rest 4, kind 1, size of what follows the number 2, number 4,
 *            labels of the scope 4, kind of metric 1, delta 1, name, scope, its version, help
 *   labels   CRC32C of the rest 4, kind 1, size of what follows the number 2, number 4, and of each
 *            label name, value, size of the encoded value 2, encoded value
 *
 * Times are seconds since 1970, the interval is in milliseconds, the start in nanoseconds; texts of
 * families and labels end with '\0'.  The record CATALOGUE_ALIVE has its time in 'last', and no
 * name.  Families and sets of labels stand before the first series that refers to them by their
 * numbers, from 1; 0 stands for no part.  A series whose record has no metric has that of its
 * record before.
 *
 * Version 1 had no metrics, version 2 no help; both are read.  Pure functions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <collector/metric.h>
#include <collector/plugin.h>

#define CATALOGUE_RECORD_VERSION 3    /* Version of a new file. */
#define CATALOGUE_RECORD_HEAD 16      /* Bytes of the file's head. */
#define CATALOGUE_RECORD_FIXED 19     /* Bytes of a series without its name. */
#define CATALOGUE_RECORD_NAME_MAX 639 /* Bytes of a name. */
#define CATALOGUE_RECORD_MAX (CATALOGUE_RECORD_FIXED + CATALOGUE_RECORD_NAME_MAX + 29)
#define CATALOGUE_RECORD_PART 11 /* Bytes of a family or labels without what is of them. */
#define CATALOGUE_RECORD_PART_MAX (CATALOGUE_RECORD_PART + UINT16_MAX)

enum catalogue_record_kind {
	CATALOGUE_BEGUN = 1, /* The series has values. */
	CATALOGUE_ENDED,     /* It has none any more: 'last' is the time of its last. */
	CATALOGUE_FORGOTTEN, /* It is not in the catalogue any more. */
	CATALOGUE_ALIVE,     /* All series that have begun and not ended lived at 'last'. */
	CATALOGUE_FAMILY,
	CATALOGUE_LABELS,
};

struct catalogue_metric {                  /* Of a series, as in collector/metric.h. */
	uint32_t family, labels, resource; /* Numbers; a family of 0: it has no metric now. */
	enum mc_metric_part part;
	bool integer;
	double bound;
	mc_time start;
};

struct catalogue_record {
	enum catalogue_record_kind kind;

	/* Of a series. */
	mc_time first, last, interval;
	const char *name; /* Not ended by '\0'. */
	size_t name_size;
	bool has_metric;
	struct catalogue_metric metric;

	/* Of a family or labels. */
	uint32_t number;
	const uint8_t *body;
	size_t body_size;
};

/* Writes the record of a series, of at most CATALOGUE_RECORD_MAX bytes, or of a family or labels,
 * of at most CATALOGUE_RECORD_PART_MAX; returns its size. */
size_t catalogue_record_write(uint8_t *out, const struct catalogue_record *);

/* Reads the record at the begin of 'data', which its name or body points into.  Returns its size; 0
 * if it would need more bytes; -EBADMSG if that is not a record. */
int catalogue_record_read(const uint8_t *data, size_t size, struct catalogue_record *);

void catalogue_record_write_head(uint8_t out[CATALOGUE_RECORD_HEAD]);

/* The version, from 1 on; -EBADMSG: damaged; -EPROTO: written by a later version. */
int catalogue_record_check_head(const uint8_t *data, size_t size);
