/* SPDX-License-Identifier: MIT */
/* Thresholds on disks: set, seen to fire, and set again. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvirt/libvirt.h>

#include <collector/plugin.h>

#include "guests.h"

struct extend_look;
struct threshold_request; /* A threshold to be set. */

struct threshold_requests {
	struct threshold_request *items;
	size_t len, size; /* Used, allocated. */
};

/* Compares the guest's disks in self->decode with the configured rules: reports
 * crossings that no event reported, puts the free space of disks into 'out',
 * and adds the thresholds that are to be set to 'requests'. */
void watermark_check(struct mc_ctx *, struct mc_batch *out, struct guest *guest,
		     struct threshold_requests *requests);

/* Sets the requested thresholds and empties 'requests'. */
void watermark_set(struct mc_ctx *, struct threshold_requests *requests);

/* An event has reported a crossing.  False if it is not to be reported further: because of a block
 * job, or because a read was faster.  Thread: any. */
bool watermark_crossed(struct mc_ctx *, virDomainPtr domain, const char *disk, uint64_t threshold);

/* A program has extended the disk, and its next threshold is set.  Thread: any. */
void watermark_extended(struct mc_ctx *, const struct extend_look *look);

/* A block job on the disk has come so far that it waits for its end, or has ended.  Thread: any. */
void watermark_job(struct mc_ctx *, virDomainPtr domain, const char *disk, bool runs);

/* Block jobs may have ended without an event. */
void watermark_resume(struct mc_ctx *);
