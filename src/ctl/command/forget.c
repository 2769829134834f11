/* SPDX-License-Identifier: MIT */
/* forget: ends series that were taken out of service. */
#include <stdio.h>
#include <string.h>

#include "ctl/ctl.h"

#define FILES_TIMEOUT (600 * MC_SECOND) /* Many files take a while. */

int forget_run(const struct ctl *ctl, int argc, char **argv)
{
	char glob[CTL_LINE_SIZE], quoted[CTL_LINE_SIZE], line[CTL_LINE_SIZE + 16];
	struct ctl patient = *ctl;
	struct answer answer;
	int status;

	(void)argc;
	if (ctl->files && ctl->timeout == CTL_TIMEOUT)
		patient.timeout = FILES_TIMEOUT;
	/* The name of a host has no slash. */
	if (snprintf(glob, sizeof(glob), "%s%s", argv[1],
		     strchr(argv[1], '/') == NULL ? "/*" : "") >= (int)sizeof(glob))
		return ctl_usage("the pattern is too long");
	if (!ctl_line(quoted, sizeof(quoted), "FORGET", glob))
		return CTL_USAGE;
	snprintf(line, sizeof(line), "%s%s", quoted, ctl->files ? " files=true" : "");
	status = ctl_ask(&patient, line, &answer);
	if (status != CTL_OK)
		return status;
	puts(answer.message);
	peer_answer_done(&answer);
	return CTL_OK;
}
