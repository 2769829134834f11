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

struct mc_admission { /* The answer of a judge in admit(). */
	const struct mc_series *series;
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

static struct decision known(const struct judges *judges, const struct mc_series *series)
{
	const struct decision *found = judge_find(judges, series);

	return found != NULL ? *found
			     : (struct decision){ .generation = judges->decisions.generation };
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

/* This addition and the one in judge_know_route() are ordered: either the asking thread sees that
 * the metadata have changed, or the thread that has changed them sees an answer. */
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

		if (judge->callbacks->admit == NULL || !judge_is_asked(judge))
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

bool judge_ask_admission(const struct question *question, struct mc_series *series,
			 struct decision *decision)
{
	*decision = known(question->judges, series);
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

struct decision judge_know_route(const struct question *question, struct mc_series *series)
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

		if (judge->callbacks->route == NULL || !judge_is_asked(judge))
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

/* --- What the core asks ----------------------------------------------------- */

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
