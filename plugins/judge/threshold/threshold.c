/* SPDX-License-Identifier: MIT */
/* threshold - compares values with bounds, and reports when a series leaves OKAY, and when it
 * recovers.  Facts: collectd.conf(5), "THRESHOLD CONFIGURATION", and collectd 5.12 as it runs
 * (tests/scenario/threshold_like_collectd).
 *
 * Which rules a series has is found once, and kept in its slot; a series
 * without rules costs a test. */
#include "threshold.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#define SAVE_EVERY MC_SECOND

static const struct mc_option threshold_options[] = {
	OPTIONS_TABLE(struct threshold, options),
	{ 0 },
};

/* --- Life ---------------------------------------------------------------- */

static const char *pattern_fault(const struct rule *rule, const void **option, char *reason,
				 size_t size)
{
	const char *const *patterns[] = { &rule->host, &rule->plugin, &rule->plugin_instance,
					  &rule->type, &rule->type_instance };

	for (size_t i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++) {
		const char *fault = finder_fault(*patterns[i], reason, size);

		*option = patterns[i];
		if (fault != NULL)
			return fault;
	}
	return NULL;
}

static const char *fault_of(const struct rule *rule, bool pattern, const void **option,
			    char reason[160])
{
	const char *fault = rule_fault(rule, option);

	if (fault == NULL && pattern)
		fault = pattern_fault(rule, option, reason, 160);
	if (fault != NULL)
		return fault;
	*option = &rule->absent;
	if (rule->absent > 0 && (pattern || rule->host == NULL || rule->plugin == NULL))
		return "needs a series: a Type within Host and Plugin";
	return NULL;
}

static bool is_pattern(const char *text)
{
	return text != NULL && (text[0] == '/' || text[strcspn(text, "*?[\\")] != '\0');
}

/* A rule for what no series has guards nothing. */
static void check_names(struct mc_ctx *ctx, const struct rule *rule)
{
	const struct mc_type *type;
	bool found = rule->source == NULL;

	if (rule->type == NULL)
		return;
	type = mc_check_type(ctx, rule->type);
	if (type == NULL) {
		mc_check_warn(ctx, &rule->type, "is in no types.db");
		return;
	}
	for (unsigned i = 0; i < type->sources_len && !found; i++)
		found = strcmp(type->sources[i].name, rule->source) == 0;
	if (!found)
		mc_check_warn(ctx, &rule->source, "is not a source of the type '%s'", type->name);
}

static void check_rule(void *argument, struct rule *rule, bool pattern)
{
	struct mc_ctx *ctx = argument;
	const void *option;
	char reason[160] = "";
	const char *fault = fault_of(rule, pattern, &option, reason);

	if (fault != NULL) {
		mc_check_warn(ctx, option, "%s; this block is left out", fault);
		return;
	}
	fault = rule_idle_option(rule, &option);
	if (fault == NULL)
		fault = rule_idle_bound(rule, &option);
	if (fault != NULL)
		mc_check_warn(ctx, option, "%s", fault);
	if (!pattern || !is_pattern(rule->type))
		check_names(ctx, rule);
}

/* Series of any plugin may come from others: only what is nearly the name of one that is loaded is
 * a mistake. */
static void check_plugin(void *argument, const char *const *name)
{
	const char *meant = mc_check_meant(argument, *name);

	if (meant != NULL)
		mc_check_warn(argument, name, "is not loaded: do you mean '%s'?", meant);
}

static void threshold_check(struct mc_ctx *ctx)
{
	const struct threshold *self = ctx->self;

	options_each(&self->options, check_rule, ctx);
	options_each_rule(&self->options, check_rule, ctx);
	options_each_plugin(&self->options, check_plugin, ctx);
	if (*self->options.state_file != '\0')
		mc_check_output(ctx, &self->options.state_file);
}

static void add_rule(void *argument, struct rule *rule, bool pattern) MC_NO_LOCK
{
	struct threshold *self = argument;
	char reason[160];
	const void *option;

	if (fault_of(rule, pattern, &option, reason) != NULL)
		return;
	rule_start(rule);
	if (rule->name != NULL)
		finder_add_pattern(&self->named, rule);
	else if (pattern)
		finder_add_pattern(&self->finder, rule);
	else
		finder_add(&self->finder, rule);
	self->rules_len++;
	self->reminds |= rule->remind_after > 0;
}

