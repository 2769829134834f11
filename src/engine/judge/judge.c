/* SPDX-License-Identifier: MIT */
/* Asks judges about series, and does what they say with the samples. */
#include "engine/judge/judge.h"

#include <collector/serve.h>
#include <collector/writer.h>

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/crash.h"
#include "engine/context.h"
#include "engine/instance_set.h"
#include "engine/judge/judge_internal.h"
#include "engine/log_once.h"
#include "engine/store/metadata.h"
#include "engine/store/metric.h"
#include "engine/store/quota/quota.h"
#include "engine/store/store.h"
#include "model/series.h"

#define PREFETCH 8 /* Samples: about the latency of memory; see store.c. */

struct mc_admission { /* The answer of a judge in admit(). */
	const struct mc_series *series;
	mc_time time; /* Of the batch. */
	bool dropped, each, renamed;
	struct mc_name_parts parts;
	char name[SERIES_NAME_SIZE];
};

void judge_init(struct judges *judges, struct instance_sets *instances)
{
	judges->instances = instances;
	decision_init(&judges->decisions);
	judges->slot = JUDGE_NO_SLOT;
	pthread_mutex_init(&judges->lock, NULL);
}

void judge_done(struct judges *judges)
{
	decision_done(&judges->decisions);
	for (unsigned i = 0; i < judges->routes_len; i++)
		free(judges->routes[i]);
	pthread_mutex_destroy(&judges->lock);
}

uint32_t judge_route_of(struct judges *judges, const char *writer)
{
	unsigned i = 0;

	pthread_mutex_lock(&judges->lock);
	while (i < judges->routes_len && strcmp(judges->routes[i], writer) != 0)
		i++;
	if (i == judges->routes_len && i < JUDGE_ROUTES_MAX)
		judges->routes[judges->routes_len++] = alloc_copy(writer);
	pthread_mutex_unlock(&judges->lock);
	return i < JUDGE_ROUTES_MAX ? 2u << i : 0;
}

/* --- Into which series another is renamed --------------------------------- */

static struct mc_series **target_of(const struct judges *judges, const struct mc_series *series)
{
	uint32_t slot = judges->slot;

	return slot == JUDGE_NO_SLOT ? NULL : (struct mc_series **)series_slot(series, slot);
}

/* Keeps 'target' instead of the one before; NULL: none. */
static void set_target(const struct judges *judges, const struct mc_series *series,
		       struct mc_series *target)
{
	struct mc_series **at = target_of(judges, series);

	if (at == NULL)
		return;
	target = mc_hold(target);
	mc_release(__atomic_exchange_n(at, target, __ATOMIC_ACQ_REL));
}

struct mc_series *judge_target(const struct judges *judges, struct mc_series *series)
{
	struct mc_series **at = target_of(judges, series);
	struct mc_series *target = at != NULL ? __atomic_load_n(at, __ATOMIC_ACQUIRE) : NULL;

	return target != NULL ? target : series;
}

void judge_forget(const struct judges *judges, void *slot)
{
	if (!judges->ending) /* Else it may be freed. */
		mc_release(slot);
}

/* --- Questions ------------------------------------------------------------ */

/* The decision about a series in this generation. */
static struct decision known(const struct judges *judges, const struct mc_series *series)
{
	uint32_t generation = judges->decisions.generation;
	struct decision decision = decision_at(
		&judges->decisions, atomic_load_explicit(&series->decision, memory_order_acquire));

	if (decision.generation != generation)
		decision = (struct decision){ .generation = generation };
	return decision;
}

static void keep(struct judges *judges, struct mc_series *series, const struct decision *decision)
{
	atomic_store_explicit(&series->decision, decision_keep(&judges->decisions, decision),
			      memory_order_release);
}

/* Has judges asked again which writers get it; until then the last answer holds. */
static void forget_route(struct judges *judges, struct mc_series *series)
{
	struct decision decision = known(judges, series);

	if (!decision.routed)
		return;
	decision.routed = false;
	keep(judges, series, &decision);
}

/* This addition and the one in know_route() are ordered: either the asking thread sees that the
 * metadata have changed, or the thread that has changed them sees an answer. */
static void described(struct judges *judges, struct mc_series *series)
{
	atomic_fetch_add(&judges->described, 1);
	forget_route(judges, series);
}

