/* SPDX-License-Identifier: MIT */
/* The bytes that a network device moved between two reads
 * (Documentation/ABI/testing/sysfs-class-net-statistics). */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kit/base/kept_file.h"

#define TRAFFIC_NAME_SIZE 16 /* Of a device: IFNAMSIZ. */

enum direction { /* As the guest, or the link, sees it. */
		 SENT,
		 RECEIVED,
		 DIRECTIONS_LEN,
};

struct traffic { /* Of a network device. */
	int fds[DIRECTIONS_LEN];
	bool has_before;
	uint64_t before[DIRECTIONS_LEN];
	bool is_counted;              /* In this interval; else nothing has moved. */
	double moved[DIRECTIONS_LEN]; /* Bytes since the last read. */
};

void traffic_init(struct traffic *);
void traffic_close(struct traffic *, struct mc_kept_files *files);

/* Reads those of the device below 'net', /sys/class/net. */
void traffic_read(struct traffic *, struct mc_kept_files *net, const char *device);
