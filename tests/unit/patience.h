/* SPDX-License-Identifier: MIT */
/* For how long a test waits for what takes a moment. */
#pragma once

#include <stdlib.h>

/* How many times as long as on an idle machine things take: what tests/patience
 * has found, 1 if nobody has asked it. */
static inline int patience(void)
{
	const char *found = getenv("MC_PATIENCE");
	long factor = found != NULL ? strtol(found, NULL, 10) : 1;

	return factor > 1 ? (int)factor : 1;
}
