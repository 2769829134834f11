/* SPDX-License-Identifier: MIT */
/* A picture is drawn once for each step of its points, however many look. */
#include "graph.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/metadata.h>

#include "answer.h"
#include "api.h"
#include "history_query.h"
#include "web.h"
#include "whole.h"

#define PICTURES_SIZE ((size_t)1 << 20) /* Bytes that are kept. */
#define KEY_SIZE 1200
#define NAME_SIZE 1024
#define TITLE_SIZE 1024
#define DAY 86400

struct picture {
	struct mc_lru_node node;
	char *key;
	mc_time until; /* It is drawn anew then; monotonic. */
	struct mc_picture png;
};

struct range {
	const char *name;
	int64_t seconds;
};
static const struct range ranges[] = {
	{ "day", DAY },   { "week", 7 * DAY }, { "month", 31 * DAY }, { "year", 366 * DAY },
	{ "hour", 3600 }, { "6h", 6 * 3600 },  { NULL, 0 },
};
#define PAGE_RANGES 4 /* The first ones are those of a page. */

struct wanted {
	char name[NAME_SIZE];
	int64_t seconds; /* Until now; 0: the span is the one that was asked for. */
	int64_t width, height;
	struct mc_span span;
};

void graph_init(struct graphs *graphs)
{
	pthread_mutex_init(&graphs->lock, NULL);
}

/* --- Pictures that are kept ---------------------------------------------- */

static void drop(struct graphs *graphs, struct picture *picture) MC_REQUIRES(graphs->lock)
{
	mc_lru_remove(&graphs->pictures, &picture->node);
	graphs->size -= picture->png.size;
	free(picture->png.bytes);
	free(picture->key);
	free(picture);
}

void graph_done(struct graphs *graphs)
{
	while (graphs->pictures.oldest != NULL)
		drop(graphs, (struct picture *)graphs->pictures.oldest);
	mc_lru_done(&graphs->pictures);
	pthread_mutex_destroy(&graphs->lock);
}

/* A copy, to be freed; false without one. */
static bool recall(struct graphs *graphs, const char *key, struct mc_picture *png)
{
	struct picture *picture;

	*png = (struct mc_picture){ NULL, 0 };
	pthread_mutex_lock(&graphs->lock);
	picture = (struct picture *)mc_lru_find(&graphs->pictures, key, strlen(key));
	if (picture != NULL && picture->until <= mc_now()) {
		drop(graphs, picture);
		picture = NULL;
	}
	if (picture != NULL) {
		png->size = picture->png.size;
		png->bytes = mc_alloc_bytes(picture->png.bytes, png->size);
		mc_lru_use(&graphs->pictures, &picture->node);
	}
	pthread_mutex_unlock(&graphs->lock);
	return png->bytes != NULL;
}

/* Others may have drawn the same meanwhile. */
static void keep(struct graphs *graphs, const char *key, mc_time until,
		 const struct mc_picture *png)
{
	struct picture *picture;

	if (png->size > PICTURES_SIZE)
		return;
	picture = mc_alloc_zero(sizeof(*picture));
	picture->key = mc_alloc_copy(key);
	picture->until = until;
	picture->png.size = png->size;
	picture->png.bytes = mc_alloc_bytes(png->bytes, png->size);
	pthread_mutex_lock(&graphs->lock);
	while (graphs->size + png->size > PICTURES_SIZE)
		drop(graphs, (struct picture *)graphs->pictures.oldest);

	struct picture *same = (struct picture *)mc_lru_find(&graphs->pictures, key, strlen(key));

	if (same != NULL)
		drop(graphs, same);
	mc_lru_add(&graphs->pictures, &picture->node, picture->key, strlen(picture->key));
	graphs->size += png->size;
	pthread_mutex_unlock(&graphs->lock);
}

/* --- Drawing ------------------------------------------------------------- */

static void refuse(struct mc_httpd_request *request, int rc, const char *why)
{
	answer_refuse(request, rc == -ENOENT ? 404 : 503, why);
}

/* librrd knows whole seconds. */
static int get_history(struct mc_ctx *ctx, const struct wanted *wanted, struct mc_history **history,
		       char *why)
{
	struct mc_span span = wanted->span;
	int rc = mc_history(ctx, wanted->name, span, history, why);

	if (*history == NULL || (*history)->step % MC_SECOND == 0)
		return rc;
	span.step = ((*history)->step / MC_SECOND + 1) * MC_SECOND;
	mc_history_free(*history);
	return mc_history(ctx, wanted->name, span, history, why);
}

/* Facts about a series besides its history. */
struct about {
	const struct mc_metadata *metadata; /* NULL: nothing; to be released. */
	struct mc_latest latest;            /* All zero: it has gone. */
};

static struct about about(struct mc_ctx *ctx, const char *name)
{
	struct about about = { 0 };
	struct mc_reading *reading = mc_read_begin(ctx);
	struct mc_series *series = mc_find(reading, name, strlen(name));

