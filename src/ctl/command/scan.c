/* SPDX-License-Identifier: MIT */
/* scan: makes series known that have ended, and that writers have files of. */
#include "ctl/ctl.h"

int scan_run(const struct ctl *ctl, int argc, char **argv)
{
	(void)argc;
	(void)argv;
	return ctl_ask_patiently(ctl, "SCAN", true);
}
