/* SPDX-License-Identifier: MIT */
#include "kit/base/name_globs.h"

#include <fnmatch.h>
#include <stdio.h>

#define NAME_SIZE 1024 /* Five parts. */

static size_t add(char *name, size_t at, char separator, const char *part)
{
	int size;

	if (part == NULL || part[0] == '\0' || at >= NAME_SIZE)
		return at;
	size = at > 0 ? snprintf(name + at, NAME_SIZE - at, "%c%s", separator, part)
		      : snprintf(name, NAME_SIZE, "%s", part);
	return at + (size_t)size;
}

bool mc_name_globs_match(const struct mc_strings *globs, const struct mc_id *id, const char *host)
{
	char name[NAME_SIZE] = "";
	size_t at = add(name, 0, '/', id->host != NULL ? id->host : host);

	at = add(name, at, '/', id->plugin);
	at = add(name, at, '-', id->plugin_instance);
	at = add(name, at, '/', id->type);
	add(name, at, '-', id->type_instance);
	for (size_t i = 0; i < globs->len; i++)
		if (fnmatch(globs->items[i], name, 0) == 0)
			return true;
	return false;
}
