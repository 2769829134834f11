/* SPDX-License-Identifier: MIT */
/* Puts what is known of a guest into series with collectd's names. */
#pragma once

#include "calls.h"
#include "virt.h"

/* Reports the values in self->decode, without those that come from the kernel. */
void report_daemon(struct mc_ctx *, struct mc_batch *out, struct guest *guest);

/* CPU time and interfaces as self->decode says, for a guest that is not mapped,
 * or if Source is "libvirt". */
void report_fallback(struct mc_ctx *, struct mc_batch *out, struct guest *guest);

/* CPU time and interfaces of a guest that is mapped.  False if it is not there. */
bool report_kernel(struct mc_ctx *, struct mc_batch *out, struct guest *guest);

/* Disks as self->decode says, of a guest without 'on_devices'. */
void report_disks(struct mc_ctx *, struct mc_batch *out, struct guest *guest);

/* Disks as the host's devices count, of a guest with 'on_devices'. */
void report_devices(struct mc_ctx *, struct mc_batch *out, struct guest *guest);

/* Results of calls about one guest. */
void report_fact(struct mc_ctx *, struct mc_batch *out, struct guest *guest,
		 const struct calls_fact *fact);
