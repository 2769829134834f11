/* SPDX-License-Identifier: MIT */
/* Which package of a distribution has a plugin. */
#ifndef COLLECTOR_DAEMON_CONFIG_PLUGIN_PACKAGE_H
#define COLLECTOR_DAEMON_CONFIG_PLUGIN_PACKAGE_H

/* The package's name, "collector-libvirt", whether it is installed or not; NULL
 * if the collector has no plugin of that name.  Any thread. */
const char *plugin_package(const char *plugin);

#endif
