/* SPDX-License-Identifier: MIT */
/* Scrapes of an engine without threads, whose series the test puts into a batch. */
#pragma once

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <collector/metric.h>
#include <collector/serve.h>

#include "lab.h"
#include "scrape.h"

static const struct mc_plugin source_plugin = { .api = MC_API, .name = "shop" };
static struct {
	struct lab lab;
	struct mc_ctx *ctx;
	struct mc_batch *batch;
	char *text; /* Of the last scrape. */
} all;

static int open_lab(void **state)
{
	(void)state;
	lab_open(&all.lab, 1 << 20);
	all.ctx = engine_ctx(engine_add(all.lab.engine, &source_plugin, "shop"));
	if (engine_start_idle(all.lab.engine) != 0)
		return -1;
	all.batch = mc_begin(all.ctx);
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	if (all.batch != NULL)
		mc_discard(all.batch);
	free(all.text);
	all.text = NULL;
	lab_close(&all.lab);
	return 0;
}

/* Adds a value; 'metric' is its sender's, or NULL. */
static void put(const char *instance, const char *type, double value,
		const struct mc_metric *metric)
{
	struct mc_series *series =
		mc_series(all.batch, MC_ID(.type = type, .type_instance = instance));
	union mc_value number = { .gauge = value };

	assert_non_null(series);
	if (strcmp(type, "gauge") != 0)
		number.derive = (int64_t)value;
	if (metric != NULL)
		mc_set_metric(all.batch, series, metric);
	mc_put(all.batch, series, &number, 1);
}

/* Commits the batch; the text is good until the next scrape. */
static const char *scraped_with(const struct scrape_options *options)
{
	struct exposition_text text = { 0 };

	if (all.batch != NULL)
		mc_commit(all.batch);
	all.batch = NULL;
	scrape(all.ctx, options, &text);
	exposition_add(&text, "", 1);
	free(all.text);
	all.text = text.at;
	return text.at;
}
