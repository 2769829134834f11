/* SPDX-License-Identifier: MIT */
/* Counters of the host's block devices: for disks that are whole devices. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/types.h>

#include <collector/plugin.h>

#include "decode.h"

struct blocks_device {
	dev_t number;
	uint64_t values[DISK_FIELDS]; /* Up to DISK_FL_TIMES. */
	uint32_t known;
};

struct blocks { /* Sorted by number. */
	struct blocks_device *items;
	size_t len, size; /* Used, allocated. */
};

/* Reads /proc/diskstats, once for all guests. */
int blocks_read(struct mc_ctx *ctx, struct blocks *blocks);

/* NULL if there is no such device. */
const struct blocks_device *blocks_find(const struct blocks *blocks, dev_t number);

/* The number of the device that a path leads to, or 0. */
dev_t blocks_number(const char *path);

/* From the text of /proc/diskstats. */
void blocks_parse(const char *text, struct blocks *blocks);

void blocks_done(struct blocks *blocks);
