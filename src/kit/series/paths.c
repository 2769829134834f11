/* SPDX-License-Identifier: MIT */
#include "kit/series/paths.h"

#include <stdio.h>
#include <string.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/map.h>
#include <collector/serve.h>

#include "kit/series/check_metrics.h"

static const mc_time interval_max = 86400 * MC_SECOND;

enum {
	SWEEP_MAX = 10000,    /* Paths that are looked at in one sweep. */
	FIRST_INTERVALS = 10, /* In which the second value has to come. */
	SIZE_MEAN = 256,      /* Bytes of a path, of as many as there may be. */
};

struct entry {
	struct mc_lru_node node;
	struct mc_series *series;
	mc_time used;           /* Monotonic. */
	mc_time last, interval; /* The time of its last value. */
	bool is_known;          /* Its interval is. */
	enum mc_kind kind;
	enum mc_limit limit; /* Its values are that of the series. */
	enum mc_name_check check;
	char path[];
};

struct mc_paths {
	struct mc_ctx *ctx;
	struct mc_name_templates *templates;
	const char *plugin;
	mc_time interval;
	size_t limit;
	size_t size; /* Of all that are remembered. */

	struct mc_batch *batch;
	mc_time now, wall;       /* Of the batch. */
	struct mc_series *found; /* By the last point. */
	struct mc_lru entries;
	struct mc_check_metrics checks;
	struct mc_lru_node *swept; /* Where the next sweep begins; NULL: at the
				    * oldest. */
};

/* --- Options -------------------------------------------------------------- */

/* NULL: '*wrong' is wrong. */
static struct mc_name_templates *read_templates(const struct mc_paths_options *options,
						size_t *wrong, char *reason, size_t reason_size)
{
	size_t len = options->templates.len;
	const char **lines = mc_alloc_array(len + 1, sizeof(*lines));
	struct mc_strings all = { lines, len + (options->fallback != NULL) };
	struct mc_name_templates *templates;

	for (size_t i = 0; i < len; i++)
		lines[i] = options->templates.items[i];
	lines[len] = options->fallback;
	templates = mc_name_templates_new(&all, wrong, reason, reason_size);
	free(lines);
	return templates;
}

void mc_paths_check(struct mc_ctx *ctx, const struct mc_paths_options *options)
{
	char reason[256];
	size_t wrong = 0;
	struct mc_name_templates *templates =
		read_templates(options, &wrong, reason, sizeof(reason));

	if (templates == NULL)
		mc_check_error(ctx, &options->templates.items[wrong], "is an invalid template: %s",
			       reason);
	mc_name_templates_free(templates);
}

struct mc_paths *mc_paths_new(struct mc_ctx *ctx, const struct mc_paths_options *options, int *rc)
{
	char reason[256];
	size_t wrong = 0;
	struct mc_name_templates *templates =
		read_templates(options, &wrong, reason, sizeof(reason));
	struct mc_paths *paths;

	if (templates == NULL) {
		*rc = mc_fail(ctx, 0, "invalid Template '%s': %s", options->templates.items[wrong],
			      reason);
		return NULL;
	}
	paths = mc_alloc_zero(sizeof(*paths));
	paths->ctx = ctx;
	paths->templates = templates;
	paths->plugin = options->plugin;
	paths->interval = options->interval;
	paths->limit = (size_t)options->limit;
	return paths;
}

/* Before an entry changes its place. */
static void leave(struct mc_paths *paths, const struct entry *entry)
{
	if (paths->swept == &entry->node)
		paths->swept = entry->node.newer;
}

static void forget(struct mc_paths *paths, struct entry *entry)
{
	leave(paths, entry);
	mc_lru_remove(&paths->entries, &entry->node);
	paths->size -= entry->node.node.key_size;
	mc_release(entry->series);
	free(entry);
}

void mc_paths_free(struct mc_paths *paths)
{
	if (paths == NULL)
		return;
	while (paths->entries.oldest != NULL)
		forget(paths, (struct entry *)paths->entries.oldest);
	mc_lru_done(&paths->entries);
	mc_check_metrics_done(&paths->checks);
	mc_name_templates_free(paths->templates);
	free(paths);
}

