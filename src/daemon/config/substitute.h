/* SPDX-License-Identifier: MIT */
/* Substitutes for plugins of collectd that do not exist here. */
#pragma once

/* A clause for the warning about a plugin of that name, or NULL: nothing is known to do its work.
 * Thread: any. */
const char *substitute_for(const char *plugin);
