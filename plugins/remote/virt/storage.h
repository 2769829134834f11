/* SPDX-License-Identifier: MIT */
/* The storage that an image is on: what guests share that do not share a disk.
 *
 * Of a file it is the device of its file system, or the server's file system; of a block device
 * that device.  A partition, and a device that lies on one other device, as volumes do, stand for
 * the device below.  Facts: proc(5), /proc/pid/mountinfo; the kernel's
 * Documentation/ABI/stable/sysfs-block (slaves, partition) and sysfs-block-dm (dm/name).
 *
 * As a text it begins with '@' if another host may have something else of that name: "@sda", and
 * "nfs4:server:/export", "rbd:volumes" do not.  Blanks, ';' and control characters are '_'. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/private/storage_label.h>

struct storage_mount {
	const char *point, *type, *source;
	unsigned major, minor; /* 0:N: it has no device. */
};

struct storage_mounts {
	struct storage_mount *items;
	size_t len, size; /* Used, allocated. */
};

/* Splits the text of mountinfo, to which the strings point from then on.  Pure. */
void storage_parse_mounts(struct storage_mounts *, char *text);

/* The file system of an absolute path; NULL without one.  Pure. */
const struct storage_mount *storage_mount_of(const struct storage_mounts *, const char *path);

/* Whether another process or machine answers for it, so a look at its files may hang.  Pure. */
bool storage_is_remote(const struct storage_mount *);

void storage_free_mounts(struct storage_mounts *);

/* Finds the storage of an absolute path, of a file or device, without a look at what is remote;
 * 'sys' is where sysfs is.  "": it is not known. */
void storage_of_path(const struct storage_mounts *, const char *sys, const char *path,
		     char out[MC_STORAGE_SIZE]);

/* The device that stands for the one with that number: "sda" for 8:1.  False if it is unknown. */
bool storage_device(const char *sys, unsigned major, unsigned minor, char out[MC_STORAGE_SIZE]);

/* Writes "@NAME" or "KIND:NAME", cut to fit. */
void storage_local(const char *name, char out[MC_STORAGE_SIZE]);
void storage_shared(const char *kind, const char *name, char out[MC_STORAGE_SIZE]);
