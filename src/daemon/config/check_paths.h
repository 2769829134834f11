/* SPDX-License-Identifier: MIT */
/* Has the paths of the global options judged. */
#pragma once

#include "base/problem.h"
#include "conf/option.h"
#include "daemon/config/settings.h"
#include "daemon/process/sandbox.h"

/* JournalDir and PIDFile, where the file gives them, with relative paths in the current folder; and
 * all that the collector writes to under the unit, if 'sandbox' is not NULL. */
void check_paths(const struct settings *, const struct conf_keep *, struct sandbox *sandbox,
		 struct problems *);
