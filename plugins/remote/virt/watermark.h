/* SPDX-License-Identifier: MIT */
/* Thresholds on disks: set, seen to fire, and set again. */
#ifndef VIRT_WATERMARK_H
#define VIRT_WATERMARK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvirt/libvirt.h>

#include <collector/plugin.h>

#include "guests.h"

struct threshold_request; /* A threshold to be set. */

struct threshold_requestes {
	struct threshold_request *items;
	size_t len, size; /* Used, allocated. */
};

/* Compares what self->decode says of the guest's disks with what is wanted:
 * tells crossings that no event told, puts what is left of disks, and adds to
 * 'wishes' the thresholds that are not set. */
void watermark_check(struct mc_ctx *, struct mc_batch *out, struct guest *guest,
		     struct threshold_requestes *threshold_requestes);

/* Sets what was wished for, and forgets the wishes. */
void watermark_set(struct mc_ctx *,
		   struct threshold_requestes *threshold_requestes);

/* An event told of a crossing.  False if it is not to be told further: because
 * of a block job, or because a read was faster.  Any thread. */
bool watermark_crossed(struct mc_ctx *, virDomainPtr domain, const char *disk,
		       uint64_t threshold);

/* A block job on the disk has come so far that it waits for its end, or has
 * ended.  Any thread. */
void watermark_job(struct mc_ctx *, virDomainPtr domain, const char *disk,
		   bool runs);

/* Block jobs may have ended untold. */
void watermark_resume(struct mc_ctx *);

#endif
