/* SPDX-License-Identifier: MIT */
/* While libvirt moves a guest, and until the old QEMU has ended, calls about it may hang.  Its
 * events say so, and then that is no fault of the guest. */
#pragma once

#include <stdbool.h>

#include <libvirt/libvirt.h>

#include <collector/plugin.h>

#include "guests.h"

#define MOVING_MAX (30 * MC_SECOND) /* After its last event about that. */

/* Whether a lifecycle event is part of a move. */
bool moving_is_said(int event, int detail);

/* Takes a lifecycle event.  Thread: any. */
void moving_take(struct mc_ctx *, virDomainPtr, int event, int detail);

bool moving_lasts(const struct guest *, mc_time now);
