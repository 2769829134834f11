/* SPDX-License-Identifier: MIT */
/* The tree of RRD files, DIRECTORY/HOST/PLUGIN/TYPE.rrd: what each host has,
 * and how it is put away.  Files with other names and links are left alone. */
#pragma once

#include <stddef.h>
#include <stdint.h>
#include <time.h>

struct rrd_host {
	char *name;
	uint64_t files_len;
	uint64_t size; /* Bytes. */
	time_t last;   /* When its newest file was changed. */
};

struct rrd_hosts {
	struct rrd_host *items;
	size_t len;
	/* Number of hosts of which a part could not be read, one of these, and why. */
	size_t unread_len;
	char *unread;
	int error; /* -errno */
};

#define RRD_ALL INT64_MAX

/* All hosts with files that were last changed before 'before', the one that is silent longest
 * first; those that cannot be read as a whole, only if that is RRD_ALL: the time of their silence
 * is unknown.  0 or a negative errno; freed by rrd_free(). */
int rrd_find(const char *directory, time_t before, struct rrd_hosts *);
void rrd_free(struct rrd_hosts *);

/* Removes the host's RRD files, and directories that are then empty.  0 or a negative errno. */
int rrd_delete(const char *directory, const char *host);

/* Moves the host's directory into 'folder', which must be on the same file
 * system and not have that host.  0 or a negative errno. */
int rrd_archive(const char *directory, const char *folder, const char *host);
