/* SPDX-License-Identifier: MIT */
/* How large a disk is, before a program extends it and after that; then its next threshold is set
 * at once, as its guest writes meanwhile.
 *
 * libvirt is asked by threads of their own, EXTEND_LOOKS_MAX at a time, and once about a guest: one
 * that hangs keeps one of them until libvirt gives it up. */
#pragma once

#include "connection.h"
#include "guests.h"
#include "threshold.h"

struct mc_loop_wakeup;

#define EXTEND_LOOKS_MAX 4

/* Of the paths of a disk's images. */
#define EXTEND_CHAIN_SIZE 8192

struct extend_look {
	struct extend_look *next;
	void *argument; /* The caller's. */
	unsigned char uuid[VIR_UUID_BUFLEN];
	char disk[GUESTS_DISK_SIZE];
	bool device; /* Its size is that of the device, not of the guest's disk. */
	struct watermark_rule mark;
	uint64_t from; /* Bytes it had. */

	/* The answer: */
	bool answered;            /* Else there is a reason only, ... */
	bool gone;                /* ... and there may be no such disk of a guest that runs. */
	uint64_t size, threshold; /* Bytes. */
	bool beyond;              /* It is beyond its watermark again. */
	bool set;                 /* The threshold is. */
	char reason[LINK_REASON_SIZE];
	char chain[EXTEND_CHAIN_SIZE]; /* As describe_chain() writes it; "": unknown. */
};

struct extend_looks;

/* 'wakeup' is woken when there is an answer. */
struct extend_looks *extend_look_new(const char *uri, struct mc_loop_wakeup *wakeup);

/* Leaves calls that hang to themselves. */
void extend_look_free(struct mc_ctx *, struct extend_looks *);

/* Asks libvirt, after all that was asked before; never waits.  Takes over the struct, which is on
 * the heap.  Thread: one, as of the next function. */
void extend_look_ask(struct mc_ctx *, struct extend_looks *, struct extend_look *);

/* The next answer, to be freed by the caller; NULL: none yet. */
struct extend_look *extend_look_take(struct mc_ctx *, struct extend_looks *);
