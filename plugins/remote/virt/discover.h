/* SPDX-License-Identifier: MIT */
/* Which guest a record of libvirt is about, and what that guest is. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <libvirt/libvirt.h>

#include <collector/plugin.h>

#include "virt.h"

/* The guest, seen by this read; made if it is new.  NULL if it is unknown or was not selected. */
struct guest *discover_guest(struct mc_ctx *ctx, virDomainPtr domain);

/* Adds a guest of which only the UUID is known, and which may be gone. */
void discover_add(struct mc_ctx *ctx, const unsigned char uuid[VIR_UUID_BUFLEN]);

/* Records the state in a record of the guest. */
void discover_state(struct guest *guest, const virDomainStatsRecord *record);

/* Whether it is coming from another host, which has it until then. */
bool discover_is_incoming(const struct guest *guest);

/* Describes those that are not described, or not any more; NULL is skipped. */
void discover_describe(struct mc_ctx *ctx, struct guest *const *guests, size_t guests_len);
