/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "failure.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { TEXTS_PER_MINUTE = 10 }; /* Files that are named in the log. */

void failure_describe(struct failure *failure, const char *path, int errnum,
		      const char *reason)
{
	mc_time now = mc_now();

	if (now - failure->since > 60 * MC_SECOND) {
		failure->since = now;
		failure->said = 0;
	}
	if ((failure->errnum == errnum && errnum != EINVAL) ||
	    failure->said >= TEXTS_PER_MINUTE)
		return;
	failure->said++;
	failure->errnum = errnum;
	if (strcmp(reason, strerror(errnum)) == 0)
		reason = NULL; /* The core adds it. */
	snprintf(failure->text, sizeof(failure->text), "cannot write '%s'%s%s",
		 path, reason != NULL ? ": " : "",
		 reason != NULL ? reason : "");
}
