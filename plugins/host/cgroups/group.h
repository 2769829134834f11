/* SPDX-License-Identifier: MIT */
/* One control group: its files, and its series. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "kit/base/kept_file.h"

#include "devices.h"

#define GROUP_FILES_LEN 12
#define GROUP_SERIES_LEN 26
#define GROUP_DEVICES_MAX 256 /* More are not reported, and that is a failure. */

struct group {
	struct mc_map_node node; /* By path. */
	struct mc_map_node name; /* By the name of its series. */
	char *path;              /* Below the mount: "system.slice/x.service". */
	char *host;              /* NULL: this host. */
	char *instance;          /* NULL: none. */
	bool is_named;           /* 'name' is in its map. */
	bool is_waiting;         /* For the name of its guest or container ... */
	unsigned waits;          /* ... for that number of reads. */
	unsigned container;      /* enum container_kind, where its name is wanted. */
	unsigned seen;           /* The last read that found it. */
	unsigned absent;         /* A bit for each file that it does not have. */
	int fds[GROUP_FILES_LEN];
	struct mc_series *held[GROUP_SERIES_LEN];
};

struct group_reads { /* Shared by all groups of a read. */
	struct mc_kept_files files;
	struct devices devices;
	unsigned version; /* Of the control groups: 1 or 2. */
	bool pressure;    /* Also read these. */
	bool memory_stat;
	unsigned reads; /* So far. */

	/* Findings of this read: */
	unsigned failed;                     /* Files that were not understood ... */
	int error;                           /* ... an errno of the first, or 0, */
	char failed_path[MC_KEPT_PATH_SIZE]; /* and which it was. */
};

/* A group with that path; the caller names it. */
struct group *group_new(const char *path);

/* Reads its files, and reports them.  Files that it does not have are not a failure, nor is its
 * removal. */
void group_read(struct group *, struct group_reads *, struct mc_batch *out);

/* It has another name. */
void group_release_series(struct group *);

void group_free(struct group *, struct group_reads *);
