/* SPDX-License-Identifier: MIT */
/* Samples and notifications for plugins that write or judge: lines "PUTVAL
 * host/plugin/type time:value" and "PUTNOTIF ...", see formats/plaintext/plaintext.h.
 * Those of the file "put" of a root come with each read. */
#pragma once

#include <collector/plugin.h>

extern const struct mc_plugin feed_plugin;

/* Takes in such lines, as one batch; 'text' is changed.  Returns what mc_fail()
 * did.  Any thread. */
int feed_lines(struct mc_ctx *feed, char *text);