	if (series != NULL) {
		about.metadata = mc_get_metadata(series, 0);
		mc_latest(reading, series, &about.latest);
	}
	mc_read_end(reading);
	return about;
}

/* "HOST: TITLE, LABEL", if a title is known, or the name of the series. */
static void make_title(char title[TITLE_SIZE], const char *name, const struct mc_metadata *metadata,
		       const struct mc_type *type)
{
	const char *graph_title = mc_metadata_attribute(metadata, "graph_title");
	bool has_label =
		graph_title != NULL && type->sources_len == 1 && metadata->label[0] != '\0';

	if (graph_title == NULL)
		snprintf(title, TITLE_SIZE, "%s", name);
	else
		snprintf(title, TITLE_SIZE, "%.*s: %s%s%s", (int)strcspn(name, "/"), name,
			 graph_title, has_label ? ", " : "", has_label ? metadata->label : "");
}

/* Values are drawn as they came: a "cdef" would make others of them, and the unit is of those. */
static const char *unit_of(const struct mc_metadata *metadata)
{
	if (mc_metadata_attribute(metadata, "cdef") != NULL)
		return "";
	return metadata != NULL && metadata->unit[0] != '\0' ? metadata->unit : NULL;
}

static int draw_history(struct mc_ctx *ctx, const struct wanted *wanted,
			const struct mc_history *history, struct mc_picture *png, char *why)
{
	const struct about known = about(ctx, wanted->name);
	char title[TITLE_SIZE];
	const struct mc_graph graph = {
		.history = history,
		.title = title,
		.unit = unit_of(known.metadata),
		.now = wanted->seconds > 0 && known.latest.values_len >= history->type->sources_len
			       ? known.latest.rates
			       : NULL,
		.width = (unsigned)wanted->width,
		.height = (unsigned)wanted->height,
	};
	int rc;

	make_title(title, wanted->name, known.metadata, history->type);
	rc = mc_graph(ctx, &graph, png, why);
	mc_release_metadata(known.metadata);
	return rc;
}

/* --- Graphs of several series -------------------------------------------- */

struct whole {
	struct mc_httpd_request *request;
	const struct wanted *wanted;
	const char *key;
	struct mc_picture *png;
	bool drawn;
};

static void draw_values(struct whole *whole, const struct mc_drawing *drawing,
			const struct whole_values *values)
{
	const struct wanted *wanted = whole->wanted;
	char title[TITLE_SIZE], why[MC_HISTORY_WHY];
	const struct mc_graph graph = {
		.history = values->history,
		.lines = values->lines,
		.title = title,
		.unit = drawing->unit,
		.width = (unsigned)wanted->width,
		.height = (unsigned)wanted->height,
	};
	int rc;

	snprintf(title, sizeof(title), "%s: %s", drawing->host, drawing->title);
	rc = mc_graph(web_ctx(whole->request), &graph, whole->png, why);
	whole->drawn = rc == 0;
	if (rc == 0)
		keep(web_graphs(whole->request), whole->key, mc_now() + values->history->step,
		     whole->png);
	else
		refuse(whole->request, rc, why);
}

static void draw_found(void *argument, const struct mc_drawing *drawing)
{
	struct whole *whole = argument;
	struct whole_values values;

	whole_read(&values, web_ctx(whole->request), drawing, whole->wanted->span);
	if (values.history != NULL)
		draw_values(whole, drawing, &values);
	else
		answer_refuse(whole->request, 503,
			      values.why[0] != '\0' ? values.why : "its series have no values");
	whole_done(&values);
}

static bool draw_whole(struct mc_httpd_request *request, const struct wanted *wanted,
		       const char *key, struct mc_picture *png)
{
	struct whole whole = { request, wanted, key, png, false };

	if (!whole_find(web_ctx(request), wanted->name, draw_found, &whole))
		answer_refuse(request, 404, "there is no series and no graph of that name");
	return whole.drawn;
}

static bool draw(struct mc_httpd_request *request, const struct wanted *wanted, const char *key,
		 struct mc_picture *png)
{
	struct mc_ctx *ctx = web_ctx(request);
	struct mc_history *history;
	char why[MC_HISTORY_WHY];
	int rc = get_history(ctx, wanted, &history, why);

	if (history == NULL && rc == -ENOENT)
		return draw_whole(request, wanted, key, png);
	if (history == NULL) {
		refuse(request, rc, why);
		return false;
	}
	rc = draw_history(ctx, wanted, history, png, why);
	if (rc == 0)
		keep(web_graphs(request), key, mc_now() + history->step, png);
	else
		refuse(request, rc, why);
	mc_history_free(history);
	return rc == 0;
}

/* --- What is asked ------------------------------------------------------- */

