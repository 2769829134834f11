/* SPDX-License-Identifier: MIT */
#include "overrides.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

const char *overrides_fault(const struct mc_strings *pairs, size_t *at)
{
	for (*at = 0; *at < pairs->len; *at += 2) {
		const char *path = pairs->items[*at], *dot = strrchr(path, '.');

		if (dot == NULL || dot == path || dot[1] == '\0')
			return "is no SERVICE.KEY or SERVICE.FIELD.KEY";
		if (*at + 1 == pairs->len)
			return "has no text after it";
	}
	return NULL;
}

/* Divides a path.  Settings of a graph have no field: "a.b" is then a service by itself. */
static struct mc_munin_override divide(char *path, const char *text)
{
	char *key = strrchr(path, '.'), *field;
	struct mc_munin_override made = { .service = path, .key = key + 1, .text = text };

	*key = '\0';
	field = strrchr(path, '.');
	if (field == NULL || mc_attribute_is_of_graph(made.key))
		return made;
	*field = '\0';
	mc_munin_clean(field + 1, true);
	made.field = field + 1;
	return made;
}

void overrides_init(struct overrides *overrides, const struct mc_strings *pairs)
{
	size_t size = 1;
	char *text;

	for (size_t i = 0; i < pairs->len; i += 2)
		size += strlen(pairs->items[i]) + 1;
	overrides->texts = text = mc_alloc(size);
	overrides->len = pairs->len / 2;
	overrides->items = mc_alloc_array(overrides->len + 1, sizeof(*overrides->items));
	for (size_t i = 0; i < overrides->len; i++) {
		size = strlen(pairs->items[2 * i]) + 1;
		memcpy(text, pairs->items[2 * i], size);
		overrides->items[i] = divide(text, pairs->items[2 * i + 1]);
		text += size;
	}
}

void overrides_done(struct overrides *overrides)
{
	free(overrides->items);
	free(overrides->texts);
	*overrides = (struct overrides){ 0 };
}