/* Once for each client or source, or all that is charged to none. */
static void log_refused(struct mc_batch *batch)
{
	struct context *context = context_of(batch->ctx);
	char title[QUOTA_TITLE_SIZE] = "this host";

	if (batch->quota != NULL)
		quota_title(batch->quota, title);
	log_once_hint(&context->refusals, context->ctx.name, title,
		      "metadata of %s fill its share: further texts are "
		      "refused, limits are kept as long as there is room",
		      title);
}

void judge_describe(struct mc_batch *batch, struct mc_series *series, unsigned source,
		    const struct mc_metadata *metadata)
{
	unsigned outcome = metadata_set(series, source, metadata, batch->quota);

	if ((outcome & METADATA_CHANGED) != 0)
		described(context_of(batch->ctx)->judges, series);
	if ((outcome & METADATA_REFUSED) != 0)
		log_refused(batch);
}

void judge_set_metric(struct mc_batch *batch, struct mc_series *series,
		      const struct mc_metric *metric)
{
	unsigned outcome = metric_set(series, metric, batch->quota);

	if ((outcome & METADATA_CHANGED) != 0)
		store_note_metric(series);
	if ((outcome & METADATA_REFUSED) != 0)
		log_refused(batch);
}

/* Gives 'to', of the same type, the metadata and the metric of 'from'. */
static void pass_metadata(struct mc_batch *batch, const struct mc_series *from,
			  struct mc_series *to)
{
	struct mc_metric metric;

	if (mc_get_metric(from, &metric)) {
		judge_set_metric(batch, to, &metric);
		mc_release_metric(&metric);
	}
	for (unsigned i = 0; i < from->type->sources_len; i++) {
		const struct mc_metadata *metadata = mc_get_metadata(from, i);

		if (metadata != NULL)
			judge_describe(batch, to, i, metadata);
		mc_release_metadata(metadata);
	}
}

static bool is_asked(const struct judge *judge)
{
	return atomic_load_explicit(judge->started, memory_order_acquire);
}

struct mc_series *judge_make(const struct question *question, const struct mc_name_parts *parts,
			     const struct mc_type *type)
{
	struct store *store = question->judges->store;
	struct mc_series *series = store_find(store, parts->name, series_name_size(parts));

	if (series == NULL && store_make(store, parts, type, question->batch->quota, &series) < 0)
		return NULL;
	return series;
}

/* Asks whether a series is taken, and under which name: each judge for the name
 * that the one before has given it.  False if that series cannot be made. */
static bool ask_admission(const struct question *question, struct mc_series *series,
			  struct decision *decision)
{
	struct mc_series *target = series;

	for (unsigned i = 0; i < question->list->len; i++) {
		const struct judge *judge = &question->list->items[i];
		struct mc_admission admission = { .series = target };
		const char *before;

		if (judge->callbacks->admit == NULL || !is_asked(judge))
			continue;
		before = crash_set_plugin(judge->ctx->name);
		judge->callbacks->admit(judge->ctx, target, &admission);
		crash_set_plugin(before);
		if (admission.dropped) {
			decision->admission = DECISION_DROPPED;
			return true;
		}
		decision->admit_each |= (uint32_t)admission.each << i;
		if (admission.renamed)
			target = judge_make(question, &admission.parts, series->type);
		if (target == NULL)
			return false;
	}
	decision->admission = target == series ? DECISION_TAKEN : DECISION_RENAMED;
	set_target(question->judges, series, target == series ? NULL : target);
	if (target != series)
		pass_metadata(question->batch, series, target);
	return true;
}

static bool know_admission(const struct question *question, struct mc_series *series,
			   struct decision *decision)
{
	*decision = known(question->judges, series);
	if (decision->admission != DECISION_UNASKED)
		return true;
	if (!ask_admission(question, series, decision))
		return false;
	keep(question->judges, series, decision);
	return true;
}

static void add_route(struct decision *decision, const struct mc_route *route)
{
	if (route->chosen)
		decision->excluded |= EVERYBODY & ~route->wanted;
	decision->reported |= route->reported;
}

static struct decision know_route(const struct question *question, struct mc_series *series)
{
	struct decision decision = known(question->judges, series);
	uint64_t described = question->judges->described;

	if (decision.routed)
		return decision;
	decision.reported = false;
	decision.excluded = decision.route_each = 0;
	for (unsigned i = 0; i < question->list->len; i++) {
		const struct judge *judge = &question->list->items[i];
		struct mc_route route = { .question = question };
		const char *before;

		if (judge->callbacks->route == NULL || !is_asked(judge))
			continue;
		before = crash_set_plugin(judge->ctx->name);
		judge->callbacks->route(judge->ctx, series, &route);
		crash_set_plugin(before);
		add_route(&decision, &route);
		decision.route_each |= (uint32_t)route.each << i;
	}
	decision.routed = true;
	keep(question->judges, series, &decision);
	if (described != atomic_fetch_add(&question->judges->described, 0))
		forget_route(question->judges, series);
	return decision;
}