/* The last hour, day and so on, or from and to; the width is known. */
static bool read_range(struct mc_httpd_request *request, struct wanted *wanted)
{
	const char *text = mc_httpd_query(request, "range");
	mc_time now = mc_wall();

	if (text == NULL && mc_httpd_query(request, "from") != NULL)
		return history_query_span(request, (unsigned)wanted->width, &wanted->span);
	if (text == NULL)
		text = "day";
	for (const struct range *range = ranges; range->name != NULL; range++)
		if (strcmp(text, range->name) == 0) {
			wanted->seconds = range->seconds;
			wanted->span = (struct mc_span){ .from = now - range->seconds * MC_SECOND,
							 .to = now,
							 .points = (unsigned)wanted->width };
			return true;
		}
	answer_refuse(request, 400, "range is not one of hour, 6h, day, week, month, year");
	return false;
}

/* NAME.png */
static bool read_name(struct mc_httpd_request *request, struct wanted *wanted)
{
	const char *name = mc_httpd_path(request) + strlen(GRAPH_PATH);
	size_t size = strlen(name);

	if (size <= 4 || strcmp(name + size - 4, ".png") != 0 || size - 4 >= NAME_SIZE) {
		answer_refuse(request, 404, "a graph is called NAME.png");
		return false;
	}
	memcpy(wanted->name, name, size - 4);
	return true;
}

static void make_key(char key[KEY_SIZE], const struct wanted *wanted)
{
	bool fixed = wanted->seconds == 0;

	snprintf(key, KEY_SIZE, "%lld %lld %lld %lld %u %s", (long long)wanted->seconds,
		 fixed ? (long long)wanted->span.from : 0, fixed ? (long long)wanted->span.to : 0,
		 (long long)wanted->width << 16 | (long long)wanted->height, wanted->span.points,
		 wanted->name);
}

void graph_answer(struct mc_httpd_request *request)
{
	struct wanted wanted = { .name = "" };
	struct mc_picture png;
	char key[KEY_SIZE];

	if (!read_name(request, &wanted) ||
	    !api_number(request, "width", (struct api_bounds){ 10, MC_GRAPH_WIDTH_MAX, 480 },
			&wanted.width) ||
	    !api_number(request, "height", (struct api_bounds){ 10, MC_GRAPH_HEIGHT_MAX, 120 },
			&wanted.height) ||
	    !read_range(request, &wanted))
		return;
	make_key(key, &wanted);
	if (!recall(web_graphs(request), key, &png) && !draw(request, &wanted, key, &png))
		return;
	answer_headers(request, "no-cache");
	mc_httpd_answer(request, 200, "image/png", png.bytes, png.size);
	free(png.bytes);
}

/* --- The page ------------------------------------------------------------ */

static void add(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

static void add_html(struct mc_buffer *out, const char *text)
{
	for (; *text != '\0'; text++) {
		char entity[8];

		if (strchr("<>&\"'", *text) != NULL) {
			snprintf(entity, sizeof(entity), "&#%d;", *text);
			add(out, entity);
		} else {
			mc_buffer_add(out, text, 1);
		}
	}
}

/* As a part of a URL: '/' stays. */
static void add_url(struct mc_buffer *out, const char *text)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789-._~/";

	for (; *text != '\0'; text++) {
		char hex[4];

		if (strchr(plain, *text) != NULL) {
			mc_buffer_add(out, text, 1);
		} else {
			snprintf(hex, sizeof(hex), "%%%02X", (unsigned char)*text);
			add(out, hex);
		}
	}
}

static bool is_known(struct mc_ctx *ctx, const char *name)
{
	struct mc_reading *reading = mc_read_begin(ctx);
	bool known = mc_find(reading, name, strlen(name)) != NULL;

	mc_read_end(reading);
	return known || whole_find(ctx, name, NULL, NULL);
}

void graph_page(struct mc_httpd_request *request)
{
	const char *name = mc_httpd_path(request) + strlen(GRAPHS_PATH);
	struct mc_buffer out = { 0 };

	if (!is_known(web_ctx(request), name)) {
		answer_refuse(request, 404, "there is no series and no graph of that name");
		return;
	}
	add(&out, "<!DOCTYPE html>\n<html lang=\"en\"><meta charset=\"utf-8\">"
		  "<title>");
	add_html(&out, name);
	add(&out, "</title>\n<h1>");
	add_html(&out, name);
	add(&out, "</h1>\n");
	for (unsigned i = 0; i < PAGE_RANGES; i++) {
		add(&out, "<p><img src=\"" GRAPH_PATH);
		add_url(&out, name);
		add(&out, ".png?range=");
		add(&out, ranges[i].name);
		add(&out, "\" alt=\"the last ");
		add(&out, ranges[i].name);
		add(&out, "\">\n");
	}
	answer_bytes(request, "text/html; charset=utf-8", out.at, out.size);
	mc_buffer_free(&out);
}
