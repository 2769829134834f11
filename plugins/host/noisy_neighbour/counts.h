/* SPDX-License-Identifier: MIT */
/* Series of the counters that the kernel has of guests: for a recorder, and for hosts without
 * libvirt. */
#pragma once

#include <collector/plugin.h>

#include "guests.h"

/* Adds the counters that were read of each guest.  Thread: the reader's. */
void counts_put(struct guests *, bool guests_are_hosts, struct mc_batch *out);
