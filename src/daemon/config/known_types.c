/* SPDX-License-Identifier: MIT */
/* The types that the collector knows. */
#include "daemon/config/known_types.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/slow_file.h"
#include "daemon/config/own_types.h"
#include "daemon/config/settings.h"
#include "engine/change/plugin.h"
#include "model/types_db.h"

/* One of the collector's own stays, unless both are the same. */
static void add_brought(struct type_set *set, const struct wanted *wanted,
			const struct mc_type *type, struct problems *problems)
{
	const struct mc_type *known = type_set_find(set, type->name, strlen(type->name));

	if (known == NULL)
		type_set_add(set, type, wanted->place);
	else if (!type_same_sources(known, type))
		problem_warn(problems, wanted->place,
			     "%s: its type '%s' has other sources than the one "
			     "that is known: it is ignored",
			     wanted->name, type->name);
}

/* instances_add() reports load errors. */
static void add_plugins_types(struct type_set *set, const struct known_types_source *source,
			      struct problems *problems)
{
	for (size_t i = 0; i < source->configure->len; i++) {
		const struct wanted *wanted = &source->configure->items[i];
		const struct mc_plugin *plugin =
			wanted->load ? plugin_dir_load(source->directories, wanted->plugin) : NULL;

		if (plugin == NULL)
			continue;
		for (size_t j = 0; plugin->new_types != NULL && plugin->new_types[j] != NULL; j++)
			add_brought(set, wanted, plugin->new_types[j], problems);
	}
}

static void add_files_types(struct type_set *set, const struct known_types_source *source,
			    const char *path, struct problems *problems)
{
	struct place place = settings_place(source->root, "TypesDB", path);
	int rc = slow_file_try(source->calls, path, NULL);

	if (rc == -ENOENT)
		problem_warn(problems, place, "there is no TypesDB '%s': its types are missing",
			     path);
	else if (slow_file_hangs(rc))
		problem_error(problems, place, "cannot read the TypesDB '%s': %s", path,
			      slow_file_reason(rc));
	else
		types_db_read(set, path, problems);
}

struct type_set *known_types_load(const struct known_types_source *source,
				  struct problems *problems)
{
	const struct mc_strings *files = source->files;
	struct type_set *set = own_types_new();

	add_plugins_types(set, source, problems);
	for (size_t i = 0; i < files->len; i++)
		add_files_types(set, source, files->items[i], problems);
	return set;
}

const struct type_set *known_types_now(const struct known_types *known)
{
	return known->len > 0 ? known->sets[known->len - 1] : NULL;
}

static void push(struct known_types *known, struct type_set *set)
{
	known->sets = alloc_resize(known->sets, known->len + 1, sizeof(struct type_set *));
	known->sets[known->len++] = set;
}

/* --- Growing ---------------------------------------------------------- */

static bool same_bound(double a, double b)
{
	return a == b || (isnan(a) && isnan(b));
}

static bool same(const struct mc_type *a, const struct mc_type *b)
{
	if (!type_same_sources(a, b) || strcmp(a->unit, b->unit) != 0)
		return false;
	for (unsigned i = 0; i < a->sources_len; i++)
		if (!same_bound(a->sources[i].min, b->sources[i].min) ||
		    !same_bound(a->sources[i].max, b->sources[i].max))
			return false;
	return true;
}

struct growth {
	const struct type_set *old, *read;
	struct type_set *all; /* NULL: nothing is new so far. */
	struct problems *problems;
};

static void copy(void *argument, const struct mc_type *type)
{
	struct growth *growth = argument;

	type_set_add(growth->all, type, type_set_origin(growth->old, type).place);
}

static void compare(void *argument, const struct mc_type *type)
{
	struct growth *growth = argument;
	struct place place = type_set_origin(growth->read, type).place;
	const struct mc_type *old = type_set_find(growth->old, type->name, strlen(type->name));

	if (old != NULL && !same(old, type))
		problem_warn(growth->problems, place,
			     "the type '%s' has changed: that needs a restart", type->name);
	if (old != NULL)
		return;
	if (growth->all == NULL) {
		growth->all = type_set_new();
		type_set_each(growth->old, copy, growth);
	}
	type_set_add(growth->all, type, place);
}

void known_types_take(struct known_types *known, struct type_set *read, struct problems *problems)
{
	struct growth growth = { .old = known_types_now(known),
				 .read = read,
				 .problems = problems };

	if (growth.old == NULL) {
		push(known, read);
		return;
	}
	type_set_each(read, compare, &growth);
	if (growth.all != NULL)
		push(known, growth.all);
	type_set_free(read);
}

void known_types_done(struct known_types *known)
{
	for (size_t i = 0; i < known->len; i++)
		type_set_free(known->sets[i]);
	free(known->sets);
	*known = (struct known_types){ 0 };
}
