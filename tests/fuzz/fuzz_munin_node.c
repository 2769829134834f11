/* SPDX-License-Identifier: MIT */
/* Any bytes as series of the collector, and as commands of a master to munin_node: answers are
 * whole lines without control characters, every plugin that is listed can be asked for, and no
 * two fields of a graph have one name.
 *
 * The first byte has options; then names of series, a line each, up to an empty line; the rest is
 * sent by the master.  The core, TLS and the stream are played; a series with '+' in its name has
 * metadata, the last value of one with '!' is missing. */
#include <assert.h>
#include <fnmatch.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/graphs.h>
#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/metadata.h>
#include <collector/writer.h>

#include "client.h"

#define SERIES_MAX 16
#define PART_SIZE 128
#define COMPONENT_MAX 240 /* As the core has it. */
#define NOW (INT64_C(1700000000) * MC_SECOND)

enum { /* Options. */
       TLS = 1,
       TLS_REQUIRED = 2,
       SPOOL = 4,
};

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const struct mc_type level = {
	.name = "level",
	.unit = "",
	.help = "A level.",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};
static const struct mc_type octets = {
	.name = "octets",
	.unit = "bytes/s",
	.help = "Octets.",
	.sources_len = 2,
	.sources = { { "rx", MC_DERIVE, 0, NAN }, { "tx", MC_ABSOLUTE, 0, 100 } },
};

static const struct mc_attribute attributes[] = {
	{ "graph_title", "title" },
	{ "graph", "no" },
	{ "draw", "LINE1" },
};
static const struct mc_metadata metadata = {
	.label = "label",
	.unit = "",
	.warning = { NAN, 10 },
	.failure = { 1, 20 },
	.unknown_after = 2,
	.attributes = attributes,
	.attributes_len = sizeof(attributes) / sizeof(*attributes),
};

struct mc_series {
	const struct mc_type *type; /* For mc_type(). */
	char name[2 * COMPONENT_MAX + PART_SIZE + 3];
	char host[PART_SIZE], plugin[COMPONENT_MAX + 1], plugin_instance[COMPONENT_MAX + 1];
	char type_name[COMPONENT_MAX + 1], type_instance[COMPONENT_MAX + 1];
};

struct stage {
	struct mc_ctx ctx;                   /* First: it is what the plugin gives back. */
	struct mc_series series[SERIES_MAX]; /* By name. */
	size_t series_len;
};

/* --- The core --------------------------------------------------------------- */

mc_time mc_now(void)
{
	return 1000 * MC_SECOND;
}

mc_time mc_wall(void)
{
	return NOW;
}

const char *mc_name(const struct mc_series *series)
{
	return series->name;
}

const char *mc_host(const struct mc_series *series)
{
	return series->host;
}

const char *mc_plugin(const struct mc_series *series)
{
	return series->plugin;
}

const char *mc_plugin_instance(const struct mc_series *series)
{
	return series->plugin_instance;
}

const char *mc_type_instance(const struct mc_series *series)
{
	return series->type_instance;
}

struct mc_reading *mc_read_begin(struct mc_ctx *ctx)
{
	return (struct mc_reading *)ctx;
}

void mc_read_end(struct mc_reading *reading)
{
	assert(reading != NULL);
}

struct mc_series *mc_find(struct mc_reading *reading, const char *name, size_t size)
{
	struct stage *stage = (struct stage *)reading;

	for (size_t i = 0; i < stage->series_len; i++)
		if (strlen(stage->series[i].name) == size &&
		    memcmp(stage->series[i].name, name, size) == 0)
			return &stage->series[i];
	return NULL;
}

void mc_latest(struct mc_reading *reading, struct mc_series *series, struct mc_latest *latest)
{
	(void)reading;
	*latest = (struct mc_latest){
		.time = NOW - MC_SECOND,
		.interval = 10 * MC_SECOND,
		.missing = strchr(series->name, '!') != NULL,
		.values_len = series->type->sources_len,
		.values = { { .derive = -1 }, { .absolute = 2 } },
		.rates = { 0.1, 1e300 },
		.made_by = "fuzz",
	};
}

size_t mc_each_series(struct mc_ctx *ctx, const char *glob,
		      bool (*show)(void *argument, struct mc_series *, const struct mc_latest *),
		      void *argument)
{
	struct stage *stage = (struct stage *)ctx;
	struct mc_latest latest;
	size_t matches = 0;
	bool shows = true;

	for (size_t i = 0; i < stage->series_len; i++) {
		struct mc_series *series = &stage->series[i];

		if (glob != NULL && fnmatch(glob, series->name, 0) != 0)
			continue;
		matches++;
		mc_latest((struct mc_reading *)stage, series, &latest);
		shows = shows && show(argument, series, &latest);
	}
	return matches;
}

