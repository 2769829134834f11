/* SPDX-License-Identifier: MIT */
/* Limits of a guest, and the nodes for its memory, from its XML.  Pure. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct _xmlNode; /* xmlNode of <libxml/tree.h>. */

#define LIMITS_DISKS_MAX 512
#define LIMITS_NAME_SIZE 64
#define LIMITS_NODES_MAX 64
#define LIMITS_PATH_SIZE 512

enum limits_way { LIMITS_TOTAL, LIMITS_READ, LIMITS_WRITE, LIMITS_WAYS };

struct limits_disk {
	char name[LIMITS_NAME_SIZE]; /* As the guest sees it: "vda". */
	char path[LIMITS_PATH_SIZE]; /* Of its image, or "". */
	/* Per second; 0: there is no limit. */
	uint64_t bytes[LIMITS_WAYS], requests[LIMITS_WAYS];
};

struct limits {          /* All zero: none. */
	double cpus;     /* CPUs of the host that it may use at most; 0: there is no limit. */
	uint64_t shares; /* Weight of its control group; 0: libvirt's default. */
	char numa_mode[LIMITS_NAME_SIZE]; /* "strict"; "": the XML has none. */
	uint64_t numa_nodes;       /* A bit for each node of the host, below LIMITS_NODES_MAX. */
	struct limits_disk *disks; /* Those that have a limit. */
	size_t disks_len;
};

/* Takes those of the XML of a running guest, whose root is a domain
 * (libvirt.org/formatdomain.html). */
void guest_limits_take(struct limits *, const struct _xmlNode *root);

/* A copy on the heap of the thread that keeps it: see describe_keep(). */
void guest_limits_keep(struct limits *copy, const struct limits *);

void guest_limits_done(struct limits *);