/* --- Samples -------------------------------------------------------------- */

/* Asks about one sample, whose series is renamed 'into' another, or the same.  Returns whether it
 * is taken; '*into' is NULL if the series of a name of its own cannot be made. */
static bool admit_sample(const struct question *question, uint32_t each, struct mc_sample *sample,
			 struct mc_series **into)
{
	for (unsigned i = 0; i < question->list->len; i++) {
		const struct judge *judge = &question->list->items[i];
		struct mc_admission admission; /* The name is large. */
		const char *before;
		bool taken;

		if ((each >> i & 1) == 0 || judge->callbacks->admit_sample == NULL ||
		    !is_asked(judge))
			continue;
		admission.series = *into;
		admission.time = question->batch->time;
		admission.renamed = false;
		before = crash_set_plugin(judge->ctx->name);
		taken = judge->callbacks->admit_sample(judge->ctx, sample, &admission);
		crash_set_plugin(before);
		if (!taken)
			return false;
		if (admission.renamed)
			*into = judge_make(question, &admission.parts, sample->series->type);
		if (*into == NULL)
			return true;
	}
	return true;
}

/* False if the sample is dropped.  'decision' is that of its series, or all
 * zero if it has become one of another series. */
static bool admit(const struct question *question, struct mc_sample *sample,
		  struct decision *decision)
{
	struct mc_series *into = sample->series;

	if (!know_admission(question, sample->series, decision)) {
		question->batch->refused++;
		return false;
	}
	if (decision->admission == DECISION_RENAMED)
		into = judge_target(question->judges, sample->series);
	if (decision->admission == DECISION_DROPPED ||
	    (decision->admit_each != 0 &&
	     !admit_sample(question, decision->admit_each, sample, &into))) {
		question->judges->filtered++;
		return false;
	}
	if (into == NULL) {
		question->batch->refused++;
		return false;
	}
	if (sample->series != into)
		*decision = (struct decision){ 0 };
	sample->series = into;
	return true;
}

static void route_sample(const struct question *question, uint32_t each, struct mc_sample *sample)
{
	for (unsigned i = 0; i < question->list->len; i++) {
		const struct judge *judge = &question->list->items[i];
		struct mc_route route = { .question = question, .sample = sample };
		const char *before;

		if ((each >> i & 1) == 0 || judge->callbacks->route_sample == NULL ||
		    !is_asked(judge))
			continue;
		before = crash_set_plugin(judge->ctx->name);
		judge->callbacks->route_sample(judge->ctx, sample, &route);
		crash_set_plugin(before);
		if (route.chosen)
			sample->flags |= EVERYBODY & ~route.wanted;
	}
}

/* Writers that do not get all of the batch, and those that get nothing of it. */
static void sum_up(struct mc_batch *batch)
{
	batch->excluded = 0;
	batch->excluded_all = EVERYBODY;
	for (struct mc_sample *s = batch->first; s != NULL; s = s->next) {
		if ((s->flags & SAMPLE_REFUSED) != 0)
			continue;
		batch->excluded |= s->flags;
		batch->excluded_all &= s->flags;
	}
	if (batch->excluded == 0)
		batch->excluded_all = 0;
}

static bool is_plain(const struct mc_sample *sample, uint32_t plain)
{
	return atomic_load_explicit(&sample->series->decision, memory_order_relaxed) == plain;
}

/* Findings of judge_batch(). */
enum { EXCLUDES = 1, EACH = 2 };

static unsigned route(const struct question *question, struct mc_sample *sample,
		      struct decision decision)
{
	if (!decision.routed)
		decision = know_route(question, sample->series);
	sample->flags |= decision.excluded;
	return (decision.excluded != 0 ? EXCLUDES : 0) | (decision.route_each != 0 ? EACH : 0);
}

static struct mc_sample *ahead_of(struct mc_sample *ahead)
{
	for (unsigned i = 0; i < PREFETCH && ahead != NULL; i++)
		ahead = ahead->next;
	return ahead;
}

bool judge_batch(struct judges *judges, const struct judge_list *list, struct mc_batch *batch,
		 struct mc_sample *before)
{
	struct question question = { judges, list, batch, NULL };
	uint32_t plain = decision_plain(&judges->decisions);
	struct mc_sample **at = before != NULL ? &before->next : &batch->first;
	struct mc_sample *ahead = ahead_of(*at);
	unsigned found = 0;

