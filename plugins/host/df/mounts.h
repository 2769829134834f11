/* SPDX-License-Identifier: MIT */
/* The mounted file systems, as /proc/mounts shows them. */
#pragma once

#include <collector/plugin.h>

/* As long as a plugin instance can be in collectd, which cuts longer ones. */
#define MOUNTS_NAME_SIZE 128

struct mount {
	const char *device; /* "/dev/sda1", "tmpfs", "server:/export" */
	const char *point;  /* "/home" */
	const char *type;   /* "ext4" */
	uint32_t device_hash, point_hash;
	bool remote;    /* Another process or machine answers for it. */
	bool may_hang;  /* It is remote, or on the way to it something is. */
	bool wanted;    /* For the plugin to say; false at first. */
	bool described; /* The same. */
};

struct mounts {
	struct mount *items; /* In the order of the file. */
	size_t len, size;    /* Of items[]: used, allocated. */
};

/* Splits the text of /proc/mounts, to which the strings point from then on.
 * Types without blocks are left out, and so is autofs: a question would mount
 * what nobody uses, and what is mounted has a line of its own. */
void mounts_parse(struct mounts *, char *text);

/* Whether an earlier line has the same mount point, or the same device. */
bool mounts_repeated(const struct mounts *, size_t index, bool by_device);

/* Leaves out what is mounted for this process alone: a part of a device that is mounted elsewhere
 * for all, as the unit of a service does to protect it. 'all' are the mounts of process 1; of these
 * only hashes are looked at, as their strings may be gone. */
void mounts_leave_out_own(struct mounts *, const struct mounts *all);

/* "/" is "root", "/var/log" is "var-log". */
void mounts_name_point(const char *point, char out[MOUNTS_NAME_SIZE]);

void mounts_free(struct mounts *);
