/* SPDX-License-Identifier: MIT */
/* The graphs of series: each source of each series is placed by its rule, and what is sorted in the
 * order in which it is shown falls into graphs and lines. */
#include <collector/control.h>
#include <collector/graphs.h>
#include <collector/writer.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "engine/context.h"
#include "engine/graphs/graph_glob.h"
#include "engine/graphs/graph_labels.h"
#include "engine/graphs/graph_match.h"
#include "engine/graphs/graph_subject.h"
#include "engine/store/registry.h"

struct entry { /* A source of a series. */
	const struct graph_rule *rule;
	const struct mc_series *series;
	const char *host, *id, *group, *name, *instance;
	unsigned source;
	double scale, limit;
	struct graph_place place;
	struct mc_bounds warning, failure;
};

struct drawings {
	const struct graph_rules *rules;
	struct arena arena; /* Of texts. */
	struct entry *entries;
	size_t len, room;
};

/* --- Sources ------------------------------------------------------------- */

static const char *keep(struct drawings *drawings, const char *text)
{
	return arena_copy(&drawings->arena, text, strlen(text));
}

static const char *make_name(struct drawings *drawings, const char *instance, const char *label)
{
	size_t size = strlen(instance), label_size = strlen(label);
	char *name;

	if (size == 0)
		return keep(drawings, label);
	if (label_size == 0)
		return instance;
	name = arena_take(&drawings->arena, size + label_size + 2);
	memcpy(name, instance, size);
	name[size] = ' ';
	memcpy(name + size + 1, label, label_size + 1);
	return name;
}

static struct mc_bounds scaled(struct mc_bounds bounds, double scale)
{
	return (struct mc_bounds){ bounds.min * scale, bounds.max * scale };
}

static void add(struct drawings *drawings, const struct graph_rule *rule,
		const struct graph_subject *subject, struct entry *entry)
{
	const struct mc_metadata *metadata = subject->metadata;
	char text[GRAPH_TEXT_SIZE];

	entry->rule = rule;
	graph_match_id(rule, subject, text);
	entry->id = keep(drawings, text);
	graph_match_instance(rule, subject, text);
	entry->instance = keep(drawings, text);
	entry->name = make_name(drawings, entry->instance, graph_match_label(rule, subject));
	entry->group = "";
	if (rule->combine != MC_COMBINE_NONE) {
		graph_match_group(subject, rule->by & ~MC_PART_UNIT, text);
		entry->group = keep(drawings, text);
	}
	entry->scale = graph_match_scale(rule, subject);
	entry->limit *= entry->scale;
	entry->warning = entry->failure = (struct mc_bounds){ NAN, NAN };
	if (metadata != NULL) {
		entry->warning = scaled(metadata->warning, entry->scale);
		entry->failure = scaled(metadata->failure, entry->scale);
	}
	if (drawings->len == drawings->room) {
		drawings->room = 2 * drawings->len + 64;
		drawings->entries = alloc_resize(drawings->entries, drawings->room, sizeof(*entry));
	}
	drawings->entries[drawings->len++] = *entry;
}

static double value_of(const struct mc_latest *latest, unsigned source)
{
	return latest != NULL && source < latest->values_len ? latest->rates[source] : NAN;
}

static void add_source(struct drawings *drawings, const struct mc_series *series,
		       const struct mc_latest *latest, unsigned source)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, source);
	struct graph_subject subject = graph_subject_of(series, source, metadata);
	struct entry entry = {
		.series = series, .host = subject.host, .source = source, .limit = NAN
	};
	const struct graph_rule *rule = graph_match(drawings->rules, &subject, &entry.place);

	if (rule != NULL && entry.place.draw == MC_DRAW_LIMIT)
		entry.limit = value_of(latest, source);
	if (rule != NULL)
		add(drawings, rule, &subject, &entry);
	mc_release_metadata(metadata);
}

static bool add_series(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	for (unsigned i = 0; i < mc_type(series)->sources_len; i++)
		add_source(argument, series, latest, i);
	return true;
}

/* --- Their order --------------------------------------------------------- */

static int by_rank(const struct entry *a, const struct entry *b)
{
	return (a->place.rank > b->place.rank) - (a->place.rank < b->place.rank);
}

/* In a stack the same of all instances lies together; else an instance has its lines together. */
static int by_line(const struct entry *a, const struct entry *b)
{
	bool stacked = a->rule->draw == MC_DRAW_STACK;
	int order = stacked ? by_rank(a, b) : strverscmp(a->instance, b->instance);

	if (order == 0)
		order = stacked ? strverscmp(a->instance, b->instance) : by_rank(a, b);
	if (order == 0)
		order = strverscmp(a->name, b->name);
	if (order == 0)
		order = strcmp(a->group, b->group);
	if (order == 0 && a->rule->combine == MC_COMBINE_NONE)
		order = strcmp(mc_name(a->series), mc_name(b->series));
	return order != 0 ? order : (a->source > b->source) - (a->source < b->source);
}

static int by_graph(const struct entry *a, const struct entry *b)
{
	int order = strcmp(a->host, b->host);

	if (order == 0)
		order = (a->rule->order > b->rule->order) - (a->rule->order < b->rule->order);
	if (order == 0)
		order = (a->rule > b->rule) - (a->rule < b->rule);
	return order != 0 ? order : strverscmp(a->id, b->id);
}

static int compare(const void *a, const void *b)
{
	int order = by_graph(a, b);

	return order != 0 ? order : by_line(a, b);
}

/* --- Graphs -------------------------------------------------------------- */

