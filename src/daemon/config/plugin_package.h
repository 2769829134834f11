/* SPDX-License-Identifier: MIT */
/* Which package of a distribution has a plugin. */
#pragma once

/* The package's name, "collector-libvirt", whether it is installed or not; NULL if the collector
 * has no plugin of that name.  Thread: any. */
const char *plugin_package(const char *plugin);
