/* SPDX-License-Identifier: MIT */
/* A recording as a file: the samples as one OTLP request for metrics, in gzip, which any tool that
 * knows OTLP reads, and the notices as formats/otlp/otlp_notices.h says. */
#pragma once

#include <collector/plugin.h>

#include <dirent.h>

#include "order.h"
#include "ring_view.h"

#define DUMP_NAME_SIZE 64

struct dump {
	struct mc_ctx *ctx;
	int folder;                            /* A descriptor, of dump_write() alone. */
	const char *name;                      /* Of the file in it. */
	const char *why;                       /* A notice says it in the file, too. */
	mc_time since;                         /* Nothing older is written. */
	const struct order_subjects *subjects; /* NULL: none. */
	uint64_t size_max;
};

struct dump_result {
	uint64_t samples, series, notices;
	uint64_t unknown;  /* Series of a type that is not known now. */
	bool cut;          /* The file would have become too large: the last series ends early, */
	uint64_t left_out; /* and that number of others is not in it. */
};

/* Words for that, after the number of series: "" if it is whole.  Returns 'out'. */
#define DUMP_CUT_SIZE 96
const char *dump_cut_text(const struct dump_result *, char out[DUMP_CUT_SIZE]);

/* Writes a file, and syncs it: 0; or -errno, and there is no file. */
int dump_write(const struct dump *, const struct ring_view *, struct dump_result *);

/* "dump-20231114T221320.000Z.otlp.gz" */
void dump_name(char out[DUMP_NAME_SIZE], mc_time time);

/* Whether a file of DataDir is a dump, also one of a version that did not pack them: the name has
 * digits, letters, '-' and '.' alone. */
bool dump_is_name(const char *name);

/* Dumps of a folder, the oldest first; each, and the list, is to be freed.  Returns how many there
 * are, or -errno. */
int dump_list(int folder, struct dirent ***entries);

/* Removes what a process left that did not end as it should. */
void dump_clean(int folder);

/* Removes the oldest dumps, until that number is left.  0 or -errno. */
int dump_prune(int folder, int64_t files);
