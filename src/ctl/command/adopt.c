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
	const char *option = ctl->undo ? "--undo" : NULL;

	(void)argc;
	(void)argv;
	if (ctl->dry_run && ctl->undo)
		return ctl_usage("--undo has no --dry-run");
	if (ctl->dry_run)
		option = "--dry-run";
	execl(SCRIPT, SCRIPT, option, (char *)NULL);
	return ctl_failed("cannot run '%s': %s", SCRIPT, strerror(errno));
}
