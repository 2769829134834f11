/* SPDX-License-Identifier: MIT */
/* shadow: compares this host's collectd with a collector that changes nothing.  The work is that of
 * a script, contrib/shadow, and of the command compare. */
#include "ctl/command/script.h"
#include "ctl/ctl.h"

#define SCRIPT MC_LIBEXECDIR "/shadow"

int shadow_run(const struct ctl *ctl, int argc, char **argv)
{
	const char *arguments[8] = { SCRIPT };
	size_t len = 1;

	len += script_options(ctl, &arguments[len]);
	if (argc > 1)
		arguments[len++] = argv[1];
	return script_run(arguments);
}
