/* SPDX-License-Identifier: MIT */
/* forget: ends series that were taken out of service. */
#include <stdio.h>
#include <string.h>

#include "ctl/ctl.h"

int forget_run(const struct ctl *ctl, int argc, char **argv)
{
	char glob[CTL_LINE_SIZE], line[CTL_LINE_SIZE];
	struct answer answer;
	int status;

	(void)argc;
	/* The name of a host has no slash. */
	if (snprintf(glob, sizeof(glob), "%s%s", argv[1],
		     strchr(argv[1], '/') == NULL ? "/*" : "") >= (int)sizeof(glob))
		return ctl_usage("the pattern is too long");
	if (!ctl_line(line, sizeof(line), "FORGET", glob))
		return CTL_USAGE;
	status = ctl_ask(ctl, line, &answer);
	if (status != CTL_OK)
		return status;
	puts(answer.message);
	peer_answer_done(&answer);
	return CTL_OK;
}