void mc_paths_begin(struct mc_paths *paths, struct mc_batch *batch)
{
	paths->batch = batch;
	paths->now = mc_now();
	paths->wall = mc_wall();
}

/* --- The series of a path ------------------------------------------------- */

/* A sample of several sources cannot be put together of values that come one by one, nor a counter
 * of rates: the name of the type then stands before the type instance. */
static void make_gauge(struct mc_name_made *name)
{
	char text[3 * MC_NAME_PART_SIZE + 4];
	bool has_source = name->source[0] != '\0' && strcmp(name->source, "value") != 0;
	int size = snprintf(text, sizeof(text), "%s%s%s%s%s", name->type,
			    name->type_instance[0] != '\0' ? "-" : "", name->type_instance,
			    has_source ? "-" : "", has_source ? name->source : "");

	if (size < 0 || size >= MC_NAME_PART_SIZE)
		text[MC_NAME_PART_SIZE - 1] = '\0'; /* The store refuses it. */
	memcpy(name->type_instance, text, MC_NAME_PART_SIZE);
	memcpy(name->type, "gauge", sizeof("gauge"));
}

static enum mc_kind settle_type(const struct mc_paths *paths, struct mc_name_made *name,
				bool is_whole)
{
	const struct mc_type *type;

	if (name->type[0] == '\0') {
		memcpy(name->type, "gauge", sizeof("gauge"));
		return MC_GAUGE;
	}
	type = mc_type_find(paths->ctx, name->type);
	if (type != NULL && type->sources_len == 1 &&
	    (type->sources[0].kind == MC_GAUGE ||
	     (is_whole && type->sources[0].kind != MC_ABSOLUTE)))
		return type->sources[0].kind;
	make_gauge(name);
	return MC_GAUGE;
}

static const char *or_null(const char *text)
{
	return text[0] != '\0' ? text : NULL;
}

/* A sender can have many paths, as long as may be, for one series: dots that
 * follow each other are one. */
static void make_room(struct mc_paths *paths, size_t size)
{
	while (paths->entries.oldest != NULL && (paths->entries.map.len >= paths->limit ||
						 paths->size + size > paths->limit * SIZE_MEAN))
		forget(paths, (struct entry *)paths->entries.oldest);
}

static struct entry *add_entry(struct mc_paths *paths, const struct mc_point *point,
			       struct mc_series *series)
{
	struct entry *entry = mc_alloc(sizeof(*entry) + point->size);

	*entry = (struct entry){ .series = mc_hold(series) };
	memcpy(entry->path, point->path, point->size);
	make_room(paths, point->size);
	paths->size += point->size;
	mc_lru_add(&paths->entries, &entry->node, entry->path, point->size);
	return entry;
}

static enum mc_point_result make_entry(struct mc_paths *paths, const struct mc_point *point,
				       struct entry **made)
{
	struct mc_name_made name;
	struct mc_series *series;
	enum mc_kind kind;

	if (!mc_name_make(paths->templates, point->path, point->size, &name))
		return MC_POINT_NAME;
	kind = settle_type(paths, &name, point->is_whole);
	series = mc_series(paths->batch, MC_ID(or_null(name.host),
					       name.plugin[0] != '\0' ? name.plugin : paths->plugin,
					       or_null(name.plugin_instance), name.type,
					       or_null(name.type_instance)));
	if (series == NULL)
		return MC_POINT_SERIES;
	*made = add_entry(paths, point, series);
	(*made)->kind = kind;
	(*made)->limit = name.limit;
	(*made)->check = name.check;
	if (name.limit == MC_LIMIT_NONE)
		paths->found = series;
	(*made)->is_known = name.interval > 0;
	(*made)->interval = name.interval > 0 ? name.interval : paths->interval;
	return MC_POINT_TAKEN;
}

/* --- Values --------------------------------------------------------------- */

