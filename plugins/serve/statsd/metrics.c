/* SPDX-License-Identifier: MIT */
#include "metrics.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "members.h"
#include "series.h"
#include "timer.h"

enum {
	NAMES_MAX = 4,       /* Of a metric, as they came; lines with others cost more. */
	NAME_SIZE_MAX = 512, /* Of such a name. */
};

/* A name of a metric: the clean one, which is in the metric, or one as it came with '/' or tags.
 * These have a '/' or a newline, which a clean one has not; and before a newline ':', which a name
 * that line_skim() finds has not. */
struct name {
	struct mc_map_node node;
	struct metric *metric;
	struct name *next; /* Of the same metric. */
	bool sent;         /* Lines have such a name. */
};

struct metric {
	struct name name; /* The first of its names: the clean one. */
	unsigned names_len;
	struct metric *next;
	enum line_type type;
	bool updated;  /* In this interval. */
	double value;  /* Of a gauge; what a counter's total lacks. */
	int64_t total; /* Of a counter. */
	struct timer timer;
	struct members members;
	char *sent_name; /* As it came, or NULL: it is that of the key. */
	char *sent_tags; /* As they came, or NULL. */

	/* Only metrics_report(): values to put when the lock is given back. */
	struct series series;
};

void metrics_init(struct metrics *metrics, const struct metrics_options *options) MC_NO_LOCK
{
	*metrics = (struct metrics){
		.options = *options,
		.room = (size_t)options->members_max,
	};
	metrics->end = &metrics->first;
	metrics->fresh_end = &metrics->fresh;
	pthread_mutex_init(&metrics->lock, NULL);
}

static void metric_free(struct metric *metric)
{
	struct name *next;
	size_t room = 0;

	for (struct name *name = metric->name.next; name != NULL; name = next) {
		next = name->next;
		free(name);
	}
	series_done(&metric->series);
	timer_done(&metric->timer);
	members_clear(&metric->members, &room);
	free(metric->sent_name);
	free(metric->sent_tags);
	free(metric);
}

static void free_list(struct metric *metric)
{
	while (metric != NULL) {
		struct metric *next = metric->next;

		metric_free(metric);
		metric = next;
	}
}

void metrics_done(struct metrics *metrics) MC_NO_LOCK
{
	if (metrics->end == NULL)
		return;
	free_list(metrics->first);
	free_list(metrics->fresh);
	for (unsigned i = 0; i < LINE_TYPES; i++)
		mc_map_done(&metrics->maps[i]);
	pthread_mutex_destroy(&metrics->lock);
	metrics->end = NULL;
}

/* --- Adding --------------------------------------------------------------- */

/* Whole numbers that a double and an int64_t both have. */
static enum metrics_added add_number(struct metric *metric, double value)
{
	if (fabs(metric->value + value) > LINE_NUMBER_MAX ||
	    fabs((double)metric->total + metric->value + value) > LINE_NUMBER_MAX)
		return METRICS_SUM;
	metric->value += value;
	return METRICS_ADDED;
}

static enum metrics_added add(struct metrics *metrics, struct metric *metric,
			      const struct line *line) MC_REQUIRES(metrics->lock)
{
	metric->updated = true;
	switch (line->type) {
	case LINE_COUNTER:
		return add_number(metric, line->value * line->weight);
	case LINE_GAUGE:
		if (line->relative)
			return add_number(metric, line->value);
		metric->value = line->value;
		return METRICS_ADDED;
	case LINE_TIMER: /* It comes in milliseconds. */
		timer_add(&metric->timer, line->value / 1000, line->weight);
		return METRICS_ADDED;
	case LINE_SET:
	case LINE_TYPES:
		break;
	}
	return members_add(&metric->members, line->member, line->member_size, &metrics->room)
		       ? METRICS_ADDED
		       : METRICS_SET_FULL;
}

/* --- Names ---------------------------------------------------------------- */

struct metrics_key metrics_sent_key(const struct line *line, char *room)
{
	struct metrics_key key = { line->name, line->name_size, line->name_size, true };

	if (line->tags_size == 0)
		return key;
	memcpy(room, line->name, line->name_size);
	memcpy(room + line->name_size, ":\n", 2);
	memcpy(room + line->name_size + 2, line->tags, line->tags_size);
	key.text = room;
	key.size += 2 + line->tags_size;
	return key;
}

