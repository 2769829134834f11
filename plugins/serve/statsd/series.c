/* SPDX-License-Identifier: MIT */
#include "series.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

void series_done(struct series *series)
{
	for (size_t i = 0; i < series->room; i++) {
		mc_release(series->items[i].held);
		free(series->items[i].name);
	}
	free(series->items);
	*series = (struct series){ 0 };
}

void series_begin(struct series *series, const char *key)
{
	series->key = key;
	series->len = 0;
}

static struct series_item *add(struct series *series)
{
	if (series->len == series->room) {
		series->items =
			mc_alloc_resize(series->items, series->room + 1, sizeof(*series->items));
		series->items[series->room++] = (struct series_item){ 0 };
	}
	return &series->items[series->len++];
}

void series_add(struct series *series, const char *type, const char *suffix, double level)
{
	struct series_item *item = add(series);

	item->type = type;
	item->suffix = suffix;
	item->value.gauge = level;
}

void series_add_percentile(struct series *series, double percent, double level)
{
	struct series_item *item = add(series);

	if (item->name == NULL)
		item->name = mc_alloc_printf("-percentile-%.0f", percent);
	item->type = "latency";
	item->suffix = item->name;
	item->value.gauge = level;
}

void series_add_total(struct series *series, int64_t total)
{
	struct series_item *item = add(series);

	item->type = "derive";
	item->suffix = "";
	item->value.derive = total;
}

static struct mc_series *find(const struct series *series, const struct series_item *item,
			      struct mc_batch *batch)
{
	const char *tags = series->key + strlen(series->key) + 1;
	char *instance = mc_alloc_printf("%s%s", series->key, item->suffix);
	struct mc_series *found =
		mc_series(batch, MC_ID(.plugin_instance = tags, .type = item->type,
				       .type_instance = instance));

	free(instance);
	return found;
}

void series_put(struct series *series, struct mc_batch *batch)
{
	for (size_t i = 0; i < series->len; i++) {
		struct series_item *item = &series->items[i];

		if (item->held == NULL)
			item->held = mc_hold(find(series, item, batch));
		mc_put(batch, item->held, &item->value, 1);
	}
}
