/* SPDX-License-Identifier: MIT */
/* A collector beside another daemon that changes nothing: readers and judges are as they are,
 * writers take values and drop them, and nothing listens but what is asked about it. */
#pragma once

#include <collector/plugin.h>

#include "daemon/config/configure.h"

/* Whether that instance is another in a shadow; one called "PLUGIN.shadow" is the shadow's own. */
bool shadow_changes(const struct wanted *, const struct mc_plugin *);

/* The plugin that it is then: the options of the plugin and nothing of what it does; freed with
 * free(). */
struct mc_plugin *shadow_of(const struct mc_plugin *);
