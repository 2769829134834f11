/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <collector/kit/alloc.h>

#include <stdlib.h>
#include <string.h>

#define NAME_MAX_SIZE 127     /* As long as a part of a name is in collectd. */
#define INSTANCE_MAX_SIZE 600 /* A family, a table and a chain. */
#define KEY_SIZE (INSTANCE_MAX_SIZE + NAME_MAX_SIZE + 4)

struct counter {
	struct mc_map_node node;
	uint64_t pass;                      /* That has met it last; 0: it is to be forgotten. */
	const struct counters_place *place; /* That has met it. */
	uint64_t bytes, packets;
	struct mc_series *series[2];          /* Of both; NULL: not asked for yet. */
	const char *plugin, *instance, *name; /* Of the key. */
	char key[];
};

/* The first letters of the names of plugins differ, but for the '6' of "ip6tables". */
static size_t make_key(char key[KEY_SIZE], const struct counters_place *place,
		       struct rule_text name)
{
	size_t size = strnlen(place->instance, INSTANCE_MAX_SIZE);

	key[0] = place->plugin[0];
	key[1] = place->plugin[2];
	memcpy(key + 2, place->instance, size);
	key[2 + size] = '\0';
	memcpy(key + size + 3, name.text, name.size);
	key[size + 3 + name.size] = '\0';
	return size + 3 + name.size;
}

void counters_begin(struct counters *counters)
{
	counters->first = ++counters->pass;
	counters->is_full = false;
}

void counters_next_pass(struct counters *counters)
{
	counters->pass++;
}

static struct counter *make(struct counters *counters, const struct counters_place *place,
			    const char *key, size_t size)
{
	struct counter *counter = mc_alloc_zero(sizeof(*counter) + size + 1);

	memcpy(counter->key, key, size + 1);
	counter->node.key = counter->key;
	counter->node.key_size = size;
	counter->plugin = place->plugin;
	counter->instance = counter->key + 2;
	counter->name = counter->instance + strlen(counter->instance) + 1;
	mc_map_add(&counters->map, &counter->node);
	MC_ARRAY_GROW(counters->items, counters->len, counters->size);
	counters->items[counters->len++] = counter;
	return counter;
}

void counters_add(struct counters *counters, const struct counters_place *place,
		  struct rule_text name, const struct rule *counted)
{
	char key[KEY_SIZE];
	struct counter *counter;
	size_t size;

	if (name.size > NAME_MAX_SIZE)
		name.size = NAME_MAX_SIZE;
	size = make_key(key, place, name);
	counter = (struct counter *)mc_map_find(&counters->map, key, size);
	if (counter == NULL && counters->len >= COUNTERS_MAX) {
		counters->is_full = true;
		return;
	}
	if (counter == NULL)
		counter = make(counters, place, key, size);
	if (counter->pass < counters->first) {
		counter->pass = counters->pass;
		counter->place = place;
		counter->bytes = counter->packets = 0;
	} else if (counter->place != place) {
		return;
	}
	counter->bytes += counted->bytes;
	counter->packets += counted->packets;
}

void counters_drop_pass(struct counters *counters)
{
	for (size_t i = 0; i < counters->len; i++)
		if (counters->items[i]->pass == counters->pass)
			counters->items[i]->pass = 0;
}

static void forget(struct counters *counters, struct counter *counter)
{
	mc_map_remove(&counters->map, &counter->node);
	mc_release(counter->series[0]);
	mc_release(counter->series[1]);
	free(counter);
}

static void put(struct mc_batch *out, struct counter *counter)
{
	static const char *const types[] = { "ipt_bytes", "ipt_packets" };
	const uint64_t totals[] = { counter->bytes, counter->packets };

	for (unsigned i = 0; i < 2; i++) {
		if (counter->series[i] == NULL)
			counter->series[i] = mc_hold(mc_series(
				out, MC_ID(.plugin = counter->plugin,
					   .plugin_instance = counter->instance, .type = types[i],
					   .type_instance =
						   *counter->name != '\0' ? counter->name : NULL)));
		mc_derive(out, counter->series[i], (int64_t)totals[i]);
	}
}

void counters_put(struct counters *counters, struct mc_batch *out)
{
	size_t kept = 0;

	for (size_t i = 0; i < counters->len; i++) {
		struct counter *counter = counters->items[i];

		if (counter->pass < counters->first) {
			forget(counters, counter);
			continue;
		}
		put(out, counter);
		counters->items[kept++] = counter;
	}
	counters->len = kept;
}

void counters_done(struct counters *counters)
{
	for (size_t i = 0; i < counters->len; i++)
		forget(counters, counters->items[i]);
	mc_map_done(&counters->map);
	free(counters->items);
	*counters = (struct counters){ 0 };
}
