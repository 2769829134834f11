/* SPDX-License-Identifier: MIT */
/* A store and its catalogue, without a thread, under a stopped clock. */
#pragma once

#include "engine/catalogue/catalogue.h"

#include "unit.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/serve.h>
#include <collector/writer.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/store/metadata.h"
#include "engine/store/metric.h"
#include "engine/store/store.h"
#include "kinds.h"
#include "model/series.h"

#define WALL (INT64_C(1700000000) * MC_SECOND)

static struct {
	struct type_set *types;
	struct store *store;
	struct catalogue *catalogue;
	struct mc_ctx ctx;
	char folder[64], path[80];
	char log[1024];
	size_t limit;
} lab;

static void hear(void *argument, enum mc_level level, const char *line)
{
	size_t size = strlen(lab.log);

	(void)argument;
	(void)level;
	snprintf(lab.log + size, sizeof(lab.log) - size, "%s\n", line);
}

/* A collector begins. */
static inline void begin_with(size_t notes_bytes)
{
	struct store_settings settings = { .limit = 100000,
					   .timeout = 2,
					   .notes_bytes = notes_bytes };

	lab.store = store_new(&settings);
	lab.catalogue = catalogue_new(lab.path, lab.limit, lab.store, &lab.ctx);
	catalogue_load(lab.catalogue);
}

static void begin(void)
{
	begin_with(1 << 20);
}

/* It is killed: nothing is written any more. */
static void end(void)
{
	catalogue_free(lab.catalogue);
	store_free(lab.store);
}

static int open_lab(void **state)
{
	(void)state;
	snprintf(lab.folder, sizeof(lab.folder), "/tmp/test_catalogue.XXXXXX");
	assert_non_null(mkdtemp(lab.folder));
	snprintf(lab.path, sizeof(lab.path), "%s/catalogue", lab.folder);
	lab.log[0] = '\0';
	lab.limit = 1000;
	lab.types = kinds_new();
	lab.ctx = (struct mc_ctx){ .name = "test", .interval = 10 * MC_SECOND };
	clock_stop(100 * MC_SECOND, WALL);
	log_to_stderr(-1);
	log_add_target(hear, &lab);
	begin();
	return 0;
}

static int close_lab(void **state)
{
	char command[128];

	(void)state;
	end();
	log_remove_target(&lab);
	type_set_free(lab.types);
	snprintf(command, sizeof(command), "rm -r %s", lab.folder);
	return system(command) == 0 ? 0 : -1;
}

static void put_with(const char *host, const struct mc_metric *metric)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	struct mc_id id = { host, "p", NULL, "gauge", NULL };
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;
	struct mc_series *series = NULL;

	assert_true(series_join(&id, name, &parts));
	store_make(lab.store, &parts, kind(lab.types, "gauge"), NULL, &series);
	if (metric != NULL && (metric_set(series, metric, NULL) & METADATA_CHANGED) != 0)
		store_note_metric(series);
	mc_gauge(batch, series, 1);
	store_apply(lab.store, batch);
	store_release(lab.store, batch);
}

static inline void put(const char *host)
{
	put_with(host, NULL);
}

static void ignore(void *argument, struct mc_series *series, mc_time silent)
{
	(void)argument;
	(void)series;
	(void)silent;
}

static void sweep(void)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);

	store_sweep(lab.store, batch, ignore, NULL);
	store_release(lab.store, batch);
}

/* What does not send for so long has ended. */
static void pass(int seconds)
{
	clock_step(seconds * MC_SECOND);
	sweep();
	catalogue_flush(lab.catalogue);
}

/* "a 0-10 b 0-10 ": hosts, and the times of their first and last value. */
static bool print(void *argument, const struct mc_ended *ended)
{
	char *text = argument;
	size_t size = strlen(text);

	snprintf(text + size, 256 - size, "%.*s %d-%d ", (int)strcspn(ended->name, "/"),
		 ended->name, (int)((ended->first - WALL) / MC_SECOND),
		 (int)((ended->last - WALL) / MC_SECOND));
	return true;
}

static const char *ended(void)
{
	static char text[256];

	text[0] = '\0';
	catalogue_each(lab.catalogue, NULL, print, text);
	return text;
}
