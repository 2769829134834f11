/* SPDX-License-Identifier: MIT */
/* Names of block devices, by number, from /sys/dev/block. */
#pragma once

#include <collector/plugin.h>

#include "kit/base/kept_file.h"

#define DEVICES_MAX                                                                                \
	1024 /* Names that are kept; others are looked up again.                                   \
	      */
#define DEVICES_NAME_SIZE 64

struct device {
	unsigned major, minor;
	char name[DEVICES_NAME_SIZE];
};

struct devices { /* All zero: none is known. */
	struct device *items;
	size_t len;
	char folder[256]; /* /sys/dev/block, below the root of a test. */
};

/* The name of a device, such as "sda"; its numbers, "8:0", if it has none. */
const char *devices_name(struct devices *, unsigned major, unsigned minor,
			 char out[DEVICES_NAME_SIZE]);

/* Forgets all names: a number may be another device's by now. */
void devices_forget(struct devices *);
