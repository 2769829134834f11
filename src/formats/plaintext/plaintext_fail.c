/* SPDX-License-Identifier: MIT */
/* Why a request of the plain text protocol cannot be answered. */
#include <stdarg.h>
#include <stdio.h>

#include "formats/plaintext/plaintext_part.h"

bool plaintext_fail(struct mc_plain *request, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(request->error, sizeof(request->error), fmt, args);
	va_end(args);
	return false;
}
