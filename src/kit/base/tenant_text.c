/* SPDX-License-Identifier: MIT */
/* Facts: what Mimir takes as the name of a tenant, whose default is "anonymous". */
#include "kit/base/tenant_text.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define MARK "%{tenant}"
#define TENANT_SIZE 128

bool mc_tenant_is_in(const char *text)
{
	return strstr(text, MARK) != NULL;
}

static bool is_kept(char c)
{
	return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
	       c == '-' || c == '_' || c == '.';
}

/* One of dots alone would be another place of a URL. */
static void clean(char out[TENANT_SIZE], const char *tenant)
{
	size_t size = 0;

	if (tenant == NULL || tenant[0] == '\0')
		tenant = "anonymous";
	for (; tenant[size] != '\0' && size < TENANT_SIZE - 1; size++)
		out[size] = is_kept(tenant[size]) ? tenant[size] : '_';
	out[size] = '\0';
	if (strspn(out, ".") == size)
		out[0] = '_';
}

char *mc_tenant_fill(const char *text, const char *tenant)
{
	char name[TENANT_SIZE], *filled = mc_alloc_copy("");
	const char *mark;

	clean(name, tenant);
	do {
		char *before = filled;

		mark = strstr(text, MARK);
		filled = mark != NULL ? mc_alloc_printf("%s%.*s%s", before, (int)(mark - text),
							text, name)
				      : mc_alloc_printf("%s%s", before, text);
		free(before);
		text = mark != NULL ? mark + strlen(MARK) : NULL;
	} while (text != NULL);
	return filled;
}
