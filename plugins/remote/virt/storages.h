/* SPDX-License-Identifier: MIT */
/* Storages that guests of this host are on: which disk is on which, as a label of the guest, and
 * what all their guests together do there. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "decode.h"
#include "storage.h"

struct calls_describe;
struct describe;
struct guest;
struct mc_batch;

enum storages_request { STORAGES_READ, STORAGES_WRITE, STORAGES_FLUSH };
#define STORAGES_REQUESTS 3

struct storages_counts {
	uint64_t requests, time, bytes; /* Time in ns; flushes have no bytes. */
};

struct storages_storage {
	struct mc_map_node node; /* By its name. */
	unsigned disks;          /* How many there are. */
	bool is_reported;
	bool has_values;                                /* In this read. */
	struct storages_counts now[STORAGES_REQUESTS];  /* Of this read. */
	struct storages_counts sums[STORAGES_REQUESTS]; /* Since it is reported. */
	char name[MC_STORAGE_SIZE];
};

struct storages { /* All zero: none. */
	struct mc_map map;
	size_t reported; /* How many of them are. */
};

struct storages_disk {                    /* Of a guest. */
	char *name;                       /* As libvirt has it: "vda". */
	char *series;                     /* In names of series, "": not reported. */
	struct storages_storage *storage; /* NULL: unknown. */
	bool is_counted;                  /* 'last' are its last counters. */
	struct storages_counts last[STORAGES_REQUESTS];
};

struct storages_disks { /* All zero: none. */
	struct storages_disk *items;
	size_t len;
};

/* Looks up the storages of disks of guests that were described, as far as that takes no longer
 * than 'limit'. */
void storages_find(struct mc_ctx *, struct calls_describe *, mc_time limit);

/* Keeps which disks of a guest are on which. */
void storages_keep(struct mc_ctx *, struct guest *guest, const struct describe *);

/* Forgets them. */
void storages_forget(struct mc_ctx *, struct guest *guest);

/* Writes the label of collector/private/storage_label.h.  Names that do not fit are left out. Pure.
 */
void storages_label(const struct storages_disks *, char *out, size_t size);

/* Takes the counters of a disk. */
void storages_take(struct storages_disks *, size_t index, const struct decode_device *);

/* Reports the storages, if the option asks for it. */
void storages_report(struct mc_ctx *, struct mc_batch *out);

void storages_done(struct mc_ctx *);
