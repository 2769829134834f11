/* SPDX-License-Identifier: MIT */
#include "kit/base/name_globs.h"

#include <fnmatch.h>
#include <stdio.h>

static size_t add(char *name, size_t at, char separator, const char *part)
{
	int size;

	if (part == NULL || part[0] == '\0' || at >= MC_NAME_GLOBS_SIZE)
		return at;
	size = at > 0 ? snprintf(name + at, MC_NAME_GLOBS_SIZE - at, "%c%s", separator, part)
		      : snprintf(name, MC_NAME_GLOBS_SIZE, "%s", part);
	return at + (size_t)size;
}

void mc_name_globs_name(const struct mc_id *id, const char *host, char name[MC_NAME_GLOBS_SIZE])
{
	size_t at;

	name[0] = '\0';
	at = add(name, 0, '/', id->host != NULL ? id->host : host);
	at = add(name, at, '/', id->plugin);
	at = add(name, at, '-', id->plugin_instance);
	at = add(name, at, '/', id->type);
	add(name, at, '-', id->type_instance);
}

bool mc_name_globs_match(const struct mc_strings *globs, const struct mc_id *id, const char *host)
{
	char name[MC_NAME_GLOBS_SIZE];

	mc_name_globs_name(id, host, name);
	for (size_t i = 0; i < globs->len; i++)
		if (fnmatch(globs->items[i], name, 0) == 0)
			return true;
	return false;
}
