/* SPDX-License-Identifier: MIT */
/* chain: collectd's filter chains (collectd.conf(5), "FILTER CONFIGURATION").
 *
 * Most of what a chain decides, it decides by the name of a series: the core then keeps the answer,
 * and no sample is looked at here.  The slot of a series has its name, if samples are looked at. */
#include <collector/check.h>
#include <collector/control.h>
#include <collector/judge.h>
#include <collector/serve.h>

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "flow.h"
#include "kept.h"
#include "outcome.h"
#include "sends.h"
#include "split.h"
#include "trial.h"

struct self {
	struct chain_options options;
	struct flow *flow;
};

/* --- Names of series ------------------------------------------------------ */

static void forget(struct mc_ctx *ctx, void *slot)
{
	(void)ctx;
	name_free(slot);
}

/* Runs a chain for the series; '*name' is kept if samples need it. */
static struct outcome decide(struct mc_ctx *ctx, const struct mc_series *series, bool behind,
			     struct name **name)
{
	struct self *self = ctx->self;
	struct outcome outcome = outcome_find(self->flow, behind, ctx, *name);

	if (outcome.each || outcome.split != NULL) {
		*name = kept_keep(ctx, series, *name);
		outcome = outcome_find(self->flow, behind, ctx, *name);
	}
	return outcome;
}

/* --- Before the cache ----------------------------------------------------- */

/* A sample that v5upgrade splits stays, for write(), but no writer gets it. */
static void admit(struct mc_ctx *ctx, const struct mc_series *series,
		  struct mc_admission *admission)
{
	const struct self *self = ctx->self;
	struct outcome outcome;
	struct name *name;

	if (self->flow->before == NULL)
		return;
	name = kept_or_new(ctx, series, &self->flow->shared);
	outcome = decide(ctx, series, false, &name);
	name->split = outcome.split;
	name->same = outcome.name != NULL || !outcome.renamed;
	if (outcome.stopped && !outcome.each && outcome.split == NULL)
		mc_admit_drop(admission);
	else if (outcome.renamed && outcome.name != NULL)
		mc_admit_as(admission, outcome.name->id);
	if (outcome.each)
		mc_admit_each(admission);
	kept_drop_other(ctx, series, name);
}

/* Sends a sample through the chain, in which some target is applied to it. */
static void admit_sample(const struct trial *trial, unsigned number, const struct chain *chain,
			 struct mc_arrivals *arrivals)
{
	struct mc_sample *sample = trial->samples[number];
	struct name *name = kept_name(trial->ctx, sample->series, trial->shared);
	size_t at = (size_t)(trial->samples - arrivals->samples) + number;
	struct subject subject = {
		.ctx = trial->ctx,
		.shared = trial->shared,
		.name = name,
		.sample = sample,
		.now = trial->now,
		.values = sample->values,
	};

	if (!flow_run(chain, &subject)) {
		if (!name->same && !name_equal(subject.name, name))
			mc_admit_sample_as(arrivals, at, subject.name->id);
	} else if (!subject.split) {
		mc_admit_drop_sample(arrivals, at);
	}
}

static void admit_samples(struct mc_ctx *ctx, struct mc_arrivals *arrivals)
{
	const struct self *self = ctx->self;
	const struct chain *chain = self->flow->before;
	struct trial trial;

	for (size_t from = 0; from < arrivals->len; from += trial.len) {
		uint64_t found;

		trial_init(&trial, ctx, &self->flow->shared, arrivals, from);
		for (found = trial_run(&trial, chain); found != 0; found &= found - 1)
			admit_sample(&trial, (unsigned)__builtin_ctzll(found), chain, arrivals);
	}
}

/* --- After the cache ------------------------------------------------------ */

static void send(const struct flow *flow, uint32_t writers, struct mc_route *route)
{
	if (writers == 0)
		mc_route_none(route);
	for (unsigned i = 0; i < flow->writers_len; i++)
		if ((writers >> i & 1) != 0)
			mc_route_to(route, flow->writers[i]);
}

static bool is_split(struct mc_ctx *ctx, const struct mc_series *series, struct name **name)
{
	const struct flow *flow = ((struct self *)ctx->self)->flow;

	return flow->splits && flow->before != NULL &&
	       decide(ctx, series, false, name).split != NULL;
}

static void route(struct mc_ctx *ctx, const struct mc_series *series, struct mc_route *route)
{
	const struct self *self = ctx->self;
	struct name *name = kept_or_new(ctx, series, &self->flow->shared);
	struct outcome outcome;

	if (is_split(ctx, series, &name)) {
		mc_route_none(route);
	} else if (self->flow->behind != NULL) {
		outcome = decide(ctx, series, true, &name);
		name->split_behind = outcome.split != NULL;
		if (outcome.alike && !outcome.to_all)
			send(self->flow, outcome.writers, route);
		if (outcome.each)
			mc_route_each(route);
	}
	kept_drop_other(ctx, series, name);
}