const struct mc_metadata *mc_get_metadata(const struct mc_series *series, unsigned source)
{
	assert(source < series->type->sources_len);
	return strchr(series->name, '+') != NULL ? &metadata : NULL;
}

bool mc_draw_source(struct mc_ctx *ctx, const struct mc_series *series, unsigned source,
		    struct mc_source_drawing *drawing)
{
	(void)ctx;
	assert(source < series->type->sources_len);
	*drawing = (struct mc_source_drawing){
		.label = "value\t%",
		.scale = source == 0 ? 8 : 1e-300,
		.top = source == 0 ? NAN : 100,
		.draw = (enum mc_draw)(strlen(series->name) % (MC_DRAW_HIDDEN + 1)),
		.below = source == 1,
		.rank = strlen(series->name) % 3,
	};
	return strchr(series->name, '%') != NULL;
}

bool mc_title_source(struct mc_ctx *ctx, const struct mc_series *series, unsigned source,
		     struct mc_source_title *title)
{
	(void)ctx;
	assert(source < series->type->sources_len);
	*title = (struct mc_source_title){ "Two\nlines", "", "bit/s" };
	return strchr(series->name, '%') != NULL;
}

void mc_release_metadata(const struct mc_metadata *released)
{
	assert(released == NULL || released == &metadata);
}

int mc_history(struct mc_ctx *ctx, const char *name, struct mc_span span,
	       struct mc_history **history, char *why)
{
	const struct mc_series *series = mc_find((struct mc_reading *)ctx, name, strlen(name));
	const mc_time step = 100 * MC_SECOND;
	size_t points_len = (size_t)((span.to - span.from) / step);

	(void)why;
	*history = NULL;
	assert(series != NULL && span.from < span.to);
	assert(points_len <= MC_HISTORY_POINTS);
	*history = mc_alloc_zero(sizeof(**history) + series->type->sources_len * points_len *
							     sizeof(struct mc_history_point));
	(*history)->type = series->type;
	(*history)->start = span.from;
	(*history)->step = step;
	(*history)->points_len = (unsigned)points_len;
	for (size_t i = 0; i < series->type->sources_len * points_len; i++)
		(*history)->points[i] = (struct mc_history_point){ (double)i, (double)i, (double)i,
								   i % 3 == 0 ? 0 : 100 };
	return 0;
}

void mc_history_free(struct mc_history *history)
{
	free(history);
}

/* --- The stream ------------------------------------------------------------- */

static const struct mc_stream_layer tls_layer;

struct mc_tls *mc_tls_latest(struct mc_tls_server *server)
{
	return server->tls;
}

int mc_tls_stream_begin(struct mc_stream *stream, const struct mc_tls_start *how)
{
	assert(how->tls != NULL && stream->layer == NULL);
	stream->layer = &tls_layer;
	return 0;
}

void mc_stream_add_text(struct mc_stream *stream, const char *text)
{
	mc_buffer_add(&stream->out, text, strlen(text));
}

void mc_stream_yield(struct mc_stream *stream)
{
	stream->yielded = true;
}

void mc_stream_end(struct mc_stream *stream)
{
	stream->ending = true;
}

void mc_stream_close(struct mc_stream *stream)
{
	stream->over = true;
}

size_t mc_stream_take_lines(struct mc_stream *stream, char *bytes, size_t size)
{
	(void)stream, (void)bytes;
	return size;
}

void mc_stream_server_refuse(struct mc_stream_served *client, unsigned reason, const char *what,
			     const char *text)
{
	(void)client, (void)what, (void)text;
	assert(reason > 0 && reason < CLIENT_REFUSALS);
}

/* --- Series ----------------------------------------------------------------- */

/* "a-b-c": "a" and "b-c"; false: that is not a part of a name. */
static bool split(const char *text, size_t size, char name[], char instance[])
{
	const char *dash = memchr(text, '-', size);
	size_t name_size = dash != NULL ? (size_t)(dash - text) : size;

	if (name_size == 0 || size > COMPONENT_MAX || *text == '.' || dash == text + size - 1)
		return false;
	memcpy(name, text, name_size);
	if (dash != NULL)
		memcpy(instance, dash + 1, size - name_size - 1);
	return true;
}

static bool name_series(struct mc_series *series, const char *line, size_t size)
{
	const char *plugin = memchr(line, '/', size);
	const char *type =
		plugin != NULL ? memchr(plugin + 1, '/', size - (size_t)(plugin + 1 - line)) : NULL;

	if (type == NULL || plugin == line || *line == '.' || plugin - line >= PART_SIZE)
		return false;
	for (size_t i = 0; i < size; i++)
		if ((unsigned char)line[i] < ' ' || (unsigned char)line[i] > '~' ||
		    (line[i] == '/' && line + i != plugin && line + i != type))
			return false;
	if (!split(plugin + 1, (size_t)(type - plugin - 1), series->plugin,
		   series->plugin_instance) ||
	    !split(type + 1, size - (size_t)(type + 1 - line), series->type_name,
		   series->type_instance))
		return false;
	memcpy(series->host, line, (size_t)(plugin - line));
	memcpy(series->name, line, size);
	return true;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(((const struct mc_series *)a)->name, ((const struct mc_series *)b)->name);
}

