/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "The Render URL API", and answers of graphite-web 1.1.10: a value is of
 * the time at which its interval ends. */
#include "fetch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/writer.h>

#include "paths.h"
#include "pattern.h"
#include "tags.h"

#define CURVES_MAX 4096 /* Of one answer. */

struct match { /* A path that a pattern stands for. */
	char *path, *series, *tags;
	unsigned source;
};

struct matches {
	struct evaluation *evaluation;
	struct pattern glob;
	struct match *items;
	unsigned len, room;
};

/* --- Paths --------------------------------------------------------------- */

static struct fetch *fetch_of(const struct evaluation *evaluation)
{
	return evaluation->argument;
}

static void free_match(struct match *match)
{
	free(match->path);
	free(match->series);
	free(match->tags);
}

/* Takes over 'match', unless there are too many. */
static bool add(struct matches *matches, struct match match)
{
	if (fetch_of(matches->evaluation)->curves + matches->len == CURVES_MAX) {
		evaluation_fail(matches->evaluation, "too many series match: more than %d",
				CURVES_MAX);
		free_match(&match);
		return false;
	}
	MC_ARRAY_GROW(matches->items, matches->len, matches->room);
	matches->items[matches->len++] = match;
	return true;
}

/* "name=PATH". */
static char *name_tag(const char *path)
{
	size_t size = strlen(path);
	char *tags = mc_alloc_zero(size + sizeof("name=") + 1);

	memcpy(tags, "name=", 5);
	memcpy(tags + 5, path, size);
	return tags;
}

static bool keep(void *argument, const struct paths_one *one)
{
	struct matches *matches = argument;

	if (!pattern_matches(&matches->glob, one->path))
		return true;
	return add(matches, (struct match){ mc_alloc_copy(one->path), mc_alloc_copy(one->series),
					    name_tag(one->path), one->source });
}

static bool keep_tagged(void *argument, const struct tags_one *one)
{
	const char *end = one->tags;

	while (*end != '\0')
		end += strlen(end) + 1;
	return add(argument,
		   (struct match){ mc_alloc_copy(one->path), mc_alloc_copy(one->series),
				   mc_alloc_bytes(one->tags, (size_t)(end - one->tags) + 1),
				   one->source });
}

static int by_path(const void *a, const void *b)
{
	const struct match *left = a, *right = b;

	return strcmp(left->path, right->path);
}

static void find_tagged(struct matches *matches, const struct expression *call)
{
	struct tags_query query = { .len = 0 };
	char why[TAGS_WHY];

	if (tags_query_call(&query, call, why))
		tags_each(fetch_of(matches->evaluation)->ctx, &query, keep_tagged, matches);
	else
		evaluation_fail(matches->evaluation, "%s", why);
	tags_query_done(&query);
}

static void find_paths(struct matches *matches, const char *pattern)
{
	if (!pattern_init(&matches->glob, pattern)) {
		evaluation_fail(matches->evaluation, "a pattern has too much in it");
		return;
	}
	paths_each(fetch_of(matches->evaluation)->ctx, pattern, keep, matches);
	pattern_done(&matches->glob);
}

static void find(struct matches *matches, const struct expression *part)
{
	if (part->kind == EXPRESSION_CALL)
		find_tagged(matches, part);
	else
		find_paths(matches, part->text);
	if (matches->len > 0)
		qsort(matches->items, matches->len, sizeof(struct match), by_path);
}

static void forget(struct matches *matches)
{
	for (unsigned i = 0; i < matches->len; i++)
		free_match(&matches->items[i]);
	free(matches->items);
}

/* --- Values -------------------------------------------------------------- */

static int64_t round_down(int64_t seconds, int64_t step)
{
	return seconds - seconds % step;
}

/* 'step' 0: as the series has it, in whole seconds.  NULL: there is nothing. */
static struct mc_history *read_part(const struct fetch *fetch, const char *name, int64_t from,
				    int64_t until, int64_t step)
{
	struct mc_span span = { .from = from * MC_SECOND,
				.to = until * MC_SECOND,
				.step = step * MC_SECOND,
				.points = fetch->points };
	struct mc_history *history;
	char why[MC_HISTORY_WHY];

	mc_history(fetch->ctx, name, span, &history, why);
	if (history != NULL && history->step % MC_SECOND != 0) {
		span.step = (history->step / MC_SECOND + 1) * MC_SECOND;
		mc_history_free(history);
		mc_history(fetch->ctx, name, span, &history, why);
	}
	return history;
}

