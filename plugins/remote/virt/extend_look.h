/* SPDX-License-Identifier: MIT */
/* How large a disk is after a program has extended it; its next threshold is set at once, as its
 * guest writes meanwhile. */
#pragma once

#include "connection.h"
#include "guests.h"
#include "threshold.h"

/* Of the paths of a disk's images. */
#define EXTEND_CHAIN_SIZE 8192

struct extend_look {
	unsigned char uuid[VIR_UUID_BUFLEN];
	char disk[GUESTS_DISK_SIZE];
	bool device; /* Its size is that of the device, not of the guest's disk. */
	struct watermark_rule mark;
	uint64_t from; /* Bytes it had. */

	uint64_t size, threshold; /* Bytes. */
	bool beyond;              /* It is beyond its watermark again. */
	bool set;                 /* The threshold is. */
	char reason[LINK_REASON_SIZE];
	char chain[EXTEND_CHAIN_SIZE]; /* As describe_chain() writes it; "": unknown. */
};

/* 0, or a negative errno and the reason; it waits for libvirt, but not for long. */
int extend_look(struct mc_ctx *, struct link *, struct extend_look *);
