/* SPDX-License-Identifier: MIT */
/* A notification as programs of NotificationExec read it: fields, an empty line, and the message.
 * Facts: collectd-exec(5), "NOTIFICATION DATA FORMAT". */
#pragma once

#include <collector/plugin.h>

/* The text, to be freed.  The label of the series, the title of its graph, and the labels of its
 * host follow the fields.  Thread: any. */
char *notice_text(struct mc_ctx *, const struct mc_notification *);
