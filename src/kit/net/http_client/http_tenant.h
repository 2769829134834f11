/* SPDX-License-Identifier: MIT */
/* "%{tenant}" in headers and URLs of the user's: whose the values of a request are.  Pure. */
#pragma once

#include <stdbool.h>

bool http_tenant_is_in(const char *text);

/* A copy of the text with the name of a tenant in it, owned by the caller.  A name may have
 * letters, digits, '-', '_' and '.'; all else becomes '_'.  NULL or "": "anonymous". */
char *http_tenant_fill(const char *text, const char *tenant);
