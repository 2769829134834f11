/* SPDX-License-Identifier: MIT */
/* CPU time that control groups used between two reads, without the virtual CPUs in them: those of
 * the second level, where services are, and those of the first that have none below. */
#pragma once

#include <collector/plugin.h>

#include "kit/base/kept_file.h"

#include "blame.h"
#include "growth.h"
#include "guests.h"

#define GROUPS_MAX 2048

struct one_group {
	char *path; /* "system.slice/apt.service". */
	int fd;
	bool has_before;
	uint64_t usage;
	bool is_there; /* At this scan. */
	struct growth memory;
};

struct groups {
	struct mc_kept_files files; /* Its folder is that of the hierarchy, during a read. */
	unsigned version;           /* 1 or 2; 0: not found. */
	char mount[64];
	struct one_group *items; /* By path. */
	size_t len, room;
	struct blame_group *used; /* As many. */
};

/* Freed by groups_done(), which copes with zero. */
void groups_init(struct groups *);

/* Finds the hierarchy that counts CPU time. */
void groups_find_mount(struct groups *, struct mc_ctx *ctx);

/* Opens the folder of the hierarchy for 'files', and closes it.  Without one no file is found. */
void groups_enter(struct groups *, struct mc_ctx *ctx);
void groups_leave(struct groups *);

/* Finds groups that have come, and forgets those that have gone. */
void groups_scan(struct groups *, struct mc_ctx *ctx);

/* Reads the CPU time that each used, of the interval 'time' in ns, without the run time of the
 * guests in it. */
void groups_read(struct groups *, struct mc_ctx *ctx, const struct guests *guests, double time);

/* The next read is the first again. */
void groups_forget(struct groups *);
void groups_done(struct groups *);
