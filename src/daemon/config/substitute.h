/* SPDX-License-Identifier: MIT */
/* What does the work of those plugins of collectd that do not exist here. */
#pragma once

/* A clause for the warning about a plugin of that name, or NULL: nothing is
 * known to do its work.  Any thread. */
const char *substitute_for(const char *plugin);
