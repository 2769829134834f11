/* SPDX-License-Identifier: MIT */
/* States of guests that stand among the alerts, set with each read. */
#pragma once

#include <collector/plugin.h>

#include "guests.h"
#include "threshold.h"

/* Of the guest that was read last: whether it answers, and whether it is paused by an error. */
void standing_guest(struct mc_ctx *, const struct guest *);

/* Whether a disk was written beyond its lowest watermark. */
void standing_disk(struct mc_ctx *, const struct guest *, const char *disk,
		   const struct watermark_rule *, const struct watermark_disk *);
