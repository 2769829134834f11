/* SPDX-License-Identifier: MIT */
/* The catalogue as others see it: series that have ended are looked up, learnt and forgotten. */
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/thread.h"
#include "engine/catalogue/catalogue_internal.h"
#include "engine/glob.h"
#include "engine/store/metric.h"
#include "engine/store/store.h"

/* --- Learning -------------------------------------------------------------- */

/* The metric that the finder of its file gives it; false: none, or it has one. */
static bool take_metric(struct past *past, const struct mc_ended *ended)
{
	if (ended->metric == NULL || past->metric != NULL)
		return false;
	past_set_metric(past, metric_end(ended->metric->held));
	return past->metric != NULL;
}

/* Writes its record, with a metric that is new. */
static void record_learned(struct catalogue *catalogue, struct past *past, bool has_metric)
	MC_REQUIRES(catalogue->lock)
{
	struct catalogue_record record = catalogue_record_of(past);

	if (has_metric)
		catalogue_add_with_metric(catalogue, &catalogue->records, &record, past->metric);
	else
		catalogue_metrics_add_record(&catalogue->records, &record);
}

/* Files have several days, or are of several writers. */
static void extend(struct catalogue *catalogue, struct past *past, const struct mc_ended *ended)
	MC_REQUIRES(catalogue->lock)
{
	bool has_metric = take_metric(past, ended);

	if (ended->first >= past->first && ended->last <= past->last && !has_metric)
		return;
	if (ended->first < past->first)
		past->first = ended->first;
	if (ended->last > past->last)
		past->last = ended->last;
	if (past->interval == 0)
		past->interval = ended->interval;
	record_learned(catalogue, past, has_metric);
}

/* One that has a value not long ago may come back, as long as others may. */
static void add_learned(struct catalogue *catalogue, const struct mc_ended *ended)
	MC_REQUIRES(catalogue->lock)
{
	double timeout = store_timeout(catalogue->store);
	struct past *past = past_add(&catalogue->past, ended->name, strlen(ended->name));

	past->first = ended->first;
	past->last = ended->last;
	past->interval = ended->interval;
	if (catalogue->settled ||
	    (double)(clock_wall() - past->last) > timeout * (double)past->interval)
		past_set_ended(&catalogue->past, past, true);
	record_learned(catalogue, past, take_metric(past, ended));
}

enum catalogue_learning catalogue_learn(struct catalogue *catalogue, const struct mc_ended *ended)
{
	enum catalogue_learning result = CATALOGUE_LEARNED;
	struct past *past;
	bool own = catalogue->threaded && pthread_equal(pthread_self(), catalogue->thread), wanted;

	pthread_mutex_lock(&catalogue->lock);
	past = past_find(&catalogue->past, ended->name, strlen(ended->name));
	if (catalogue->stopping) {
		result = CATALOGUE_STOPS;
	} else if (past != NULL) {
		extend(catalogue, past, ended);
		result = CATALOGUE_KNEW;
	} else if (catalogue->past.len >= catalogue->limit) {
		result = CATALOGUE_FULL;
	} else {
		add_learned(catalogue, ended);
	}
	wanted = catalogue->wanted;
	catalogue->wanted = wanted && !own;
	pthread_mutex_unlock(&catalogue->lock);
	if (own && (wanted || clock_now() >= catalogue->flush_due)) {
		catalogue->flush_due = clock_now() + CATALOGUE_FLUSH;
		catalogue_flush(catalogue);
	}
	return result;
}

/* --- Looking --------------------------------------------------------------- */

/* Whether it does not just have had no time yet to come back. */
static bool is_over(const struct catalogue *catalogue, const struct past *past, double timeout,
		    mc_time now)
{
	return past->ended || (double)(now - catalogue->started) > timeout * (double)past->interval;
}

static struct mc_ended copy_of(const struct past *past)
{
	return (struct mc_ended){
		.name = alloc_copy(past->name),
		.first = past->first,
		.last = past->last,
		.interval = past->interval,
		.lived = !past->ended,
		.away = past->away,
	};
}

/* Gives the metric of the past, if it has one, to be released. */
static const struct mc_metric *hold_metric(const struct past *past, struct mc_metric *metric)
{
	if (past->metric == NULL)
		return NULL;
	*metric = metric_view(metric_hold_kept(past->metric));
	return metric;
}

bool catalogue_find(struct catalogue *catalogue, const char *name, size_t size,
		    struct mc_ended *ended, struct mc_metric *metric)
{
	const struct past *past;

	pthread_mutex_lock(&catalogue->lock);
	past = past_find(&catalogue->past, name, size);
	if (past != NULL) {
		*ended = copy_of(past);
		ended->metric = hold_metric(past, metric);
	}
	pthread_mutex_unlock(&catalogue->lock);
	return past != NULL;
}

bool catalogue_find_metric(struct catalogue *catalogue, const char *name, size_t size,
			   struct mc_metric *metric)
{
	const struct past *past = NULL;
	bool found;

	pthread_mutex_lock(&catalogue->lock);
	while (!catalogue->loaded && thread_time() < catalogue->load_end)
		thread_wait(&catalogue->change, &catalogue->lock, catalogue->load_end);
	if (catalogue->loaded)
		past = past_find(&catalogue->past, name, size);
	found = past != NULL && hold_metric(past, metric) != NULL;
	pthread_mutex_unlock(&catalogue->lock);
	return found;
}

mc_time catalogue_lived_until(struct catalogue *catalogue)
{
	mc_time until;

	pthread_mutex_lock(&catalogue->lock);
	until = catalogue->lived_until;
	pthread_mutex_unlock(&catalogue->lock);
	return until != 0 ? until : INT64_MAX;
}

