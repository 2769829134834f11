/* SPDX-License-Identifier: MIT */
/* Names of instances, each kept once. */
#include "engine/change/names.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

struct name {
	struct name *next;
	char text[];
};

const char *names_keep(struct names *names, const char *text)
{
	size_t size = strlen(text) + 1;
	struct name *name;

	for (name = names->first; name != NULL; name = name->next)
		if (strcmp(name->text, text) == 0)
			return name->text;
	name = alloc_zero(sizeof(*name) + size);
	memcpy(name->text, text, size);
	name->next = names->first;
	names->first = name;
	return name->text;
}

void names_done(struct names *names)
{
	struct name *next;

	for (struct name *name = names->first; name != NULL; name = next) {
		next = name->next;
		free(name);
	}
}