struct metrics_key metrics_clean_key(const struct line *line, bool with_tags, char *room)
{
	struct metrics_key key = { line->name, line->name_size, line->name_size, false };
	bool has_tags = line->tags_size > 0 && with_tags;
	char *to = room;

	if (!has_tags && !line->has_slash)
		return key;
	to = line_write_name(line, to);
	if (has_tags) {
		*to++ = '\0';
		to += line_sort_tags(line->tags, line->tags_size, to);
	}
	key.text = room;
	key.size = (size_t)(to - room);
	return key;
}

static struct name *find_name(const struct metrics *metrics, enum line_type type,
			      const struct metrics_key *key) MC_REQUIRES(metrics->lock)
{
	struct name *name = (struct name *)mc_map_find(&metrics->maps[type], key->text, key->size);

	return name != NULL && (name->sent || !key->sent) ? name : NULL;
}

/* From now on it is known under that name, too. */
static void add_name(struct metrics *metrics, struct metric *metric, const struct metrics_key *sent)
	MC_REQUIRES(metrics->lock)
{
	struct name *name;

	if (metric->names_len == NAMES_MAX || sent->size > NAME_SIZE_MAX ||
	    find_name(metrics, metric->type, sent) != NULL)
		return;
	name = mc_alloc_zero(sizeof(*name) + sent->size);
	name->node.key = memcpy(name + 1, sent->text, sent->size);
	name->node.key_size = sent->size;
	name->metric = metric;
	name->sent = true;
	name->next = metric->name.next;
	metric->name.next = name;
	metric->names_len++;
	mc_map_add(&metrics->maps[metric->type], &name->node);
}

enum metrics_added metrics_add(struct metrics *metrics, const struct line *line,
			       const struct metrics_key *sent)
{
	struct name *name = find_name(metrics, line->type, sent);

	return name != NULL ? add(metrics, name->metric, line) : METRICS_NEW;
}

enum metrics_added metrics_find(struct metrics *metrics, const struct line *line,
				const struct metrics_key *sent, const struct metrics_key *clean)
{
	enum metrics_added result = METRICS_NEW;
	struct name *name;

	pthread_mutex_lock(&metrics->lock);
	name = find_name(metrics, line->type, clean);
	if (name != NULL) {
		add_name(metrics, name->metric, sent);
		result = add(metrics, name->metric, line);
	}
	pthread_mutex_unlock(&metrics->lock);
	return result;
}

/* --- New ones ------------------------------------------------------------- */

/* With TimerCount a timer "x" has a series gauge-x-count, which could be that of a gauge, too: the
 * first one has it. */
static bool is_taken(struct metrics *metrics, enum line_type type, const struct metrics_key *key)
	MC_REQUIRES(metrics->lock)
{
	static const char suffix[] = "-count";
	size_t size = sizeof(suffix) - 1, name = key->name_size;
	char *other;
	bool taken = false;

	if (!metrics->options.count || (type != LINE_TIMER && type != LINE_GAUGE))
		return false;
	other = mc_alloc(key->size + size);
	if (type == LINE_TIMER) {
		memcpy(other, key->text, name);
		memcpy(other + name, suffix, size);
		memcpy(other + name + size, key->text + name, key->size - name);
		taken = mc_map_find(&metrics->maps[LINE_GAUGE], other, key->size + size) != NULL;
	} else if (name > size && memcmp(key->text + name - size, suffix, size) == 0) {
		memcpy(other, key->text, name - size);
		memcpy(other + name - size, key->text + name, key->size - name);
		taken = mc_map_find(&metrics->maps[LINE_TIMER], other, key->size - size) != NULL;
	}
	free(other);
	return taken;
}

static struct metric *metric_new(const struct metrics *metrics, const struct line *line,
				 const struct metrics_key *key)
{
	struct metric *metric = mc_alloc_zero(sizeof(*metric) + key->size + 2);
	char *text = (char *)(metric + 1);

	memcpy(text, key->text, key->size);
	metric->name.node.key = text; /* Also without tags '\0' ends them. */
	metric->name.node.key_size = key->size;
	metric->name.metric = metric;
	metric->name.sent = key->size == key->name_size;
	metric->type = line->type;
	if (line->has_slash)
		metric->sent_name = mc_alloc_printf("%.*s", (int)line->name_size, line->name);
	if (key->size > key->name_size)
		metric->sent_tags = mc_alloc_printf("%.*s", (int)line->tags_size, line->tags);
	if (line->type == LINE_TIMER)
		timer_init(&metric->timer, metrics->options.percentiles_len > 0);
	return metric;
}

