/* SPDX-License-Identifier: MIT */
/* forget: ends series that were taken out of service. */
#include <stdio.h>
#include <string.h>

#include "ctl/ctl.h"

int forget_run(const struct ctl *ctl, int argc, char **argv)
{
	char glob[CTL_LINE_SIZE], quoted[CTL_LINE_SIZE], line[CTL_LINE_SIZE + 16];

	(void)argc;
	/* The name of a host has no slash. */
	if (snprintf(glob, sizeof(glob), "%s%s", argv[1],
		     strchr(argv[1], '/') == NULL ? "/*" : "") >= (int)sizeof(glob))
		return ctl_usage("the pattern is too long");
	if (!ctl_line(quoted, sizeof(quoted), "FORGET", glob))
		return CTL_USAGE;
	snprintf(line, sizeof(line), "%s%s", quoted, ctl->files ? " files=true" : "");
	return ctl_ask_patiently(ctl, line, ctl->files);
}
