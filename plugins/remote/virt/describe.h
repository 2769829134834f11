/* SPDX-License-Identifier: MIT */
/* Facts about a guest from its XML that statistics lack: read once, and again after an event said
 * that it changed. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <sys/types.h>

#include "guest_limits.h"
#include "storage.h"

#define DESCRIBE_NAME_SIZE 64
#define DESCRIBE_NICS_MAX 256

enum describe_view {                  /* Of an interface's counters. */
		     DESCRIBE_DAEMON, /* Only libvirt knows them. */
		     DESCRIBE_SAME,   /* The host's device counts as the guest
					 does. */
		     DESCRIBE_SWAPPED /* The guest sent the traffic that the host's device receives.
				       */
};

struct describe_nic {
	char name[32];    /* Of the host's device: "vnet0". */
	char address[20]; /* MAC, or "". */
	enum describe_view view;
};

#define DESCRIBE_PATH_SIZE 512
#define DESCRIBE_DISKS_MAX 512

struct describe_disk {
	char name[DESCRIBE_NAME_SIZE];  /* As the guest sees it: "vda". */
	char alias[DESCRIBE_NAME_SIZE]; /* As QEMU names its device: "virtio-disk0". */
	char path[DESCRIBE_PATH_SIZE];  /* Of its image, as statistics have it. */
	bool device;                    /* Which is a block device. */
	dev_t number;                   /* Of that device; 0 until somebody looks it up. */
	char storage[MC_STORAGE_SIZE];  /* That it is on; "" until somebody looks it up, but for
					 * disks that QEMU reaches by the network. */
};

struct describe_labels { /* "" where the XML says nothing. */
	char title[DESCRIBE_NAME_SIZE];
	/* From OpenStack's metadata. */
	char owner[DESCRIBE_NAME_SIZE], project[DESCRIBE_NAME_SIZE];
	char flavor[DESCRIBE_NAME_SIZE];
};

struct describe {
	struct describe_labels *labels;
	uint64_t memory; /* Bytes that the guest has now. */
	bool has_agent;  /* It has a channel for one. */
	struct describe_nic *nics;
	size_t nics_len;
	struct describe_disk *disks;
	size_t disks_len;
};

/* Reads the XML of a running guest; 'limits' may be NULL.  False, and nothing to free, if it is not
 * such XML. */
bool describe_parse(struct describe *describe, struct limits *limits, const char *xml);

/* Frees the disks alone. */
void describe_forget_disks(struct describe *describe);

/* A copy, without labels, that takes no more memory than it must and is on the heap of the thread
 * that keeps it: the results of parsing lie between pieces of XML that are freed soon, and would
 * hold every page of those. */
void describe_keep(struct describe *copy, const struct describe *describe);

void describe_done(struct describe *describe);

/* Writes the paths of a disk's images, a line each: what the guest writes to, what that is based
 * on, and so on.  False if there is no such disk, no room for all, or a path has a line break.  "":
 * it has no images. */
bool describe_chain(const char *xml, const char *disk, char *out, size_t size);

/* The text or attribute that an XPath expression finds in 'xml', cut to fit.
 * False if it does not find exactly one. */
bool describe_find(const char *xml, const char *expression, char *out, size_t size);
