/* SPDX-License-Identifier: MIT */
#include "mistake.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output.h"

_Noreturn void mistake(const char *what, const char *why)
{
	dprintf(output_error(), "run_case: %s: %s\n", what, why);
	exit(99);
}

_Noreturn void mistake_errno(const char *what)
{
	mistake(what, strerror(errno));
}
