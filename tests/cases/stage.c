/* SPDX-License-Identifier: MIT */
#include "stage.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "engine/change/engine_internal.h"
#include "engine/write/writer_internal.h"

#include "feed.h"
#include "fixture.h"
#include "places.h"
#include "printer.h"

#define QUEUE_SIZE (1 << 20)
#define STOP_LIMIT (5 * MC_SECOND)

/* --- Sinks ---------------------------------------------------------------- */

static void open_sink(struct stage_sink *sink)
{
	sink->file = open_memstream(&sink->text, &sink->size);
}

static void close_sink(struct stage_sink *sink)
{
	if (sink->file == NULL)
		return;
	fclose(sink->file);
	free(sink->text);
}

static FILE *file_of(const struct stage *stage, const struct stage_sink *sink)
{
	return sink->file != NULL ? sink->file : stage->out;
}

/* Not every libc lets fflush() tell the size where nothing was written since. */
static void empty(struct stage_sink *sink)
{
	rewind(sink->file);
	sink->size = 0;
}

static void show(struct stage_sink *sink, FILE *out)
{
	if (sink->file == NULL)
		return;
	fflush(sink->file);
	fwrite(sink->text, 1, sink->size, out);
	empty(sink);
}

/* The plugin's own series first, then by name; of one series as they came, so by place. */
static int by_series(const void *a, const void *b, void *plugin)
{
	const char *one = *(char *const *)a, *other = *(char *const *)b;
	size_t n = strcspn(one, " "), m = strcspn(other, " ");
	size_t size = strlen(plugin);
	int order = (strncmp(other, plugin, size) == 0) - (strncmp(one, plugin, size) == 0);

	if (order == 0)
		order = strncmp(one, other, n < m ? n : m);
	if (order == 0)
		order = (n > m) - (n < m);
	return order != 0 ? order : (one > other) - (one < other);
}

static void show_by_series(const struct stage *stage, struct stage_sink *sink)
{
	char plugin[128], **lines;
	size_t len = 0;

	fflush(sink->file);
	lines = alloc_array(sink->size + 1, sizeof(char *));
	for (char *line = sink->text, *end = line + sink->size; line < end;
	     line += strcspn(line, "\n") + 1)
		lines[len++] = line;
	snprintf(plugin, sizeof(plugin), "%s/", stage->setup->plugin->name);
	qsort_r(lines, len, sizeof(*lines), by_series, plugin);
	for (size_t i = 0; i < len; i++)
		fprintf(stage->out, "%.*s\n", (int)strcspn(lines[i], "\n"), lines[i]);
	free(lines);
	empty(sink);
}

void stage_show(struct stage *stage)
{
	show(&stage->log, stage->out);
	if (stage->setup->plugin->judge != NULL)
		show_by_series(stage, &stage->samples);
	else
		show(&stage->samples, stage->out);
	show(&stage->notifications, stage->out);
}

void stage_forget(struct stage *stage)
{
	if (stage->setup->plugin->judge != NULL)
		return;
	empty(&stage->notifications);
	empty(&stage->samples);
}

/* --- The engine ----------------------------------------------------------- */

static void print_log(void *argument, enum mc_level level, const char *line)
{
	if (level < MC_DEBUG)
		fprintf(argument, "%s: %s\n", log_level_name(level), line);
}

static void print_problems(const struct problems *problems, FILE *out)
{
	for (size_t i = 0; i < problems->len; i++) {
		char line[1024];

		problem_format(&problems->items[i], line, sizeof(line));
		fprintf(out, "%s\n", line);
	}
}

/* The plugin, what feeds it, and what prints: of a judge samples and
 * notifications, of a writer and in a case without a peer one of both. */
static void add_instances(struct stage *stage, bool in_order)
{
	struct setup *setup = stage->setup;
	const bool fed = setup_is_fed(setup), judge = setup->plugin->judge != NULL;
	struct engine *engine = stage->engine;
	struct instance *instance;

	if (judge) /* Before it has derived anything. */
		printer_of_samples(engine, "taken", stage->samples.file);
	instance = engine_add(engine, setup->plugin, setup->plugin->name);
	setup_configure(setup, engine_ctx(instance)->self);
	if (fed || in_order)
		stage->feed = engine_ctx(engine_add(engine, &feed_plugin, "feed"));
	if (fed || in_order)
		printer_of_notifications(engine, "printer", file_of(stage, &stage->notifications));
	if (!fed || in_order)
		printer_of_samples(engine, "samples", file_of(stage, &stage->samples));
}

void stage_init(struct stage *stage, struct setup *setup, FILE *out, bool in_order)
{
	const struct engine_settings settings = {
		.version = "0",
		.host = PRINTER_HOST,
		.root = stage->root,
		.types = setup->types,
		.graphs = setup->graphs,
		.interval = setup->interval,
		.read_interval_max = setup->interval,
		.timeout = 2,
		.read_threads = 1,
		.series_limit = 10000,
		.queue_bytes = QUEUE_SIZE,
	};

	*stage = (struct stage){ .setup = setup, .out = out };
	if (in_order) {
		open_sink(&stage->log);
		open_sink(&stage->notifications);
	}
	if (in_order || setup->plugin->judge != NULL)
		open_sink(&stage->samples);
	fixture_init(stage->root, sizeof(stage->root));
	places_set_root(setup->places, stage->root);
	clock_stop(1000 * MC_SECOND, 1700000000 * MC_SECOND);
	log_to_stderr(-1);
	log_add_target(print_log, file_of(stage, &stage->log));
	stage->engine = engine_new(&settings);
	add_instances(stage, in_order);
	print_problems(&setup->problems, out);
}

void stage_start(struct stage *stage)
{
	engine_start_idle(stage->engine);
}

bool stage_next_root(struct stage *stage)
{
	char path[PATH_MAX];
	bool found = setup_root(stage->setup, ++stage->reads, path);

	if (found)
		fixture_lay(stage->root, path);
	return found;
}

void stage_wake_writers(struct stage *stage)
{
	const struct instance_set *set = stage->engine->instances.current;

	for (unsigned i = 0; i < set->writers_len; i++) {
		struct worker *worker = &set->writers[i]->worker;

		pthread_mutex_lock(&worker->lock);
		if (worker->state == WORKER_LINGERING)
			worker_wake(worker, WORKER_AT_ONCE);
		pthread_mutex_unlock(&worker->lock);
	}
}

bool stage_stop(struct stage *stage)
{
	return engine_stop(stage->engine, STOP_LIMIT);
}

void stage_done(struct stage *stage, bool stopped)
{
	if (stopped)
		engine_free(stage->engine);
	log_remove_target(file_of(stage, &stage->log));
	stage_show(stage);
	close_sink(&stage->log);
	close_sink(&stage->samples);
	close_sink(&stage->notifications);
	fixture_done(stage->root);
}
