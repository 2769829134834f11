/* SPDX-License-Identifier: MIT */
/* A file to which others append, such as Nagios' service_perfdata_file without a command that
 * moves it: it is read on from where the journal ends, or, without a journal, from where it was
 * read last (offsets.h).
 *
 * It is known by its inode and its first line: one that was cut or replaced is
 * another, and is read from its start.  Of one that was moved away what is left
 * is read first.  For the thread of run(). */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include <collector/journal.h>

#include "progress.h"

/* Of the journal, and of a time without one: it may be the same file. */
#define SINGLE_KNOWN 2

struct single {
	char name[MC_DEDUP_ID_MAX + 1]; /* Of its dedup id, without the run. */
	struct {
		uint64_t identity, offset;
	} known[SINGLE_KNOWN]; /* The part that need not be read again. */
	int fd;                /* -1: not open. */
	uint64_t identity;     /* 0: it has no line yet. */
	struct extent extent;
};

/* For the spool of an instance at 'path'. */
void single_init(struct single *, const char *instance, const char *path);
void single_done(struct single *);

/* Takes what the journal says, or what was kept without one.  False: it is of another file. */
bool single_know(struct single *, const struct mc_dedup_id *);

/* Reads from the offset on, in whole lines unless the last one will not be completed, or it fills
 * the room.  Returns its size; 0: there is nothing now; or a negative errno: -EINVAL if it is not
 * a regular file. */
ssize_t single_read(struct single *, const char *path, char *text, size_t room);

/* The id of a batch that ends at the offset. */
void single_id(const struct single *, struct mc_dedup_id *id);
