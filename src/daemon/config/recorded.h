/* SPDX-License-Identifier: MIT */
/* Readers that are read a second time for a writer that records: see
 * <collector/private/recorded.h>. */
#pragma once

#include "base/problem.h"
#include "daemon/config/configure.h"
#include "daemon/config/plugin_dir.h"

/* Adds them to what 'configure' loads. */
void recorded_add(struct configure *, const struct plugin_dirs *, struct problems *);
