/* SPDX-License-Identifier: MIT */
/* Thin pools of the device mapper, which hold logical volumes: how full data and metadata are.
 *
 * Facts: the kernel's admin-guide/device-mapper/thin-provisioning.rst, linux/dm-ioctl.h, lvm(8). */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/types.h>

#define THIN_NAME_SIZE 128

struct thin_pool {
	dev_t device;
	char name[THIN_NAME_SIZE];             /* "vg0/pool" */
	uint64_t data_used, data_size;         /* Bytes. */
	uint64_t metadata_used, metadata_size; /* The same. */
};

/* The pool of a block device that is a thin volume.  False, and errno: another device (ENODEV), or
 * the kernel does not say.  It may hang as long as the pool does. */
bool thin_look(const char *path, struct thin_pool *pool);

/* --- Parts of it, pure --------------------------------------------------------- */

/* The pool of a target "thin": "254:2 7". */
bool thin_take_volume(const char *table, dev_t *pool);

/* Of a target "thin-pool": the size of a block in the table "254:0 254:1 128 0 ...", and blocks in
 * the status "1 25/1024 512/8192 - rw ...".  A pool that has failed has no figures. */
bool thin_take_pool(const char *table, const char *status, struct thin_pool *pool);

/* "vg0-pool-tpool" is "vg0/pool" to LVM, which writes two hyphens for one within a name. */
void thin_name(const char *mapped, char out[THIN_NAME_SIZE]);
