/* SPDX-License-Identifier: MIT */
/* An engine with judges, and writers that keep what they are given. */
#pragma once

#include "unit.h"

#include <collector/judge.h>
#include <collector/private/status.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "journal_fixture.h"
#include "lab.h"

#define TAKEN_MAX 100

/* What a writer was given, as "NAME VALUE" each. */
struct taken {
	char names[TAKEN_MAX][64];
	double values[TAKEN_MAX];
	_Atomic unsigned len;
	_Atomic int answer; /* Of write(). */
};

static struct {
	struct lab lab;
	struct instance *source;
	struct taken csv, rrd, ended;
	_Atomic unsigned derived;
	_Atomic unsigned admits, routes, samples_admitted, samples_routed;
	mc_time routed_at;
	_Atomic unsigned samples_again; /* Of those routed. */
	const char *drop;               /* A type instance. */
	const char *rename, *into;      /* The like. */
	const char *only;               /* The writer of "routed"; NULL: all. */
	bool nobody;                    /* Gets "routed". */
	bool reports;                   /* When any falls silent. */
	bool each;                      /* "each" is asked about one by one, ... */
	bool unrouted;                  /* ... but only before the store. */
	bool refuses;                   /* "each", if it is not dropped. */
	double most;                    /* Of "each", before the store and after it. */
	const char *copied_to;          /* Writer of copies of "each"; "": all. */
} all;

static inline bool is(const struct mc_series *series, const char *type_instance)
{
	return type_instance != NULL && strcmp(mc_type_instance(series), type_instance) == 0;
}

static inline void admit(struct mc_ctx *ctx, const struct mc_series *series,
			 struct mc_admission *admission)
{
	(void)ctx;
	all.admits++;
	if (is(series, all.drop))
		mc_admit_drop(admission);
	if (is(series, all.rename))
		assert_true(mc_admit_as(admission, MC_ID(.type_instance = all.into)));
	if (all.each && is(series, "each"))
		mc_admit_each(admission);
}

static inline void admit_samples(struct mc_ctx *ctx, struct mc_arrivals *arrivals)
{
	(void)ctx;
	for (size_t i = 0; i < arrivals->len; i++) {
		struct mc_sample *sample = arrivals->samples[i];

		if (sample->values[0].gauge < 0)
			mc_admit_sample_as(arrivals, i, MC_ID(.type_instance = "negative"));
		assert_true(is(sample->series, "each"));
		all.samples_admitted++;
		sample->values[0].gauge *= 2;
		if (!(sample->values[0].gauge <= all.most))
			mc_admit_drop_sample(arrivals, i);
		else if (all.refuses)
			mc_admit_refuse_sample(arrivals, i, "is not wanted");
	}
}

static inline void route(struct mc_ctx *ctx, const struct mc_series *series, struct mc_route *route)
{
	(void)ctx;
	all.routes++;
	if (all.reports)
		mc_route_report(route);
	if (is(series, "routed") && all.only != NULL)
		mc_route_to(route, all.only);
	if (is(series, "routed") && all.nobody)
		mc_route_none(route);
	if (all.each && !all.unrouted && is(series, "each"))
		mc_route_each(route);
}

/* As "copy", with a value that is a hundred more; nobody gets it as it is. */
static inline void copy(const struct mc_sample *sample, struct mc_route *route)
{
	struct mc_series *series =
		mc_route_series(route, MC_ID(.plugin = "other", .type_instance = "copy"));
	double value = sample->values[0].gauge + 100;
	union mc_value values[2] = { { .gauge = value }, { .gauge = value } };

	assert_non_null(series);
	mc_route_none(route);
	mc_route_copy(route, &(struct mc_copy){ .series = series,
						.values = values,
						.writers = all.copied_to[0] != '\0' ? &all.copied_to
										    : NULL,
						.writers_len = 1 });
}

static inline void route_sample(struct mc_ctx *ctx, const struct mc_sample *sample,
				struct mc_route *route)
{
	(void)ctx;
	assert_true(is(sample->series, "each"));
	all.samples_routed++;
	all.samples_again += mc_route_again(route);
	all.routed_at = mc_route_time(route);
	if (all.copied_to != NULL) {
		copy(sample, route);
		return;
	}
	if (mc_rate(sample, 0) > all.most / 2)
		mc_route_to(route, "csv");
}

static inline void explain(struct mc_ctx *ctx, const struct mc_series *series,
			   struct mc_answer *answer)
{
	mc_explain(answer, "%s is\n%s", mc_type_instance(series), ctx->name);
}

static inline void thresholds(struct mc_ctx *ctx, const struct mc_id *id, struct mc_answer *answer)
{
	(void)ctx;
	mc_explain(answer, "nobody has asked");
	mc_add_threshold(answer, &(struct mc_threshold){ .id = { .type = id->type },
							 .failure = { NAN, 10 } });
}

static inline void alerts(struct mc_ctx *ctx, struct mc_answer *answer)
{
	(void)ctx;
	mc_add_alert(answer, &(struct mc_alert){ .series = "lab/source/gauge-a",
						 .state = MC_STATE_FAILURE,
						 .reason = "for the test" });
}