enum metrics_added metrics_make(struct metrics *metrics, const struct line *line,
				const struct metrics_key *sent, const struct metrics_key *clean)
{
	enum metrics_added result;
	struct metric *metric;

	pthread_mutex_lock(&metrics->lock);
	if (metrics->len >= (size_t)metrics->options.metrics_max) {
		result = METRICS_FULL;
	} else if (is_taken(metrics, line->type, clean)) {
		result = METRICS_TAKEN;
	} else {
		metric = metric_new(metrics, line, clean);
		mc_map_add(&metrics->maps[line->type], &metric->name.node);
		add_name(metrics, metric, sent);
		*metrics->fresh_end = metric;
		metrics->fresh_end = &metric->next;
		metrics->len++;
		result = add(metrics, metric, line);
	}
	pthread_mutex_unlock(&metrics->lock);
	return result;
}

/* --- Values --------------------------------------------------------------- */

static double known(const struct timer *timer, double value)
{
	return timer->count > 0 ? value : NAN;
}

static void collect_timer(const struct metrics_options *options, struct metric *metric)
{
	struct series *series = &metric->series;
	struct timer *timer = &metric->timer;

	series_add(series, "latency", "-average", known(timer, timer->sum / timer->count));
	if (options->lower)
		series_add(series, "latency", "-lower", known(timer, timer->min));
	if (options->upper)
		series_add(series, "latency", "-upper", known(timer, timer->max));
	if (options->sum)
		series_add(series, "latency", "-sum", known(timer, timer->sum));
	for (size_t i = 0; i < options->percentiles_len; i++)
		series_add_percentile(series, options->percentiles[i],
				      timer_percentile(timer, options->percentiles[i]));
	if (options->count)
		series_add(series, "gauge", "-count", timer->count);
	timer_reset(timer);
}

/* Fractions are kept until they add up to one. */
static void collect_counter(const struct metrics_options *options, struct metric *metric)
{
	double change = nearbyint(metric->value);

	metric->value -= change;
	metric->total += (int64_t)change;
	if (options->counter_sum)
		series_add(&metric->series, "count", "", change);
	series_add_total(&metric->series, metric->total);
}

static void collect(struct metrics *metrics, struct metric *metric) MC_REQUIRES(metrics->lock)
{
	series_begin(&metric->series, metric->name.node.key, metric->sent_name, metric->sent_tags);
	switch (metric->type) {
	case LINE_COUNTER:
		collect_counter(&metrics->options, metric);
		break;
	case LINE_GAUGE:
		series_add(&metric->series, "gauge", "", metric->value);
		break;
	case LINE_TIMER:
		collect_timer(&metrics->options, metric);
		break;
	case LINE_SET:
		series_add(&metric->series, "objects", "", (double)members_len(&metric->members));
		members_clear(&metric->members, &metrics->room);
		break;
	case LINE_TYPES:
		break;
	}
	metric->updated = false;
}

/* All that are to be forgotten are taken out, and returned as a list. */
static struct metric *collect_all(struct metrics *metrics) MC_REQUIRES(metrics->lock)
{
	struct metric *forgotten = NULL, *metric, **at = &metrics->first;

	*metrics->end = metrics->fresh;
	metrics->fresh = NULL;
	metrics->fresh_end = &metrics->fresh;
	while ((metric = *at) != NULL) {
		if (metric->updated || !metrics->options.forgets[metric->type]) {
			collect(metrics, metric);
			at = &metric->next;
			continue;
		}
		*at = metric->next;
		for (struct name *name = &metric->name; name != NULL; name = name->next)
			mc_map_remove(&metrics->maps[metric->type], &name->node);
		metrics->len--;
		metric->next = forgotten;
		forgotten = metric;
	}
	metrics->end = at;
	return forgotten;
}

void metrics_report(struct metrics *metrics, struct mc_batch *batch)
{
	struct metric *forgotten;

	pthread_mutex_lock(&metrics->lock);
	forgotten = collect_all(metrics);
	pthread_mutex_unlock(&metrics->lock);
	free_list(forgotten);
	for (struct metric *metric = metrics->first; metric != NULL; metric = metric->next)
		series_put(&metric->series, batch);
}
