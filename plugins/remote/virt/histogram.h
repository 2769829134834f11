/* SPDX-License-Identifier: MIT */
/* Times of a guest's requests to its disks, as QEMU counts them in bins, and their quantiles. Pure.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Histograms with more boundaries are left out, and so are further disks. */
#define HISTOGRAM_BOUNDARIES_MAX 32
#define HISTOGRAM_DISKS_MAX 256
#define HISTOGRAM_DEVICE_SIZE 160

/* The largest answer that is read. */
#define HISTOGRAM_ANSWER_MAX (4 << 20)

struct histogram {    /* All zero: none. */
	unsigned len; /* Of boundaries[], ascending, in ns; there is one bin more. */
	uint64_t boundaries[HISTOGRAM_BOUNDARIES_MAX];
	uint64_t bins[HISTOGRAM_BOUNDARIES_MAX + 1]; /* Requests. */
};

struct histogram_disk {
	/* As QEMU names it: "scsi0-0-0-0", or a path that ends with
	 * "virtio-disk0/virtio-backend". */
	char device[HISTOGRAM_DEVICE_SIZE];
	bool counted; /* QEMU has a histogram of it, though perhaps one that is left out. */
	struct histogram reads, writes;
};

struct histogram_disks {
	struct histogram_disk *items;
	size_t len;
};

/* Reads the answer to query-blockstats.  0; -EINVAL: it is something else; -ENOSYS: QEMU does not
 * know the command; -EIO: QEMU refused it.  'disks' is to be freed unless it fails. */
int histogram_parse(const char *text, size_t size, struct histogram_disks *disks);

/* Reads the answer to a command that returns nothing; the same. */
int histogram_parse_done(const char *text, size_t size);

void histogram_free(struct histogram_disks *disks);

/* Writes the command that has QEMU count the requests to a disk in bins; false if there is no such
 * command. */
bool histogram_command(const struct histogram_disk *disk, char *out, size_t size);

/* Gives the disk empty bins, which it has right after that command. */
void histogram_begin(struct histogram_disk *disk);

/* libvirt's alias of the device: "virtio-disk0". */
void histogram_alias(const struct histogram_disk *disk, char *out, size_t size);

/* The disk of that name, or NULL. */
const struct histogram_disk *histogram_find(const struct histogram_disks *disks,
					    const char *device);

/* The time (ns) that so large a part of the requests between two answers took at most, with the
 * requests of a bin spread evenly over it, as histogram_quantile() of Prometheus has it; the last
 * bin is as its lower boundary.  NaN: no request; or the histogram was begun anew. */
double histogram_quantile(const struct histogram *before, const struct histogram *now, double part);
