/* SPDX-License-Identifier: MIT */
/* Has the paths of the global options judged. */
#ifndef COLLECTOR_DAEMON_CONFIG_CHECK_PATHS_H
#define COLLECTOR_DAEMON_CONFIG_CHECK_PATHS_H

#include "base/problem.h"
#include "conf/option.h"
#include "daemon/config/settings.h"
#include "daemon/process/sandbox.h"

/* JournalDir and PIDFile, where the file gives them, with relative paths in the
 * current folder; and all that the collector writes to under the unit, if
 * 'sandbox' is not NULL. */
void check_paths(const struct settings *, const struct conf_keep *, struct sandbox *sandbox,
		 struct problems *);

#endif
