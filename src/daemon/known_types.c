/* SPDX-License-Identifier: MIT */
/* The types that the collector knows. */
#include "daemon/known_types.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "daemon/own_types.h"
#include "daemon/settings.h"
#include "model/types_db.h"

struct type_set *known_types_load(const struct mc_strings *files,
				  const struct conf_node *root,
				  struct problems *problems)
{
	struct type_set *set = own_types_new();

	for (size_t i = 0; i < files->len; i++) {
		const char *path = files->items[i];

		if (access(path, F_OK) != 0 && errno == ENOENT)
			problem_warn(problems,
				     settings_place(root, "TypesDB", path),
				     "there is no TypesDB '%s', it goes "
				     "without its types",
				     path);
		else
			types_db_read(set, path, problems);
	}
	return set;
}

const struct type_set *known_types_now(const struct known_types *known)
{
	return known->len > 0 ? known->sets[known->len - 1] : NULL;
}

static void push(struct known_types *known, struct type_set *set)
{
	known->sets = alloc_resize(known->sets, known->len + 1,
				   sizeof(struct type_set *));
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

	type_set_add(growth->all, type,
		     type_set_origin(growth->old, type).place);
}

static void compare(void *argument, const struct mc_type *type)
{
	struct growth *growth = argument;
	struct place place = type_set_origin(growth->read, type).place;
	const struct mc_type *old =
		type_set_find(growth->old, type->name, strlen(type->name));

	if (old != NULL && !same(old, type))
		problem_warn(growth->problems, place,
			     "the type '%s' has changed: that needs a restart",
			     type->name);
	if (old != NULL)
		return;
	if (growth->all == NULL) {
		growth->all = type_set_new();
		type_set_each(growth->old, copy, growth);
	}
	type_set_add(growth->all, type, place);
}

void known_types_take(struct known_types *known, struct type_set *read,
		      struct problems *problems)
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
