/* SPDX-License-Identifier: MIT */
/* adopt: has the collector take the place of this host's collectd, or gives it
 * back.  The work is that of a script, contrib/adopt. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "ctl/ctl.h"

#define SCRIPT MC_LIBEXECDIR "/adopt"

int adopt_run(const struct ctl *ctl, int argc, char **argv)
{
	const char *arguments[6] = { SCRIPT };
	size_t len = 1;

	(void)argc;
	(void)argv;
	if (ctl->dry_run && ctl->undo)
		return ctl_usage("--undo has no --dry-run");
	if (ctl->dry_run || ctl->undo)
		arguments[len++] = ctl->undo ? "--undo" : "--dry-run";
	if (ctl->json)
		arguments[len++] = "--json";
	if (ctl->accept != NULL) {
		arguments[len++] = "--accept";
		arguments[len++] = ctl->accept;
	}
	execv(SCRIPT, (char *const *)arguments);
	return ctl_failed("cannot run '%s': %s", SCRIPT, strerror(errno));
}