/* Whole seconds, as checks are never quite punctual. */
static void learn_interval(struct entry *entry, mc_time time)
{
	mc_time between = time - entry->last;

	if (entry->is_known || entry->last == 0 || between <= 0 || between > interval_max)
		return;
	if (between > MC_SECOND)
		between = (between + MC_SECOND / 2) / MC_SECOND * MC_SECOND;
	entry->interval = between;
	entry->is_known = true;
}

static bool set_value(const struct entry *entry, const struct mc_point *point,
		      union mc_value *value)
{
	if (entry->kind == MC_GAUGE)
		value->gauge = point->number;
	else if (!point->is_whole || (entry->kind == MC_COUNTER && point->whole < 0))
		return false;
	else if (entry->kind == MC_DERIVE)
		value->derive = point->whole;
	else
		value->counter = (uint64_t)point->whole;
	return true;
}

/* Icinga's writers have a warning and a critical limit of 0 of many checks that have none. */
static void set_limit(struct mc_paths *paths, const struct entry *entry, double value)
{
	bool is_bad = entry->limit == MC_LIMIT_WARNING || entry->limit == MC_LIMIT_FAILURE;

	if (value != 0 || !is_bad)
		mc_set_limit(paths->batch, entry->series, 0, entry->limit, value);
}

enum mc_point_result mc_paths_put(struct mc_paths *paths, const struct mc_point *point)
{
	mc_time time = point->time > 0 ? point->time : paths->wall;
	enum mc_point_result result;
	struct entry *entry;
	union mc_value value;
	bool first;

	paths->found = NULL;
	if (!isfinite(point->number))
		return MC_POINT_UNKNOWN;
	if (time > paths->wall + MC_AHEAD_MAX)
		return MC_POINT_FUTURE;
	if (point->size > MC_PATH_SIZE_MAX)
		return MC_POINT_NAME;
	entry = (struct entry *)mc_lru_find(&paths->entries, point->path, point->size);
	if (entry != NULL) {
		leave(paths, entry);
		mc_lru_use(&paths->entries, &entry->node);
	} else {
		result = make_entry(paths, point, &entry);
		if (result != MC_POINT_TAKEN)
			return result;
	}
	if (entry->limit == MC_LIMIT_NONE && !set_value(entry, point, &value))
		return MC_POINT_KIND;
	first = entry->last == 0;
	learn_interval(entry, time);
	entry->last = time;
	entry->used = paths->now;
	if (entry->limit != MC_LIMIT_NONE) {
		set_limit(paths, entry, point->number);
		return MC_POINT_TAKEN;
	}
	if (entry->check != MC_NAME_CHECK_NONE)
		mc_check_metrics_take(&paths->checks, paths->ctx,
				      &(struct mc_check_metric){ entry->series, entry->check, time,
								 point->number, first });
	mc_put_at(paths->batch, entry->series, (struct mc_stamp){ time, entry->interval }, &value,
		  1);
	return MC_POINT_TAKEN;
}

struct mc_series *mc_paths_found(const struct mc_paths *paths)
{
	return paths->found;
}

/* As long as its series would be there without us, and until its interval can be known. */
static bool is_gone(const struct entry *entry, mc_time now, double timeout)
{
	double intervals = (double)(now - entry->used) / (double)entry->interval;

	return intervals > timeout && (entry->is_known || intervals > FIRST_INTERVALS);
}

void mc_paths_sweep(struct mc_paths *paths)
{
	struct mc_lru_node *node = paths->swept, *next;
	double timeout = mc_timeout(paths->ctx);
	mc_time now = mc_now();

	if (node == NULL)
		node = paths->entries.oldest;
	for (unsigned i = 0; i < SWEEP_MAX && node != NULL; i++, node = next) {
		struct entry *entry = (struct entry *)node;

		next = node->newer;
		if (is_gone(entry, now, timeout))
			forget(paths, entry);
	}
	paths->swept = node;
}

size_t mc_paths_len(const struct mc_paths *paths)
{
	return paths->entries.map.len;
}

size_t mc_paths_size(const struct mc_paths *paths)
{
	return paths->size;
}
