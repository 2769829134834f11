/* SPDX-License-Identifier: MIT */
/* The files of a journal, as collectorctl reads them: between the files of its command journal. */
#pragma once

#include "ctl/ctl.h"
#include "formats/journal/frame.h"

struct journal_segment { /* A file, and what is in it. */
	char *name;
	uint64_t first, epoch;
	uint8_t *data;
	size_t size;
	uint64_t records, samples;
	mc_time oldest, newest;
	uint64_t pieces, damaged; /* Bytes outside of records. */
	uint64_t rest;            /* Bytes after the last one. */
	bool headless;            /* Its head is damaged, or another's. */
	bool growing;             /* Bytes at its end are being written. */
	bool sealed;
};

struct journal {
	const struct ctl *ctl;
	const char *path;
	int folder;
	struct journal_segment *segments;
	size_t segments_len;
	bool found;     /* Its files are there, or were. */
	bool in_use;    /* A collector writes it. */
	char **cursors; /* Names of files. */
	size_t cursors_len;
	uint64_t next, before;  /* Expected in the next record. */
	uint64_t gaps, missing; /* Places where samples are missing. */
	uint64_t damaged;
};

/* Finds the files of the journal in the folder 'path', which must outlive it.  CTL_OK; or complains
 * and returns an exit code.  journal_close() in any case. */
int journal_open(struct journal *, const char *path);
void journal_close(struct journal *);

/* Goes through all records, and fills in what the files are; 'visit' may be
 * NULL.  CTL_OK, or complains and returns an exit code. */
typedef void journal_visit(struct journal *, const struct journal_segment *, const struct frame *);
int journal_each(struct journal *, journal_visit *visit);

/* Commands on an open journal: CTL_OK or an exit code. */
int journal_list(struct journal *);
int journal_verify(struct journal *);
int journal_export(struct journal *);
