/* SPDX-License-Identifier: MIT */
/* A table that outlives a restart, by way of a file with a line for each entry.  Thread: any. */
#pragma once

#include <pthread.h>
#include <stdio.h>

#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

struct kept;

struct kept_kind {
	/* Adds an entry for each valid line.  The lock is held. */
	void (*read)(struct kept *, FILE *);

	/* Writes the line of an entry.  'epoch' is the wall clock when mc_now() was 0. */
	void (*write)(const struct mc_lru_node *, mc_time epoch, FILE *);
};

struct kept {
	const struct kept_kind *kind;
	pthread_mutex_t lock;
	struct mc_lru entries MC_GUARDED_BY(lock); /* Allocated. */
	bool changed MC_GUARDED_BY(lock);          /* Since the file was written. */
};

void kept_init(struct kept *, const struct kept_kind *);

/* Frees the entries. */
void kept_done(struct kept *);

/* Whether the file lacks something. */
bool kept_changed(struct kept *);

/* Reads the file; one that is not there is empty.  0, or a negative errno. */
int kept_load(struct kept *, const char *path);

/* Writes the file.  0, or a negative errno: then it still lacks what it lacked. */
int kept_save(struct kept *, const char *path);
