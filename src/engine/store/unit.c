/* SPDX-License-Identifier: MIT */
#include "engine/store/unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/lock.h>

#include "base/alloc.h"

/* Few types are in any unit, and few units are in use. */
#define UNITS_MAX 256

struct unit {
	const struct mc_type *of;
	struct mc_type *type;
	char *text;
};

struct units {
	pthread_mutex_t lock; /* Guards all below. */
	struct unit items[UNITS_MAX];
	unsigned len;
};

struct units *unit_new(void)
{
	struct units *units = alloc_zero(sizeof(*units));

	pthread_mutex_init(&units->lock, NULL);
	return units;
}

void unit_free(struct units *units)
{
	if (units == NULL)
		return;
	for (unsigned i = 0; i < units->len; i++) {
		free(units->items[i].type);
		free(units->items[i].text);
	}
	pthread_mutex_destroy(&units->lock);
	free(units);
}

static const struct mc_type *find(const struct units *units, const struct mc_type *type,
				  const char *unit) MC_REQUIRES(units->lock)
{
	for (unsigned i = 0; i < units->len; i++)
		if (units->items[i].of == type && strcmp(units->items[i].text, unit) == 0)
			return units->items[i].type;
	return NULL;
}

static const struct mc_type *add(struct units *units, const struct mc_type *type, const char *unit)
	MC_REQUIRES(units->lock)
{
	size_t size = sizeof(*type) + type->sources_len * sizeof(type->sources[0]);
	struct unit *item;

	if (units->len == UNITS_MAX)
		return type;
	item = &units->items[units->len++];
	item->of = type;
	item->text = alloc_copy(unit);
	item->type = alloc_zero(size);
	memcpy(item->type, type, size);
	item->type->unit = item->text;
	return item->type;
}

const struct mc_type *unit_type(struct units *units, const struct mc_type *type, const char *unit)
{
	const struct mc_type *found;

	if (unit == NULL || unit[0] == '\0' || type->unit == NULL ||
	    strcmp(type->unit, "any") != 0 || strcmp(unit, "any") == 0)
		return type;
	pthread_mutex_lock(&units->lock);
	found = find(units, type, unit);
	if (found == NULL)
		found = add(units, type, unit);
	pthread_mutex_unlock(&units->lock);
	return found;
}
