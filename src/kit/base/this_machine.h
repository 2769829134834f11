/* SPDX-License-Identifier: MIT */
/* kit/base/this_machine.h - whether files below /proc are of this machine,
 * so that the kernel may be asked about what they show. */
#pragma once

#include <stdbool.h>
#include <string.h>

#include <collector/plugin.h>

/* False below the root that a test has set, which has files, but no processes and interfaces.
 * Thread: any. */
static inline bool mc_is_this_machine(struct mc_ctx *ctx)
{
	char root[8];

	return strcmp(mc_path(ctx, "/", root, sizeof(root)), "/") == 0;
}
