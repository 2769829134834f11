/* SPDX-License-Identifier: MIT */
/* The file of the catalogue: a head of 16 bytes, then records until it ends; the last record of a
 * name holds.  All numbers are little endian.
 *
 *   head     magic "MCCATAL" 7, version 1, 0 4, CRC32C 4
 *   record   CRC32C of the rest 4, kind 1, size of the name 2, first 4, last 4, interval 4, name
 *
 * Times are seconds since 1970, the interval is in milliseconds.  The record CATALOGUE_ALIVE has
 * its time in 'last', and no name.  Pure functions. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#define CATALOGUE_RECORD_HEAD 16      /* Bytes of the file's head. */
#define CATALOGUE_RECORD_FIXED 19     /* Bytes of a record without its name. */
#define CATALOGUE_RECORD_NAME_MAX 639 /* Bytes of a name. */
#define CATALOGUE_RECORD_MAX (CATALOGUE_RECORD_FIXED + CATALOGUE_RECORD_NAME_MAX)

enum catalogue_record_kind {
	CATALOGUE_BEGUN = 1, /* The series has values. */
	CATALOGUE_ENDED,     /* It has none any more: 'last' is the time of its last. */
	CATALOGUE_FORGOTTEN, /* It is not in the catalogue any more. */
	CATALOGUE_ALIVE,     /* All series that have begun and not ended lived at 'last'. */
};

struct catalogue_record {
	enum catalogue_record_kind kind;
	mc_time first, last, interval;
	const char *name; /* Not ended by '\0'. */
	size_t name_size;
};

/* Writes a record of at most CATALOGUE_RECORD_MAX bytes; returns its size. */
size_t catalogue_record_write(uint8_t *out, const struct catalogue_record *);

/* Reads the record at the begin of 'data', which its name points into.  Returns its size; 0 if it
 * would need more bytes; -EBADMSG if that is not a record. */
int catalogue_record_read(const uint8_t *data, size_t size, struct catalogue_record *);

void catalogue_record_write_head(uint8_t out[CATALOGUE_RECORD_HEAD]);

/* 0; -EBADMSG: damaged; -EPROTO: written by another version. */
int catalogue_record_check_head(const uint8_t *data, size_t size);