static inline int take(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct taken *taken = strncmp(ctx->name, "csv", 3) == 0 ? &all.csv : &all.rrd;

	if (taken->answer < 0)
		return taken->answer;
	MC_FOR_EACH_SAMPLE (sample, batch) {
		unsigned n = taken->len;

		assert_true(n < TAKEN_MAX);
		snprintf(taken->names[n], sizeof(taken->names[n]), "%s",
			 mc_type_instance(sample->series));
		taken->values[n] = sample->values[0].gauge;
		taken->len = n + 1;
	}
	return 0;
}

static const struct mc_plugin judge_plugin = {
	.api = MC_API,
	.name = "judge",
	.judge = &(const struct mc_judge){ .admit = admit,
					   .admit_samples = admit_samples,
					   .route = route,
					   .route_sample = route_sample,
					   .explain = explain,
					   .thresholds = thresholds,
					   .alerts = alerts },
};
static const struct mc_plugin csv_plugin = {
	.api = MC_API,
	.name = "csv",
	.writer = &(const struct mc_writer){ .write = take },
};
static const struct mc_plugin rrd_plugin = {
	.api = MC_API,
	.name = "rrd",
	.writer = &(const struct mc_writer){ .write = take },
};
static const struct mc_plugin durable_plugin = {
	.api = MC_API,
	.name = "durable",
	.writer = &(const struct mc_writer){ .write = take, .durable = true },
	.wants_journal = true,
};
static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };

static inline void open_with(const struct journal_settings *journal)
{
	memset(&all, 0, sizeof(all));
	lab_open_with(&all.lab, 1 << 20, journal);
	all.source = engine_add(all.lab.engine, &source_plugin, "source");
}

static inline int open_lab(void **state)
{
	(void)state;
	open_with(NULL);
	return 0;
}

static inline int close_lab(void **state)
{
	(void)state;
	lab_close(&all.lab);
	return 0;
}

static inline void start(const struct mc_plugin *const *plugins)
{
	for (; *plugins != NULL; plugins++)
		engine_add(all.lab.engine, *plugins, (*plugins)->name);
	assert_int_equal(engine_start_idle(all.lab.engine), 0);
}

static inline void start_all(void)
{
	start((const struct mc_plugin *const[]){ &judge_plugin, &csv_plugin, &rrd_plugin, NULL });
}

static inline void drain(void)
{
	assert_true(engine_drain(all.lab.engine, LAB_LIMIT));
}

/* One batch with a gauge of each name, "a b c", all of the same value. */
static inline void put(const char *names, double value)
{
	struct mc_batch *batch = mc_begin(engine_ctx(all.source));
	char copy[256], *rest = NULL;

	clock_step(MC_SECOND);
	batch->time += MC_SECOND;
	snprintf(copy, sizeof(copy), "%s", names);
	for (char *name = strtok_r(copy, " ", &rest); name != NULL;
	     name = strtok_r(NULL, " ", &rest))
		mc_put_gauge(batch, value, .type = "gauge", .type_instance = name);
	mc_commit(batch);
	drain();
}

/* Asserts that a writer was given these since the last time, "a=1 b=1". */
static inline void assert_taken(struct taken *taken, const char *expected)
{
	char text[2048] = "";
	size_t size = 0;

	for (unsigned i = 0; i < taken->len; i++)
		size += (size_t)snprintf(text + size, sizeof(text) - size, "%s%s=%g",
					 i > 0 ? " " : "", taken->names[i], taken->values[i]);
	assert_string_equal(text, expected);
	taken->len = 0;
}

static inline struct mc_latest latest_of(const char *plugin, const char *type_instance)
{
	struct mc_reading *reading = mc_read_begin(engine_ctx(all.source));
	struct mc_latest latest = { 0 };
	struct mc_series *series;
	char name[64];
	int size = snprintf(name, sizeof(name), "lab/%s/gauge-%s", plugin, type_instance);

	series = mc_find(reading, name, (size_t)size);
	if (series != NULL)
		mc_latest(reading, series, &latest);
	mc_read_end(reading);
	return latest;
}

static inline struct mc_latest latest(const char *type_instance)
{
	return latest_of("source", type_instance);
}

struct sums {
	const char *name;
	struct mc_writer_status status;
};

static inline void keep_status(void *argument, const struct mc_writer_status *status)
{
	struct sums *sums = argument;

	if (strcmp(status->name, sums->name) == 0)
		sums->status = *status;
}

/* Asserts that the ledger of a writer closes on that many samples. */
static inline void assert_ledger(const char *writer, uint64_t delivered, uint64_t dropped_full)
{
	struct sums sums = { .name = writer };

	mc_each_writer(engine_ctx(all.source), keep_status, &sums);
	assert_int_equal(sums.status.delivered, delivered);
	assert_int_equal(sums.status.dropped_full, dropped_full);
	assert_int_equal(sums.status.accepted, delivered + dropped_full);
	assert_int_equal(sums.status.queued, 0);
}
