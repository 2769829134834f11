/* SPDX-License-Identifier: MIT */
/* Trees of files that are named after series, "host/plugin/type", as collectd has them: for writers
 * that find their files again.  No symbolic link below the folder is followed. */
#pragma once

#include <fcntl.h>
#include <stdbool.h>
#include <stddef.h>

#include <collector/writer.h>

#include "formats/rrd/rrd_head.h"

#define MC_STORED_TREE_MAX 2000000 /* Entries of folders that are looked at. */

struct mc_stored_file {
	int folder;         /* The directory that it is in, */
	const char *file;   /* its name there, */
	const char *prefix; /* and that of its directory: "host/plugin"; "": the folder itself. */
};

struct mc_stored_walk {
	unsigned least, most; /* Levels of directories above files: 2 of "host/plugin/type". */
	bool (*show)(void *argument, const struct mc_stored_file *);
	void *argument;
};

/* Shows files in no order until 'show' returns false, or mc_stopping().  Returns 0; a negative
 * errno: the folder cannot be read; -E2BIG: there are too many.  Blocks on the disk.  Thread: any.
 */
int mc_stored_tree(struct mc_ctx *ctx, const char *folder, const struct mc_stored_walk *);

/* Flags to open a file of others with. */
#define MC_STORED_OPEN (O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC)

/* Reads the head and the times of an RRD file, whose descriptor it closes; false: it is not one,
 * or there is no descriptor. */
bool mc_stored_rrd_read(int fd, struct mc_rrd_head *, struct mc_stored *);

/* Whether it is the name of an RRD file, and its size without ".rrd". */
bool mc_stored_rrd_name(const char *file, size_t *size);

/* Shows the series of RRD files of such a tree.  Thread: any. */
void mc_stored_rrd(struct mc_ctx *ctx, const char *folder, mc_stored_show *show, void *argument);
