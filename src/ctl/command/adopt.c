/* SPDX-License-Identifier: MIT */
/* adopt: has the collector take the place of this host's collectd, or gives it
 * back.  The work is that of a script, contrib/adopt. */
#include "ctl/command/script.h"
#include "ctl/ctl.h"

#define SCRIPT MC_LIBEXECDIR "/adopt"

int adopt_run(const struct ctl *ctl, int argc, char **argv)
{
	const char *arguments[10] = { SCRIPT };
	size_t len = 1;

	if (ctl->dry_run && ctl->undo)
		return ctl_usage("--undo has no --dry-run");
	if (ctl->dry_run || ctl->undo)
		arguments[len++] = ctl->undo ? "--undo" : "--dry-run";
	len += script_options(ctl, &arguments[len]);
	if (argc > 1)
		arguments[len++] = argv[1];
	return script_run(arguments);
}
