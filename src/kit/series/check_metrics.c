/* SPDX-License-Identifier: MIT */
/* Facts: GraphiteWriter and InfluxdbWriter of Icinga 2.13: both values have the time of the result;
 * "state_type" is 0 while a bad state is soft. */
#include "kit/series/check_metrics.h"

#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/writer.h>

#include "kit/series/check_state.h"

struct check {                   /* One that is not good. */
	struct mc_lru_node node; /* By the name of its series up to the type. */
	mc_time time;            /* Of its last state. */
	const char *state;
	char name[];
};

static size_t key_size(const struct mc_series *series)
{
	const char *name = mc_name(series), *slash = strrchr(name, '/');

	return slash != NULL ? (size_t)(slash - name) : strlen(name);
}

static struct check *find(struct mc_check_metrics *metrics, const struct mc_series *series)
{
	return (struct check *)mc_lru_find(&metrics->checks, mc_name(series), key_size(series));
}

static void forget(struct mc_check_metrics *metrics, struct check *check)
{
	mc_lru_remove(&metrics->checks, &check->node);
	free(check);
}

static struct check *add(struct mc_check_metrics *metrics, const struct mc_series *series)
{
	size_t size = key_size(series);
	struct check *check = mc_alloc_zero(sizeof(*check) + size);

	mc_lru_make_room(&metrics->checks, MC_CHECK_METRICS_MAX);
	memcpy(check->name, mc_name(series), size);
	mc_lru_add(&metrics->checks, &check->node, check->name, size);
	return check;
}

static bool is_of_host(const struct mc_check_metric *metric)
{
	return metric->check == MC_NAME_CHECK_HOST || *mc_plugin_instance(metric->series) == '\0';
}

static const char *state_of(const struct mc_check_metric *metric)
{
	if (is_of_host(metric))
		return metric->value == 0 ? "UP" : "DOWN";
	if (metric->value == 0)
		return "OK";
	return metric->value == 1 ? "WARNING" : metric->value == 2 ? "CRITICAL" : "UNKNOWN";
}

static void stand(struct mc_ctx *ctx, const struct mc_check_metric *metric, const char *state)
{
	mc_check_state_stand(
		ctx, &(struct mc_check_state){
			     .host = mc_host(metric->series),
			     .plugin = mc_plugin(metric->series),
			     .service = mc_plugin_instance(metric->series),
			     .state = state,
			     .of_host = strcmp(state, "DOWN") == 0 || strcmp(state, "UP") == 0,
			     .since = metric->time,
		     });
}

/* A good one may end a state of before the start. */
static void take_state(struct mc_check_metrics *metrics, struct mc_ctx *ctx,
		       const struct mc_check_metric *metric)
{
	struct check *check = find(metrics, metric->series);

	if (check != NULL && metric->time < check->time)
		return;
	if (metric->value == 0) {
		if (check != NULL || metric->first)
			stand(ctx, metric, state_of(metric));
		if (check != NULL)
			forget(metrics, check);
		return;
	}
	if (check == NULL)
		check = add(metrics, metric->series);
	else
		mc_lru_use(&metrics->checks, &check->node);
	check->time = metric->time;
	check->state = state_of(metric);
}

void mc_check_metrics_take(struct mc_check_metrics *metrics, struct mc_ctx *ctx,
			   const struct mc_check_metric *metric)
{
	const struct check *check;

	if (metric->check != MC_NAME_CHECK_TYPE) {
		take_state(metrics, ctx, metric);
		return;
	}
	check = find(metrics, metric->series);
	if (check != NULL && check->time == metric->time && metric->value != 0)
		stand(ctx, metric, check->state);
}

void mc_check_metrics_done(struct mc_check_metrics *metrics)
{
	mc_lru_free(&metrics->checks);
}
