/* SPDX-License-Identifier: MIT */
#include "series.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/metadata.h>

#include "kit/series/sent_metric.h"

void series_done(struct series *series)
{
	for (size_t i = 0; i < series->room; i++) {
		mc_release(series->items[i].held);
		free(series->items[i].name);
	}
	free(series->items);
	*series = (struct series){ 0 };
}

void series_begin(struct series *series, const char *key, const char *sent_name,
		  const char *sent_tags)
{
	series->key = key;
	series->sent_name = sent_name;
	series->sent_tags = sent_tags;
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

/* The names of a metric's other series begin with its own: "page.average". */
static void describe(const struct series *series, const struct series_item *item,
		     struct mc_batch *batch)
{
	bool counts = strcmp(item->type, "count") == 0; /* It would have the name of the total. */
	const char *own = series->sent_name != NULL ? series->sent_name : series->key;
	char *name = mc_alloc_printf("%s%s%s", own, counts ? ".count" : "", item->suffix);
	char *tags = series->sent_tags != NULL ? mc_alloc_copy(series->sent_tags) : NULL;
	struct mc_sent_metric sent = { .name = name, .of_host = true };

	for (char *at = name + strlen(own); *at != '\0'; at++)
		if (*at == '-')
			*at = '.';
	mc_sent_metric_add_tags(&sent, tags, ",:");
	mc_sent_metric_set(batch, item->held, &sent);
	free(tags);
	free(name);
}

/* Latencies of others are in milliseconds. */
static void set_unit(const struct series_item *item, struct mc_batch *batch)
{
	static const struct mc_metadata seconds = {
		.unit = "seconds",
		.warning = { NAN, NAN },
		.failure = { NAN, NAN },
	};

	if (strcmp(item->type, "latency") == 0 && item->held != NULL)
		mc_set_metadata(batch, item->held, 0, &seconds);
}

static void make(const struct series *series, struct series_item *item, struct mc_batch *batch)
{
	item->held = mc_hold(find(series, item, batch));
	set_unit(item, batch);
	if (series->sent_name != NULL || series->sent_tags != NULL)
		describe(series, item, batch);
}

void series_put(struct series *series, struct mc_batch *batch)
{
	for (size_t i = 0; i < series->len; i++) {
		struct series_item *item = &series->items[i];

		if (item->held == NULL)
			make(series, item, batch);
		mc_put(batch, item->held, &item->value, 1);
	}
}
