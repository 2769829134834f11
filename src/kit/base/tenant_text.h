/* SPDX-License-Identifier: MIT */
/* kit/base/tenant_text.h - "%{tenant}" in headers, URLs and names of topics of the user's: whose
 * the values of a request are.  In libkit.  Pure. */
#pragma once

#include <stdbool.h>

bool mc_tenant_is_in(const char *text);

/* A copy of the text with the name of a tenant in it, owned by the caller.  A name may have
 * letters, digits, '-', '_' and '.'; all else becomes '_'.  NULL or "": "anonymous". */
char *mc_tenant_fill(const char *text, const char *tenant);