	batch->last = before;
	for (struct mc_sample *s; (s = *at) != NULL;) {
		if (ahead != NULL) {
			__builtin_prefetch(&ahead->series->decision, 1);
			ahead = ahead->next;
		}
		if (!is_plain(s, plain)) {
			struct decision decision;

			if (!admit(&question, s, &decision)) {
				*at = s->next;
				batch->accepted--;
				continue;
			}
			found |= route(&question, s, decision);
		}
		batch->last = s;
		at = &s->next;
	}
	if (found != 0)
		sum_up(batch);
	return (found & EACH) != 0;
}

/* For those that are not plain: their routes, and those of each sample. */
static void judge_each(const struct question *question)
{
	uint32_t plain = decision_plain(&question->judges->decisions);
	struct mc_batch *batch = question->batch;
	bool found = false;

	for (struct mc_sample *s = batch->first; s != NULL; s = s->next) {
		struct decision decision;

		if (is_plain(s, plain) || (s->flags & SAMPLE_REFUSED) != 0)
			continue;
		decision = know_route(question, s->series);
		if (question->copies == NULL)
			s->flags |= decision.excluded;
		if (decision.route_each != 0)
			route_sample(question, decision.route_each, s);
		found |= s->flags != 0;
	}
	if (found)
		sum_up(batch);
}

void judge_samples(struct judges *judges, const struct judge_list *list, struct mc_batch *batch,
		   struct copies *copies)
{
	struct question question = { judges, list, batch, copies };

	judge_each(&question);
}

void judge_recorded(struct judges *judges, struct mc_batch *batch)
{
	struct instance_set_reader visit = instance_set_read_lock(judges->instances);
	struct question question = { judges, NULL, batch, NULL };

	question.list = visit.instance_set->judges;
	if (question.list != NULL)
		judge_each(&question);
	instance_set_read_unlock(judges->instances, visit);
}

bool judge_is_reported(const struct judges *judges, const struct mc_series *series)
{
	struct decision decision = known(judges, series);

	return decision.reported || decision.admission == DECISION_DROPPED ||
	       decision.admission == DECISION_RENAMED;
}

uint32_t judge_excluded(const struct judges *judges, const struct mc_series *series)
{
	struct decision decision = known(judges, series);

	if (decision.admission == DECISION_DROPPED || decision.admission == DECISION_RENAMED)
		return EVERYBODY;
	return decision.excluded;
}

/* --- The plugin API ------------------------------------------------------- */

void mc_admit_drop(struct mc_admission *admission)
{
	admission->dropped = true;
}

void mc_admit_each(struct mc_admission *admission)
{
	admission->each = true;
}

mc_time mc_admit_time(const struct mc_admission *admission)
{
	return admission->time;
}

bool judge_name(const struct mc_series *series, struct mc_id id, char name[SERIES_NAME_SIZE],
		struct mc_name_parts *parts)
{
	if (id.host == NULL)
		id.host = mc_host(series);
	if (id.plugin == NULL)
		id.plugin = mc_plugin(series);
	if (id.plugin_instance == NULL)
		id.plugin_instance = mc_plugin_instance(series);
	if (id.type_instance == NULL)
		id.type_instance = mc_type_instance(series);
	id.type = series->type->name;
	return series_join(&id, name, parts) && series_fault(parts) == NULL;
}

bool mc_admit_as(struct mc_admission *admission, struct mc_id id)
{
	const struct mc_series *series = admission->series;
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;

	if (!judge_name(series, id, name, &parts))
		return false;
	admission->renamed = strcmp(name, series->name) != 0;
	memcpy(admission->name, name, sizeof(name));
	parts.name = admission->name;
	admission->parts = parts;
	return true;
}

void mc_route_to(struct mc_route *route, const char *writer)
{
	route->chosen = true;
	route->wanted |= judge_route_of(route->question->judges, writer);
}

void mc_route_none(struct mc_route *route)
{
	route->chosen = true;
}

void mc_route_each(struct mc_route *route)
{
	route->each = true;
}

bool mc_route_again(const struct mc_route *route)
{
	return route->sample != NULL && route->question->copies == NULL;
}

mc_time mc_route_time(const struct mc_route *route)
{
	return route->question->batch->time;
}

void mc_route_report(struct mc_route *route)
{
	route->reported = true;
}
