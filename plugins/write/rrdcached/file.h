/* SPDX-License-Identifier: MIT */
/* The RRD files that series are written to, by path.  The caller locks. */
#pragma once

#include <string.h>

#include <collector/journal.h>
#include <collector/kit/map.h>

#include "formats/rrd/rrd.h"
#include "kit/series/rrd_files.h"
#include "lines.h"

struct daemon;

struct file {
	struct mc_map_node node;   /* By its prefix. */
	unsigned users;            /* Series; 0: it goes when nothing of it waits. */
	struct mc_rrd_owner owner; /* With PathTemplate; see file_claim(). */
	struct file *whole;        /* It is a source of that one; see joined.h. */
	struct mc_pnp_row *row;    /* Of a whole. */
	unsigned source;           /* In the whole. */
	struct daemon *daemon;
	const struct mc_rrd_layout *layout;
	int64_t second;      /* Of its latest update, */
	int64_t ahead;       /* and of those left in the journal, and of those that */
	int64_t kept;        /* the last pass over it has left there again: */
	uint64_t pass;       /* its number; see lagging.h. */
	mc_time interval;    /* At which its series is measured. */
	uint64_t position;   /* backlog.put after that. */
	uint64_t reconciled; /* On that connection; 0: on none. */

	/* The finding: */
	struct file *next_to_check;
	bool checking;   /* It is to be looked at, */
	bool unfit;      /* or was, and takes no updates of ours. */
	int sources_len; /* Then: of these; -1: it is no RRD file. */
	mc_time checked_at;

	/* While there is no such file: */
	bool missing;
	struct lines deferred;   /* "second:value", with newlines; */
	int64_t deferred_second; /* of the newest, */
	struct mc_offset offset; /* and the oldest offset of all. */
	struct file *next_to_create;
	mc_time due;     /* When to try again. */
	mc_time made_at; /* When rrdcached said that it made it. */
	unsigned failures;
	bool directories; /* They were made by us. */

	char prefix[]; /* "UPDATE path ", blanks in the path escaped. */
};

/* Most bytes of a prefix; longer paths are refused. */
#define FILE_PREFIX_MAX 2048

/* DataDir without slashes at its end, to be freed; NULL of NULL. */
char *file_directory(const char *data_dir);

/* Writes the prefix of the series' file to 'out', of FILE_PREFIX_MAX bytes, and
 * returns its size; 0 if it is too long or has a control character, which would
 * be another command.  'data_dir' may be NULL. */
size_t file_prefix(const char *data_dir, const char *name, char *out);

/* As it stands in commands: its escaped path, not ended by '\0'. */
static inline const char *file_path(const struct file *file, size_t *size)
{
	*size = file->node.key_size - strlen("UPDATE ") - 1;
	return file->prefix + strlen("UPDATE ");
}

/* The file of that prefix, with one user more; made if it is new: then it has
 * nothing but a prefix. */
struct file *file_open(struct mc_map *, const char *prefix, size_t size);

/* Makes it the file of that series, which has just opened it; false: it is the file of another. */
bool file_claim(struct file *, const char *series);

/* False: the file of that prefix is that of another series. */
bool file_may_have(const struct mc_map *, const char *prefix, size_t size, const char *series);

/* The file that a line is about, an "UPDATE path second:value", or NULL.  '*value' becomes where
 * "second" starts; NULL for other lines. */
struct file *file_find(const struct mc_map *, const char *line, size_t size, const char **value);

/* Takes it out of the table and frees it. */
void file_remove(struct mc_map *, struct file *);

/* Calls 'is_over' for each file without users, and removes it if so. */
void file_sweep(struct mc_map *, bool (*is_over)(const struct file *));

void file_done(struct mc_map *); /* Frees all. */