struct found { /* A series that has ended, and its metric. */
	struct mc_ended ended;
	struct metric_kept *metric; /* Held, or NULL. */
};

struct all_found {
	struct found *items;
	size_t len, room;
};

static int by_name(const void *a, const void *b)
{
	const struct found *one = a, *other = b;

	return strcmp(one->ended.name, other->ended.name);
}

static void add_found(struct all_found *found, const struct past *past)
{
	if (found->len == found->room) {
		found->room = 2 * found->room + 64;
		found->items = alloc_resize(found->items, found->room, sizeof(*found->items));
	}
	found->items[found->len++] = (struct found){
		.ended = copy_of(past),
		.metric = past->metric != NULL ? metric_hold_kept(past->metric) : NULL,
	};
}

static void find_all(struct catalogue *catalogue, const char *pattern, bool awaited,
		     struct all_found *found)
{
	double timeout = store_timeout(catalogue->store);
	struct glob *glob = glob_new(pattern);
	mc_time now = clock_now();

	pthread_mutex_lock(&catalogue->lock);
	for (struct past *p = past_next(&catalogue->past, NULL); p != NULL;
	     p = past_next(&catalogue->past, p))
		if ((awaited || is_over(catalogue, p, timeout, now)) &&
		    glob_matches(glob, p->name, p->name_size))
			add_found(found, p);
	pthread_mutex_unlock(&catalogue->lock);
	glob_free(glob);
}

static bool show_found(struct found *found, bool (*show)(void *argument, const struct mc_ended *),
		       void *argument)
{
	struct mc_metric metric;

	if (found->metric != NULL) {
		metric = metric_view(found->metric);
		found->ended.metric = &metric;
	}
	return show(argument, &found->ended);
}

/* Frees what was found. */
static size_t show_all(struct all_found *found,
		       bool (*show)(void *argument, const struct mc_ended *), void *argument)
{
	bool more = true;

	if (found->len > 0)
		qsort(found->items, found->len, sizeof(*found->items), by_name);
	for (size_t i = 0; i < found->len; i++) {
		more = more && show_found(&found->items[i], show, argument);
		free((char *)found->items[i].ended.name);
		metric_let_go(found->items[i].metric);
	}
	free(found->items);
	return found->len;
}

size_t catalogue_each(struct catalogue *catalogue, const char *glob,
		      bool (*show)(void *argument, const struct mc_ended *), void *argument)
{
	struct all_found found = { 0 };

	find_all(catalogue, glob, false, &found);
	return show_all(&found, show, argument);
}

size_t catalogue_each_absent(struct catalogue *catalogue, const char *glob,
			     bool (*show)(void *argument, const struct mc_ended *), void *argument)
{
	struct all_found found = { 0 };

	find_all(catalogue, glob, true, &found);
	return show_all(&found, show, argument);
}

/* --- Hosts that may still come back ------------------------------------------ */

/* Hosts, as series are kept, in 'hosts'. */
static void find_awaited_hosts(struct catalogue *catalogue, struct past_table *hosts)
	MC_REQUIRES(catalogue->lock)
{
	double timeout = store_timeout(catalogue->store);
	bool some = catalogue->past.len > catalogue->past.ended_len;
	mc_time now = clock_now();

	for (struct past *p = some ? past_next(&catalogue->past, NULL) : NULL; p != NULL;
	     p = past_next(&catalogue->past, p)) {
		const char *slash = memchr(p->name, '/', p->name_size);
		struct past *host;

		if (slash == NULL || is_over(catalogue, p, timeout, now))
			continue;
		host = past_find(hosts, p->name, (size_t)(slash - p->name));
		if (host == NULL)
			host = past_add(hosts, p->name, (size_t)(slash - p->name));
		if (p->last > host->last)
			host->last = p->last;
	}
}

void catalogue_each_awaited_host(struct catalogue *catalogue,
				 void (*show)(void *argument, const char *host, mc_time last),
				 void *argument)
{
	struct past_table hosts = { 0 };

	pthread_mutex_lock(&catalogue->lock);
	find_awaited_hosts(catalogue, &hosts);
	pthread_mutex_unlock(&catalogue->lock);
	for (struct past *host = past_next(&hosts, NULL); host != NULL;
	     host = past_next(&hosts, host))
		show(argument, host->name, host->last);
	past_done(&hosts);
}

/* --- Forgetting ------------------------------------------------------------ */

static void forget(struct catalogue *catalogue, struct past *past) MC_REQUIRES(catalogue->lock)
{
	struct catalogue_record record = catalogue_record_of(past);

	record.kind = CATALOGUE_FORGOTTEN;
	catalogue_metrics_add_record(&catalogue->records, &record);
	past_remove(&catalogue->past, past);
}

size_t catalogue_forget(struct catalogue *catalogue, const char *pattern)
{
	struct glob *glob = glob_new(pattern);
	size_t len = 0;

	pthread_mutex_lock(&catalogue->lock);
	for (struct past *p = past_next(&catalogue->past, NULL), *next; p != NULL; p = next) {
		next = past_next(&catalogue->past, p);
		if (!glob_matches(glob, p->name, p->name_size))
			continue;
		forget(catalogue, p);
		len++;
	}
	pthread_mutex_unlock(&catalogue->lock);
	glob_free(glob);
	return len;
}

size_t catalogue_forget_one(struct catalogue *catalogue, const char *name)
{
	struct past *past;

	pthread_mutex_lock(&catalogue->lock);
	past = past_find(&catalogue->past, name, strlen(name));
	if (past != NULL)
		forget(catalogue, past);
	pthread_mutex_unlock(&catalogue->lock);
	return past != NULL;
}