static bool same_line(const struct entry *a, const struct entry *b)
{
	return a->rule->combine != MC_COMBINE_NONE && a->source == b->source &&
	       strcmp(a->group, b->group) == 0;
}

static struct mc_drawing_line line_of(const struct entry *entry)
{
	return (struct mc_drawing_line){
		.name = entry->name,
		.instance = entry->instance,
		.series = mc_name(entry->series),
		.group = entry->group,
		.source = entry->source,
		.draw = entry->place.draw,
		.below = entry->place.below,
		.heads = entry->place.heads,
		.warning = entry->warning,
		.failure = entry->failure,
		.scale = entry->scale,
		.limit = entry->limit,
	};
}

static const char *make_glob(const struct entry *entries, size_t len, struct arena *arena)
{
	struct graph_glob glob = { .series = NULL };

	for (size_t i = 0; i < len; i++)
		if (entries[i].place.draw != MC_DRAW_LIMIT)
			graph_glob_add(&glob, entries[i].series);
	if (glob.series == NULL) /* Limits alone. */
		graph_glob_add(&glob, entries->series);
	return graph_glob_text(&glob, arena);
}

/* Texts of the drawing are in the arena, which is that of one graph. */
static struct mc_drawing drawing_of(const struct entry *first, struct arena *arena)
{
	const struct mc_metadata *metadata = mc_get_metadata(first->series, first->source);
	const struct graph_rule *rule = first->rule;
	struct graph_subject subject = graph_subject_of(first->series, first->source, metadata);
	const char *unit = rule->share ? "%" : rule->unit != NULL ? rule->unit : subject.unit;
	char title[GRAPH_TEXT_SIZE], family[GRAPH_TEXT_SIZE];

	graph_match_fill(rule->title, &subject, title);
	graph_match_fill(rule->family, &subject, family);
	struct mc_drawing drawing = {
		.id = first->id,
		.rule = rule->name,
		.host = first->host,
		.family = arena_copy(arena, family, strlen(family)),
		.title = arena_copy(arena, title, strlen(title)),
		.unit = arena_copy(arena, unit, strlen(unit)),
		.info = rule->info != NULL ? rule->info : mc_type(first->series)->help,
		.top = rule->share ? 100 : rule->top,
		.limit = rule->limit,
		.order = rule->order,
		.share = rule->share,
		.own = rule->attribute != NULL,
		.most = (unsigned)rule->most,
		.combine = (enum mc_combine)rule->combine,
		.by = rule->by,
	};
	mc_release_metadata(metadata);
	return drawing;
}

struct showing {
	bool (*show)(void *argument, const struct mc_drawing *drawing);
	void *argument;
	struct mc_drawing_line *lines;   /* Room for those of any graph. */
	const struct mc_series **series; /* The same, the first of each. */
};

/* Makes lines of the entries of a graph; returns how many. */
static size_t make_lines(const struct showing *showing, const struct entry *entries, size_t len,
			 struct arena *arena)
{
	size_t lines_len = 0;

	for (size_t i = 0; i < len; i++) {
		if (i == 0 || !same_line(&entries[i], &entries[i - 1])) {
			showing->series[lines_len] = entries[i].series;
			showing->lines[lines_len++] = line_of(&entries[i]);
		}
		showing->lines[lines_len - 1].series_len++;
	}
	if (entries->rule->names == GRAPH_NAMES_LABELS)
		graph_labels_name(showing->lines, showing->series, lines_len, arena);
	return lines_len;
}

static bool show_graph(const struct showing *showing, const struct entry *entries, size_t len)
{
	struct arena arena;
	struct mc_drawing drawing;
	bool more;

	arena_init(&arena, 1024);
	drawing = drawing_of(entries, &arena);
	drawing.lines = showing->lines;
	drawing.lines_len = make_lines(showing, entries, len, &arena);
	drawing.glob = make_glob(entries, len, &arena);
	more = showing->show(showing->argument, &drawing);
	arena_done(&arena);
	return more;
}

static size_t show_all(const struct drawings *drawings, const struct showing *showing)
{
	const struct entry *entries = drawings->entries;
	size_t graphs = 0, end;
	bool more = true;

	for (size_t at = 0; at < drawings->len; at = end) {
		for (end = at + 1; end < drawings->len; end++)
			if (by_graph(&entries[at], &entries[end]) != 0)
				break;
		more = more && show_graph(showing, entries + at, end - at);
		graphs++;
	}
	return graphs;
}

size_t mc_each_drawing(struct mc_ctx *ctx, const struct mc_drawing_query *query,
		       bool (*show)(void *argument, const struct mc_drawing *drawing),
		       void *argument)
{
	struct drawings drawings = { .rules = context_of(ctx)->registry->graphs };
	struct showing showing = { show, argument, NULL, NULL };
	struct mc_reading *reading;
	size_t graphs;

	if (drawings.rules == NULL)
		return 0;
	reading = mc_read_begin(ctx);
	arena_init(&drawings.arena, 4096);
	mc_page_series(ctx,
		       &(struct mc_series_page){
			       .glob = query->glob,
			       .limit = SIZE_MAX,
			       .ended_since = query->ended_since,
		       },
		       add_series, &drawings);
	if (drawings.len > 0)
		qsort(drawings.entries, drawings.len, sizeof(*drawings.entries), compare);
	showing.lines = alloc_array(drawings.len + 1, sizeof(*showing.lines));
	showing.series = alloc_array(drawings.len + 1, sizeof(struct mc_series *));
	graphs = show_all(&drawings, &showing);
	free(showing.lines);
	free(showing.series);
	free(drawings.entries);
	arena_done(&drawings.arena);
	mc_read_end(reading);
	return graphs;
}
