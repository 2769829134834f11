/* SPDX-License-Identifier: MIT */
/* Samples for plugins that write or judge: the lines of the file "put" of a
 * root, each "PUTVAL host/plugin/type time:value", see collector/plaintext.h.
 */
#ifndef COLLECTOR_TESTS_FEED_H
#define COLLECTOR_TESTS_FEED_H

#include <collector/plugin.h>

extern const struct mc_plugin feed_plugin;

#endif
