/* SPDX-License-Identifier: MIT */
#include "interface_names.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/map.h>

/* An index that is also the name of another interface has this in front: such a
 * name is never taken from a device. */
#define PREFIX "ifIndex-"

struct use { /* Of a name. */
	struct mc_map_node node;
	size_t names;      /* Interfaces that have it as ifName, */
	size_t interfaces; /* or as ifName or ifDescr. */
};

struct keys { /* As series have the names; NULL: it cannot be called so. */
	char *name, *description;
};

/* In a series a leading '/' is dropped, and another one is '_'. */
static char *key_of(const char *text)
{
	char *key;

	text += *text == '/';
	if (*text == '\0' || strncmp(text, PREFIX, strlen(PREFIX)) == 0)
		return NULL;
	key = mc_alloc_copy(text);
	for (char *at = strchr(key, '/'); at != NULL; at = strchr(at, '/'))
		*at = '_';
	return key;
}

static struct use *find(const struct mc_map *uses, const char *key)
{
	return (struct use *)mc_map_find(uses, key, strlen(key));
}

static struct use *find_or_add(struct mc_map *uses, const char *key)
{
	struct use *use = find(uses, key);

	if (use == NULL) {
		use = mc_alloc_zero(sizeof(*use));
		use->node.key = key;
		use->node.key_size = strlen(key);
		mc_map_add(uses, &use->node);
	}
	return use;
}

static void count(struct mc_map *uses, const struct keys *keys)
{
	const char *name = keys->name, *description = keys->description;

	if (name != NULL) {
		struct use *use = find_or_add(uses, name);

		use->names++;
		use->interfaces++;
	}
	if (description != NULL && (name == NULL || strcmp(description, name) != 0))
		find_or_add(uses, description)->interfaces++;
}

/* An ifName comes first; other names must be those of one interface alone. */
static struct interface_choice choose(const struct mc_map *uses,
				      const struct interface_names *interface,
				      const struct keys *keys)
{
	const char *wanted = interface->name[0] != '\0' ? interface->name : interface->description;
	struct interface_choice choice = { "", interface->index, false };

	if (keys->name != NULL && find(uses, keys->name)->names == 1)
		choice.name = interface->name;
	else if (keys->description != NULL && find(uses, keys->description)->interfaces == 1)
		choice.name = interface->description;
	else if (find(uses, interface->index) != NULL)
		choice.prefix = PREFIX;
	choice.shared = wanted[0] != '\0' && choice.name != wanted;
	return choice;
}

static void free_uses(struct mc_map *uses)
{
	struct mc_map_node *node;

	while ((node = mc_map_next(uses, NULL)) != NULL) {
		mc_map_remove(uses, node);
		free(node);
	}
	mc_map_done(uses);
}

void interface_names_choose(const struct interface_names *interfaces, size_t len,
			    struct interface_choice *out)
{
	struct keys *keys = mc_alloc_array(len, sizeof(*keys));
	struct mc_map uses = { 0 };

	for (size_t i = 0; i < len; i++) {
		keys[i].name = key_of(interfaces[i].name);
		keys[i].description = key_of(interfaces[i].description);
		count(&uses, &keys[i]);
	}
	for (size_t i = 0; i < len; i++)
		out[i] = choose(&uses, &interfaces[i], &keys[i]);
	free_uses(&uses);
	for (size_t i = 0; i < len; i++) {
		free(keys[i].name);
		free(keys[i].description);
	}
	free(keys);
}
