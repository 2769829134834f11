/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/once.h>
#include <collector/writer.h>

enum { TEXTS_PER_MINUTE = 10 }; /* Files that are named in the log. */

void failure_unheld(struct failure *failure, struct mc_ctx *ctx, const char *path,
		    int64_t heartbeat, mc_time interval)
{
	char text[sizeof(failure->text)];

	if (!mc_rrd_unheld(path, heartbeat, interval, text, sizeof(text)))
		return;
	if (mc_once_in(&failure->unheld, mc_now(), 60 * MC_SECOND))
		mc_log(ctx, MC_WARN, "%s", text);
	mc_set_failure(ctx, text);
}

void failure_kept(struct failure *failure, struct mc_ctx *ctx, const char *path,
		  const struct mc_rrd_layout *layout, uint64_t rows)
{
	char text[sizeof(failure->text)];

	if (failure->kept || !mc_rrd_keeps(layout, path, rows, text, sizeof(text)))
		return;
	failure->kept = true;
	mc_log(ctx, MC_NOTE, "%s", text);
}

void failure_describe(struct failure *failure, const char *path, int errnum, const char *reason)
{
	mc_time now = mc_now();

	if (now - failure->since > 60 * MC_SECOND) {
		failure->since = now;
		failure->logged = 0;
	}
	if ((failure->errnum == errnum && errnum != EINVAL) || failure->logged >= TEXTS_PER_MINUTE)
		return;
	failure->logged++;
	failure->errnum = errnum;
	if (strcmp(reason, strerror(errnum)) == 0)
		reason = NULL; /* The core adds it. */
	snprintf(failure->text, sizeof(failure->text), "cannot write '%s'%s%s", path,
		 reason != NULL ? ": " : "", reason != NULL ? reason : "");
}