static int threshold_start(struct mc_ctx *ctx) MC_NO_LOCK
{
	struct threshold *self = ctx->self;
	int rc;

	pthread_mutex_init(&self->lock, NULL);
	pthread_mutex_init(&self->file_lock, NULL);
	self->ctx = ctx;
	self->file.fd = -1;
	self->started = mc_now();
	self->keeps = true;
	self->alerts.gone_max = (size_t)self->options.state_limit;
	options_each(&self->options, add_rule, self);
	options_each_rule(&self->options, add_rule, self);
	rc = finder_start(&self->finder, ctx);
	if (rc == 0)
		rc = finder_start(&self->named, ctx);
	if (rc == 0)
		state_file_load(ctx);
	return rc;
}

static int threshold_run(struct mc_ctx *ctx)
{
	while (mc_wait(ctx, NULL, 0, mc_now() + SAVE_EVERY) == 0) {
		states_report_absent(ctx);
		old_alerts_check(ctx);
		state_file_save(ctx);
	}
	return 0;
}

/* forget() is called for all remaining watches after this. */
static void threshold_stop(struct mc_ctx *ctx)
{
	struct threshold *self = ctx->self;

	pthread_mutex_lock(&self->lock);
	self->stopped = true;
	alert_free_all(&self->alerts);
	finder_stop(&self->finder);
	finder_stop(&self->named);
	mc_buffer_free(&self->records);
	shared_states_free(&self->told);
	pthread_mutex_unlock(&self->lock);
	pthread_mutex_lock(&self->file_lock);
	mc_buffer_free(&self->appending);
	mc_state_file_close(&self->file);
	pthread_mutex_unlock(&self->file_lock);
}

/* --- Series, and figures of its own -------------------------------------- */

static void threshold_route(struct mc_ctx *ctx, const struct mc_series *series,
			    struct mc_route *route)
{
	struct threshold *self = ctx->self;
	void **slot = mc_slot(ctx, series);
	const struct watch *watch;

	pthread_mutex_lock(&self->lock);
	series_rules_renew(self, (struct mc_series *)series, slot);
	watch = *slot;
	if (watch != &threshold_no_rules && watch->rules->items[0]->name == NULL)
		mc_route_report(route);
	pthread_mutex_unlock(&self->lock);
}

static void count(struct mc_batch *out, const char *what, size_t number)
{
	mc_put_gauge(out, (double)number, .type = "count", .type_instance = what);
}

static void add_up(struct mc_batch *out, const char *what, uint64_t total)
{
	mc_put_derive(out, (int64_t)total, .type = "derive", .type_instance = what);
}

static int threshold_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct threshold *self = ctx->self;
	uint64_t reported, suppressed, forgotten;
	size_t watches, described, warning, failure, missing;

	if (!self->options.report_stats)
		return 0;
	pthread_mutex_lock(&self->lock);
	watches = self->watches;
	described = self->described;
	warning = self->alerts.states[MC_STATE_WARNING];
	failure = self->alerts.states[MC_STATE_FAILURE];
	missing = self->alerts.missing;
	reported = self->reported;
	suppressed = self->suppressed;
	forgotten = self->alerts.forgotten;
	pthread_mutex_unlock(&self->lock);
	count(out, "rules", self->rules_len);
	count(out, "series", watches);
	count(out, "described", described);
	count(out, "warning", warning);
	count(out, "failure", failure - missing);
	count(out, "missing", missing);
	add_up(out, "told", reported);
	add_up(out, "suppressed", suppressed);
	add_up(out, "forgotten", forgotten);
	return 0;
}

MC_PLUGIN(threshold) = {
	MC_NAMED(threshold),
	.help = "Reports values beyond bounds, and their recovery.",
	.self_size = sizeof(struct threshold),
	.options = threshold_options,
	.types = (const char *const[]){ "count", "derive", NULL },
	.check = threshold_check,
	.start = threshold_start,
	.read = threshold_read,
	.run = threshold_run,
	.writer = &(const struct mc_writer){ .write = states_write,
					     .ended = states_ended,
					     .forgotten = old_alerts_forget,
					     .forget = series_rules_forget },
	.judge = &(const struct mc_judge){ .route = threshold_route,
					   .explain = queries_explain,
					   .thresholds = queries_thresholds,
					   .alerts = queries_alerts,
					   .rules = queries_rules,
					   .adopt = adopt_state },
	.stop = threshold_stop,
	.lenient = true,
	.takes_rules = true,
	.in_example = true,
};
