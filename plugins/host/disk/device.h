/* SPDX-License-Identifier: MIT */
/* The block devices of /proc/diskstats, and what is remembered of each from one
 * read to the next.  For the thread of read() alone. */
#pragma once

#include <collector/plugin.h>

/* The columns of a line, from its fourth on: requests, requests merged, sectors of 512 bytes,
 * milliseconds; then requests under way, and the milliseconds with any and with each of them. */
enum counter {
	READ_OPS,
	READ_MERGED,
	READ_SECTORS,
	READ_TIME,
	WRITE_OPS,
	WRITE_MERGED,
	WRITE_SECTORS,
	WRITE_TIME,
	IN_FLIGHT,
	BUSY_TIME,
	WEIGHTED_TIME,
	COUNTERS_LEN
};

enum series { OCTETS, OPS, TIME, MERGED, PENDING, IO_TIME, SERIES_LEN };

#define LABEL_SIZE                                                                                 \
	128 /* The longest plugin instance of collectd, and '\0'.                                  \
	     */

struct device {
	char name[64];          /* "sda1" */
	char label[LABEL_SIZE]; /* Its name in series. */
	uint64_t major, minor;

	uint64_t counters[COUNTERS_LEN];        /* As they are now. */
	uint64_t read_octets, write_octets;     /* Since boot. */
	uint64_t read_time, write_time;         /* Sums of weighted averages, ms. */
	bool was_merged, was_pending, was_busy; /* At any time so far. */

	struct mc_series *held[SERIES_LEN]; /* NULL: not asked for yet. */
};

struct devices {
	struct device *items; /* In the order of the file. */
	size_t len, size;     /* Of items[]: used, allocated. */
};

/* Takes over the text of /proc/diskstats, read 'interval' after the one before:
 * adds devices that are new and forgets those that are gone.  Returns false,
 * and forgets nothing, if the text has no line of a device. */
bool device_update(struct devices *, const char *text, mc_time interval);

/* Names the device by the property 'attribute' that udev knows of it; or, if it
 * has none or 'attribute' is NULL, as the kernel does. */
void device_label(struct mc_ctx *, struct device *, const char *attribute);

/* Releases all series and frees the array. */
void device_free(struct devices *);
