/* SPDX-License-Identifier: MIT */
/* Has every plugin that a configuration asks for judge its options. */
#ifndef COLLECTOR_DAEMON_CHECK_PLUGINS_H
#define COLLECTOR_DAEMON_CHECK_PLUGINS_H

#include <stdbool.h>

#include "base/problem.h"
#include "daemon/instances.h"

/* What is wrong is a problem with its place.  With 'host', so is what files,
 * users and ports of this host have to do with it; relative paths then start
 * in the current folder.  Whatever the source can load is judged, as an
 * instance of its own that is never started, so it may run at the same time.
 * What cannot be loaded, and options that cannot be read, are left to
 * instances_add() and instances_compare(). */
void check_plugins(const struct instances_source *, bool host,
		   struct problems *);

#endif
