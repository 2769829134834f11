/* SPDX-License-Identifier: MIT */
/* Identifiers of the plain text protocol: "host/plugin-instance/type-instance",
 * taken apart as collectd 5.12 does. */
#include <string.h>

#include "formats/plaintext/plain_word.h"
#include "formats/plaintext/plaintext_part.h"

/* Splits "name-instance"; returns the size of the name, and that of the instance with its '-'. */
static size_t split_part(const char *part, size_t size, size_t *instance_size)
{
	const char *dash = memchr(part, '-', size);
	size_t name_size = dash == NULL ? size : (size_t)(dash - part);

	*instance_size = size - name_size;
	return name_size;
}

enum plaintext_split plaintext_split(char *identifier, size_t size, struct mc_name_parts *parts)
{
	char *end = identifier + size, *plugin, *type, *slash;
	size_t host_size, plugin_size, plugin_rest, type_size, type_rest;

	slash = memchr(identifier, '/', size);
	if (slash == NULL || slash == identifier)
		return PLAINTEXT_SPLIT_BAD;
	host_size = slash - identifier;
	plugin = slash + 1;
	slash = memchr(plugin, '/', end - plugin);
	if (slash == NULL)
		return PLAINTEXT_SPLIT_BAD;
	type = slash + 1;
	plugin_size = split_part(plugin, slash - plugin, &plugin_rest);
	type_size = split_part(type, end - type, &type_rest);
	if (plugin_size == 0)
		return PLAINTEXT_SPLIT_BAD;
	if (host_size > PLAINTEXT_PART_MAX || plugin_size > PLAINTEXT_PART_MAX ||
	    plugin_rest > PLAINTEXT_PART_MAX + 1 || type_size > PLAINTEXT_PART_MAX ||
	    type_rest > PLAINTEXT_PART_MAX + 1)
		return PLAINTEXT_SPLIT_LONG;

	if (type_rest == 1) {
		type_rest = 0;
		type[type_size] = '\0';
	}
	for (char *c = type + type_size;
	     type_rest > 0 && (c = memchr(c, '/', type + type_size + type_rest - c)) != NULL;)
		*c = '_';
	if (plugin_rest == 1) {
		plugin_rest = 0;
		memmove(slash - 1, slash, type + type_size + type_rest + 1 - slash);
	}
	*parts = (struct mc_name_parts){
		.name = identifier,
		.host_size = host_size,
		.plugin_size = plugin_size,
		.plugin_instance_size = plugin_rest - (plugin_rest > 0),
		.type_size = type_size,
		.type_instance_size = type_rest - (type_rest > 0),
	};
	return PLAINTEXT_SPLIT_GOOD;
}

bool plaintext_split_word(struct mc_plain *request, const struct plain_word *word)
{
	switch (plaintext_split(word->text, word->size, &request->name)) {
	case PLAINTEXT_SPLIT_GOOD:
		return true;
	case PLAINTEXT_SPLIT_LONG:
		return plaintext_fail(request, "Identifier too long.");
	case PLAINTEXT_SPLIT_BAD:
		break;
	}
	return plaintext_fail(request, "Cannot parse identifier `%s'.", word->text);
}
