/* SPDX-License-Identifier: MIT */
/* Names of series and what is known about them. */
#include "name.h"

#include <collector/kit/alloc.h>
#include <collector/writer.h>

#include <string.h>

#include "subject.h"

static size_t parts_size(const struct mc_id *id)
{
	return strlen(id->host) + strlen(id->plugin) + strlen(id->plugin_instance) +
	       strlen(id->type) + strlen(id->type_instance) + 5;
}

/* Copies a part to '*at', which is moved past it. */
static const char *keep(const char *part, char **at)
{
	size_t size = strnlen(part, NAME_PART_SIZE - 1);
	char *copy = *at;

	memcpy(copy, part, size);
	copy[size] = '\0';
	*at += size + 1;
	return copy;
}

static struct name *make(const struct mc_id *id, const struct mc_type *type, unsigned verdicts_len)
{
	struct name *name = mc_alloc_zero(sizeof(*name) + verdicts_len + parts_size(id));
	char *at = (char *)(name + 1);

	name->root = name;
	name->type = type;
	name->verdicts = (_Atomic uint8_t *)at;
	at += verdicts_len;
	name->id.host = keep(id->host, &at);
	name->id.plugin = keep(id->plugin, &at);
	name->id.plugin_instance = keep(id->plugin_instance, &at);
	name->id.type = keep(id->type, &at);
	name->id.type_instance = keep(id->type_instance, &at);
	return name;
}

struct name *name_of(const struct mc_series *series, unsigned verdicts_len)
{
	const struct mc_type *type = mc_type(series);
	struct mc_id id = {
		.host = mc_host(series),
		.plugin = mc_plugin(series),
		.plugin_instance = mc_plugin_instance(series),
		.type = type->name,
		.type_instance = mc_type_instance(series),
	};

	return make(&id, type, verdicts_len);
}

/* --- Series -------------------------------------------------------------- */

static void unlink_held(struct name *name) MC_NO_LOCK /* The caller's. */
{
	struct shared *shared = name->shared;

	if (name->next_held != NULL)
		name->next_held->prev_held = name->prev_held;
	if (name->prev_held != NULL)
		name->prev_held->next_held = name->next_held;
	else
		shared->held = name->next_held;
}

struct mc_series *name_keep(struct name *name, struct shared *shared, struct mc_series *series)
{
	struct mc_series *kept;

	pthread_mutex_lock(&shared->lock);
	kept = name->series;
	if (kept == NULL) {
		name->series = kept = mc_hold(series);
		name->shared = shared;
		name->prev_held = NULL;
		name->next_held = shared->held;
		if (name->next_held != NULL)
			name->next_held->prev_held = name;
		shared->held = name;
	}
	pthread_mutex_unlock(&shared->lock);
	return kept;
}

static void release(struct name *name)
{
	struct shared *shared = name->shared;

	if (name->series == NULL)
		return;
	pthread_mutex_lock(&shared->lock);
	unlink_held(name);
	mc_release(name->series);
	pthread_mutex_unlock(&shared->lock);
}

void name_release_all(struct shared *shared)
{
	pthread_mutex_lock(&shared->lock);
	for (struct name *name = shared->held; name != NULL; name = name->next_held) {
		mc_release(name->series);
		name->series = NULL;
	}
	shared->held = NULL;
	pthread_mutex_unlock(&shared->lock);
}

/* --- The rest ------------------------------------------------------------- */

void name_free(struct name *root)
{
	struct name *next;

	if (root == NULL)
		return;
	for (struct name *name = root->derived; name != NULL; name = next) {
		next = name->next;
		release(name);
		free(name);
	}
	free(root->values);
	free(root);
}

struct name *name_find(const struct name *name, const void *maker)
{
	struct name *found = name->root->derived;

	while (found != NULL && (found->parent != name || found->maker != maker))
		found = found->next;
	return found;
}

/* Two threads may make the same one at a time: both are right. */
struct name *name_derive(struct name *name, const void *maker, const struct mc_id *id,
			 unsigned verdicts_len)
{
	struct name *root = name->root, *made;

	if (atomic_fetch_add(&root->derived_len, 1) >= NAME_DERIVED_MAX) {
		atomic_fetch_sub(&root->derived_len, 1);
		return NULL;
	}
	made = make(id, name->type, verdicts_len);
	made->root = root;
	made->parent = name;
	made->maker = maker;
	made->next = atomic_load(&root->derived);
	while (!atomic_compare_exchange_weak(&root->derived, &made->next, made))
		;
	return made;
}

bool name_equal(const struct name *a, const struct name *b)
{
	return a == b ||
	       (strcmp(a->id.host, b->id.host) == 0 && strcmp(a->id.plugin, b->id.plugin) == 0 &&
		strcmp(a->id.plugin_instance, b->id.plugin_instance) == 0 &&
		strcmp(a->id.type_instance, b->id.type_instance) == 0);
}