/* A curve with the grid that Graphite has; NULL: it has too many points. */
static struct curve *begin(struct evaluation *evaluation, const char *path, int64_t step)
{
	struct curve_grid grid = { .start = round_down(evaluation->from, step) + step,
				   .end = round_down(evaluation->until, step) + step,
				   .step = step };
	struct curve *curve;

	if (grid.end <= grid.start)
		grid.end = grid.start + step;
	if (!evaluation_admits(evaluation, (uint64_t)((grid.end - grid.start) / step)))
		return NULL;
	grid.len = (unsigned)((grid.end - grid.start) / step);
	curve = curve_new(path, grid);
	curve->known_share = evaluation->known_share;
	return curve;
}

static void add_part(struct curve *curve, struct mc_history *history, unsigned source)
{
	const struct mc_history_point *points = mc_history_points(history, source);
	const struct curve_grid *grid = &curve->grid;

	for (unsigned i = 0; i < history->points_len; i++) {
		int64_t time = (history->start + (i + 1) * history->step) / MC_SECOND;

		if (time >= grid->start && time < grid->end)
			curve->values[(time - grid->start) / grid->step] = points[i].average;
	}
}

/* In parts as long as the graph: a window that moves begins before it, in the same steps. */
static struct curve *read_curve(struct evaluation *evaluation, const struct match *match)
{
	const struct fetch *fetch = fetch_of(evaluation);
	int64_t from = evaluation->from, until = evaluation->until, step = 0;
	struct curve *curve = NULL;

	while (from < until && !evaluation_failed(evaluation)) {
		int64_t end = until - from > fetch->span ? from + fetch->span : until;
		struct mc_history *history = read_part(fetch, match->series, from, end, step);

		if (history == NULL)
			break;
		if (curve == NULL) {
			step = history->step / MC_SECOND;
			curve = begin(evaluation, match->path, step);
		}
		if (curve != NULL)
			add_part(curve, history, match->source);
		mc_history_free(history);
		end = end < until ? round_down(end, step) : end;
		if (end <= from)
			break;
		from = end;
		if (!evaluation_admits(evaluation, 0))
			break;
	}
	return curve;
}

/* All values of a request are limited: of many series, each has fewer. */
static void share_points(struct fetch *fetch, unsigned series)
{
	unsigned most = series > 0 ? EVALUATION_VALUES / 4 / series : fetch->points;

	most = most > fetch->wanted ? most : fetch->wanted;
	fetch->points = most < fetch->points ? most : fetch->points;
}

static struct curve *get(struct evaluation *evaluation, const struct expression *part)
{
	struct matches matches = { .evaluation = evaluation };
	struct curve *first = NULL, **end = &first;
	struct fetch *fetch = fetch_of(evaluation);
	const char *expression = part->kind == EXPRESSION_CALL ? part->source : part->text;

	find(&matches, part);
	share_points(fetch, matches.len);
	for (unsigned i = 0; i < matches.len && evaluation_admits(evaluation, 0); i++) {
		*end = read_curve(evaluation, &matches.items[i]);
		fetch->curves++;
		if (*end == NULL)
			continue;
		curve_set_tags(*end, matches.items[i].tags);
		free((*end)->expression);
		(*end)->expression = mc_alloc_copy(expression);
		end = &(*end)->next;
	}
	forget(&matches);
	return first;
}

static bool goes_on(struct evaluation *evaluation)
{
	struct fetch *fetch = fetch_of(evaluation);

	if (mc_now() < fetch->end && !mc_stopping(fetch->ctx))
		return true;
	fetch->is_late = true;
	evaluation_fail(evaluation, "the files of the series do not come in time");
	return false;
}

void fetch_init(struct fetch *fetch, struct evaluation *evaluation)
{
	fetch->points = MC_HISTORY_POINTS;
	evaluation->fetch = get;
	evaluation->goes_on = goes_on;
	evaluation->argument = fetch;
}
