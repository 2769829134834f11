/* SPDX-License-Identifier: MIT */
/* The files to check: rrdcached takes any update of an existing file, and if the file has other
 * data sources, finds out when it writes it, and reports nothing.  So each file that is new to us
 * is checked once, one at a time and slowly, as that is not urgent.  Pure; the caller locks. */
#pragma once

#include "file.h"

struct check {                     /* All zero: none. */
	mc_time next;              /* Not before. */
	struct file *first, *last; /* To be looked at. */
};

/* Unless it is in already. */
void check_add(struct check *, struct file *);

/* The next file to look at now, taken out, or NULL: then '*wake' is made
 * earlier if one is due at a certain time. */
struct file *check_next(struct check *, mc_time now, mc_time *wake);

/* Whether a line of the answer to INFO is about another data source. */
bool check_is_source(const char *line);

/* The heartbeat in a line of the answer to INFO, in seconds; 0: it is about something else. */
int64_t check_heartbeat(const char *line);

/* The rows of an archive in such a line; 0: it is about something else. */
uint64_t check_rows(const char *line);

/* Whether an answer says that the file is no RRD file.  One that is missing
 * may be made; and a rrdcached may refuse to look. */
bool check_is_useless(long status, const char *text);

/* The finding: a number of data sources, or -1 for other files. */
void check_judge(struct file *, int sources_len, mc_time now);

/* It is no RRD file, as is seen without a look. */
void check_find_unfit(struct file *, mc_time now);

/* A while after a file was found unfit, it is looked at again. */
bool check_is_due(const struct file *, mc_time now);

/* Why the file is unfit. */
void check_reason(const struct file *, char *out, size_t size);
