/* SPDX-License-Identifier: MIT */
/* Questions about one guest at a time: errors of disks, jobs, file systems, histograms. */
#pragma once

#include <stddef.h>

#include <collector/plugin.h>

#include "virt.h"

/* Bits of ExtraStats that only a connection that writes may ask for. */
#define EACH_WRITES (EXTRA_FS_INFO | EXTRA_HISTOGRAM)

/* Asks for what is due of those that can be asked, and reports it; NULL is skipped. */
void each_report(struct mc_ctx *, struct mc_batch *out, struct guest *const *guests,
		 size_t guests_len);