static void add_series(struct stage *stage, const char *line, size_t size)
{
	struct mc_series *series = &stage->series[stage->series_len];

	if (stage->series_len == SERIES_MAX)
		return;
	memset(series, 0, sizeof(*series));
	if (!name_series(series, line, size) ||
	    mc_find((struct mc_reading *)stage, series->name, size) != NULL)
		return;
	series->type = strcmp(series->type_name, octets.name) == 0 ? &octets : &level;
	stage->series_len++;
}

/* Returns the bytes that they take. */
static size_t take_series(struct stage *stage, const char *text, size_t size)
{
	size_t done = 0;

	while (done < size) {
		const char *line = text + done, *end = memchr(line, '\n', size - done);

		if (end == NULL)
			return size;
		done += (size_t)(end - line) + 1;
		if (end == line)
			break;
		add_series(stage, line, (size_t)(end - line));
	}
	qsort(stage->series, stage->series_len, sizeof(*stage->series), by_name);
	return done;
}

/* --- The master -------------------------------------------------------------- */

static void look_at_names(const struct graph *graph)
{
	for (size_t i = 0; i < graph->fields_len; i++)
		for (size_t j = 0; j < i; j++)
			assert(strcmp(graph->fields[i].name, graph->fields[j].name) != 0);
}

static void look_at_graphs(const struct graphs *graphs)
{
	const struct mc_map_node *node = NULL;

	while ((node = mc_map_next(&graphs->plugins, node)) != NULL) {
		const struct graphs_plugin *plugin = (const struct graphs_plugin *)node;

		assert(plugin->name[strcspn(plugin->name, " \t\n")] == '\0');
		assert(graphs_find(graphs, plugin->name) == plugin);
		for (size_t i = 0; i < plugin->items_len; i++)
			look_at_names(&plugin->items[i]);
	}
}

/* What was added to be sent; it is sent. */
static void look_at_answer(struct mc_buffer *out)
{
	assert(out->size == 0 || out->at[out->size - 1] == '\n');
	for (size_t i = 0; i < out->size; i++)
		assert(out->at[i] == '\n' || (unsigned char)out->at[i] >= ' ');
	out->size = 0;
}

static void send_line(struct client *client, char *line, size_t size)
{
	struct mc_stream *stream = &client->base.stream;
	const struct mc_stream_kind *kind = stream->kind;
	bool was_ending = stream->ending;

	stream->yielded = false;
	kind->line(stream, line, size);
	assert(stream->ending || was_ending || stream->out.size > 0 || client->spooling);
	look_at_answer(&stream->out);
	while (client->spooling) {
		kind->fill(stream);
		look_at_answer(&stream->out);
	}
	look_at_graphs(&client->graphs);
}

static void send_all(struct client *client, const char *text, size_t size)
{
	const size_t line_max = client->base.stream.kind->rest_size_max;
	size_t done = 0;

	while (done < size && !client->base.stream.ending && !client->base.stream.over) {
		const char *end = memchr(text + done, '\n', size - done);
		size_t line_size = end != NULL ? (size_t)(end - text) - done : size - done;
		char *line;

		if (line_size > line_max)
			break;
		line = mc_alloc_zero(line_size + 1); /* Of exactly its size. */
		memcpy(line, text + done, line_size);
		send_line(client, line, line_size);
		free(line);
		done += line_size + 1;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct stage stage;
	static char tls;
	struct client_shared shared = { .ctx = &stage.ctx };
	struct mc_stream_listener listener = { .argument = &shared };
	struct mc_stream_kind kind = client_kind(900 * MC_SECOND);
	struct client client = { .base.listener = &listener, .base.stream.kind = &kind };
	const char *text = (const char *)data + 1;
	size_t head;

	if (size < 1)
		return 0;
	stage = (struct stage){ .ctx.host = "own" };
	shared.tls.tls = (data[0] & TLS) != 0 ? (struct mc_tls *)&tls : NULL;
	shared.require_tls = (data[0] & TLS_REQUIRED) != 0;
	shared.spool = (data[0] & SPOOL) != 0 ? 86400 * MC_SECOND : 0;
	head = take_series(&stage, text, size - 1);
	kind.opened(&client.base.stream);
	look_at_answer(&client.base.stream.out);
	send_all(&client, text + head, size - 1 - head);
	kind.closed(&client.base.stream);
	mc_buffer_free(&client.base.stream.out);
	return 0;
}