static void route_sample(struct mc_ctx *ctx, const struct mc_sample *sample, struct mc_route *route)
{
	const struct self *self = ctx->self;
	struct sends sends;
	struct subject subject = {
		.ctx = ctx,
		.shared = &self->flow->shared,
		.sample = sample,
		.now = mc_route_time(route),
		.behind = true,
		.again = mc_route_again(route),
		.sends = &sends,
	};

	sends.flow = self->flow;
	sends.route = route;
	sends.len = 0;
	subject.name = kept_name(ctx, sample->series, &self->flow->shared);
	flow_run(self->flow->behind, &subject);
	sends_flush(&subject);
	if (!subject.to_all)
		send(self->flow, subject.writers, route);
}

/* --- What v5upgrade makes ------------------------------------------------- */

/* The name under which a sample is split, or NULL. */
static const struct name *name_to_split(struct mc_ctx *ctx, const struct mc_sample *sample,
					mc_time now)
{
	const struct self *self = ctx->self;
	struct name *name = kept_find(ctx, sample->series);
	struct subject subject = {
		.ctx = ctx,
		.shared = &self->flow->shared,
		.name = name,
		.sample = sample,
		.now = now,
		.behind = true,
		.again = true, /* All effects have happened. */
	};

	if (name == NULL || name->split != NULL || !name->split_behind)
		return name != NULL ? name->split : NULL;
	flow_run(self->flow->behind, &subject);
	return subject.split ? subject.name : NULL;
}

static int write_split(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct mc_batch *made = NULL;
	mc_time now = mc_wall();

	MC_FOR_EACH_SAMPLE (sample, batch) {
		const struct name *name = name_to_split(ctx, sample, now);

		if (name == NULL)
			continue;
		if (made == NULL)
			made = mc_begin(ctx);
		split_sample(sample, name, made);
	}
	if (made != NULL)
		mc_commit(made);
	return 0;
}

/* --- For people ----------------------------------------------------------- */

struct telling {
	struct mc_answer *answer;
	const struct subject *subject;
};

static void tell_target(void *argument, const struct chain *chain, const struct rule *rule,
			const struct target *target)
{
	const struct telling *telling = argument;
	const struct mc_id *id = &telling->subject->name->id;
	const char *kind = options_targets[target->block->kind];
	char of[160] = "by default";

	if (rule != NULL && rule->name != NULL)
		snprintf(of, sizeof(of), "rule '%s'", rule->name);
	else if (rule != NULL)
		snprintf(of, sizeof(of), "rule %zu", (size_t)(rule - chain->rules) + 1);
	if (target->kind->changes)
		mc_explain(telling->answer, "chain '%s', %s: %s makes it %s/%s%s%s/%s%s%s",
			   chain->name, of, kind, id->host, id->plugin,
			   id->plugin_instance[0] != '\0' ? "-" : "", id->plugin_instance, id->type,
			   id->type_instance[0] != '\0' ? "-" : "", id->type_instance);
	else if (target->chain != NULL)
		mc_explain(telling->answer, "chain '%s', %s: jump to '%s'", chain->name, of,
			   target->chain->name);
	else
		mc_explain(telling->answer, "chain '%s', %s: %s", chain->name, of, kind);
}

static void tell(struct mc_ctx *ctx, const struct chain *chain, bool behind, struct name *name,
		 struct mc_answer *answer)
{
	struct self *self = ctx->self;
	struct choices choices = { .len = 0 };
	struct telling telling = { .answer = answer };
	struct subject subject = {
		.ctx = ctx,
		.shared = &self->flow->shared,
		.name = name,
		.behind = behind,
		.choices = &choices,
		.note = tell_target,
		.argument = &telling,
	};

	if (chain == NULL)
		return;
	telling.subject = &subject;
	flow_run(chain, &subject);
	if (choices.len > 0)
		mc_explain(answer,
			   "chain '%s': each value is looked at; these are the "
			   "targets where no value matches",
			   chain->name);
}

static void explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer)
{
	const struct self *self = ctx->self;
	struct name *name = name_of(series, self->flow->shared.verdicts_len);

	tell(ctx, self->flow->before, false, name, answer);
	tell(ctx, self->flow->behind, true, name, answer);
	name_free(name);
}

/* --- The plugin ----------------------------------------------------------- */

static void check(struct mc_ctx *ctx)
{
	const struct self *self = ctx->self;

	check_chains(ctx, &self->options);
}

static int start(struct mc_ctx *ctx)
{
	struct self *self = ctx->self;

	self->flow = flow_new(&self->options);
	if (self->flow == NULL)
		return mc_fail(ctx, 0,
			       "a regular expression is wrong, or targets name "
			       "more than %d writers",
			       FLOW_WRITERS_MAX);
	mc_subscribe(ctx, self->flow->splits);
	return 0;
}

static void stop(struct mc_ctx *ctx)
{
	struct self *self = ctx->self;

	if (self->flow != NULL)
		name_release_all(&self->flow->shared);
	flow_free(self->flow);
	self->flow = NULL;
}

MC_PLUGIN(chain) = {
	MC_NAMED(chain),
	.help = "Drops, renames and routes values by rules: collectd's filter "
		"chains.",
	.self_size = sizeof(struct self),
	.options = options_table,
	.check = check,
	.start = start,
	.writer = &(const struct mc_writer){ .write = write_split,
					     .forget = forget,
					     .on_request = true },
	.judge = &(const struct mc_judge){ .admit = admit,
					   .admit_samples = admit_samples,
					   .route = route,
					   .route_sample = route_sample,
					   .explain = explain },
	.stop = stop,
	.lenient = true,
};
