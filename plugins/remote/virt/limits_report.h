/* SPDX-License-Identifier: MIT */
/* Series of the limits of a guest. */
#pragma once

#include "virt.h"

/* Reports those of a guest that runs, if they are due. */
void limits_report(const struct virt *, struct mc_batch *out, const struct guest *);
