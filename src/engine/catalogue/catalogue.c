/* SPDX-License-Identifier: MIT */
/* The catalogue: its thread, and its file. */
#include "engine/catalogue/catalogue_internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/store/metric.h"
#include "engine/store/notes.h"
#include "engine/store/store.h"
#include "model/series.h"

#define ALIVE_INTERVAL (60 * MC_SECOND)
#define AWAITED_MAX 10000               /* Of whom each record of what lives has a list. */
#define RETRY_INTERVAL (60 * MC_SECOND) /* Of writing the file anew. */
#define REWRITE_SIZE 65536              /* Bytes that are written at once, about. */

struct catalogue *catalogue_new(const char *path, size_t limit, struct store *store,
				struct mc_ctx *self) MC_NO_LOCK
{
	struct catalogue *catalogue = alloc_zero(sizeof(*catalogue));

	catalogue->path = alloc_copy(path);
	catalogue->limit = limit;
	catalogue->store = store;
	catalogue->metrics.table = store_metrics(store);
	catalogue->self = self;
	catalogue->started = clock_now();
	catalogue->alive_due = catalogue->started + ALIVE_INTERVAL;
	catalogue->file.fd = -1;
	catalogue->flush_due = INT64_MAX;
	pthread_mutex_init(&catalogue->lock, NULL);
	clock_cond_init(&catalogue->change);
	return catalogue;
}

void catalogue_free(struct catalogue *catalogue) MC_NO_LOCK
{
	if (catalogue == NULL)
		return;
	catalogue_file_close(&catalogue->file);
	past_done(&catalogue->past);
	catalogue_metrics_read_end(&catalogue->metrics);
	free(catalogue->records.bytes);
	pthread_cond_destroy(&catalogue->change);
	pthread_mutex_destroy(&catalogue->lock);
	free(catalogue->path);
	free(catalogue);
}

/* --- What has ended -------------------------------------------------------- */

struct catalogue_record catalogue_record_of(const struct past *past)
{
	return (struct catalogue_record){
		.kind = past->ended ? CATALOGUE_ENDED : CATALOGUE_BEGUN,
		.first = past->first,
		.last = past->last,
		.interval = past->interval,
		.name = past->name,
		.name_size = past->name_size,
	};
}

/* --- Writing --------------------------------------------------------------- */

static struct catalogue_record record_of_note(const struct note *note)
{
	return (struct catalogue_record){
		.kind = note->kind == NOTE_ENDED ? CATALOGUE_ENDED : CATALOGUE_BEGUN,
		.first = note->first,
		.last = note->last,
		.interval = note->interval,
		.name = note->name,
		.name_size = note->name_size,
	};
}

void catalogue_add_with_metric(struct catalogue *catalogue, struct records *records,
			       struct catalogue_record *record, const struct metric_kept *metric)
{
	record->has_metric = true;
	record->metric = (struct catalogue_metric){ .family = 0 };
	if (metric != NULL)
		catalogue_metrics_write(&catalogue->metrics, records, metric, &record->metric);
	catalogue_metrics_add_record(records, record);
}

/* The metric that a living series has now, to be let go. */
static struct metric_kept *take_metric(struct catalogue *catalogue, const struct note *note)
{
	struct mc_series *series = store_take_metric(catalogue->store, note->name, note->name_size);

	return series != NULL ? metric_hold(series) : NULL;
}

static void note_begun(struct catalogue *catalogue, const struct note *note)
{
	struct metric_kept *metric = note->has_metric ? take_metric(catalogue, note) : NULL;
	struct catalogue_record record = record_of_note(note);
	bool known = false, had_metric = false;
	struct past *past;

	pthread_mutex_lock(&catalogue->lock);
	past = past_find(&catalogue->past, note->name, note->name_size);
	if (past != NULL) {
		known = !past->ended && metric_is_same(past->metric, metric);
		had_metric = past->metric != NULL;
		if (past->first < record.first)
			record.first = past->first;
		past_remove(&catalogue->past, past);
	}
	if (!known && (metric != NULL || had_metric))
		catalogue_add_with_metric(catalogue, &catalogue->records, &record, metric);
	else if (!known)
		catalogue_metrics_add_record(&catalogue->records, &record);
	pthread_mutex_unlock(&catalogue->lock);
	metric_let_go(metric);
	if (record.first < note->first)
		store_set_first(catalogue->store, note->name, note->name_size, record.first);
}

static void note_ended(struct catalogue *catalogue, const struct note *note)
{
	struct catalogue_record record = record_of_note(note);
	struct past *past;

	pthread_mutex_lock(&catalogue->lock);
	past = past_end(&catalogue->past, &record);
	past_set_metric(past, note->metric != NULL ? metric_end(note->metric) : NULL);
	past_trim(&catalogue->past, catalogue->limit);
	if (note->is_new)
		catalogue_add_with_metric(catalogue, &catalogue->records, &record, note->metric);
	else
		catalogue_metrics_add_record(&catalogue->records, &record);
	pthread_mutex_unlock(&catalogue->lock);
}

/* A series lives, and has another metric. */
static void note_metric(struct catalogue *catalogue, const struct note *note)
{
	struct catalogue_record record = record_of_note(note);
	struct metric_kept *metric = take_metric(catalogue, note);

	pthread_mutex_lock(&catalogue->lock);
	if (past_find(&catalogue->past, note->name, note->name_size) == NULL)
		catalogue_add_with_metric(catalogue, &catalogue->records, &record, metric);
	pthread_mutex_unlock(&catalogue->lock);
	metric_let_go(metric);
}

static void take_note(void *argument, const struct note *note)
{
	switch ((enum note_kind)note->kind) {
	case NOTE_BEGUN:
		note_begun(argument, note);
		break;
	case NOTE_ENDED:
		note_ended(argument, note);
		break;
	case NOTE_METRIC:
		note_metric(argument, note);
		break;
	}
}

/* There were too many notes: all living series leave the past, and the file is to be written
 * anew. */
static void look_at_all(struct catalogue *catalogue, struct mc_series **all, size_t len)
{
	struct store_life life;
	struct past *past;

	for (size_t i = 0; i < len; i++) {
		mc_time first = 0;

		store_life(catalogue->store, all[i], &life);
		if (life.last == 0)
			continue;
		pthread_mutex_lock(&catalogue->lock);
		past = past_find(&catalogue->past, all[i]->name, all[i]->name_size);
		if (past != NULL) {
			first = past->first;
			past_remove(&catalogue->past, past);
		}
		pthread_mutex_unlock(&catalogue->lock);
		if (past != NULL)
			store_set_first(catalogue->store, all[i]->name, all[i]->name_size, first);
	}
	catalogue->stale = true;
}

/* Calls 'look' with all series that live, which the batch keeps alive. */
static void with_all(struct catalogue *catalogue,
		     void (*look)(struct catalogue *, struct mc_series **all, size_t len))
{
	struct mc_batch *batch = store_begin(catalogue->store, catalogue->self);
	struct mc_series **all;
	size_t len = store_all(catalogue->store, &all);

	look(catalogue, all, len);
	free(all);
	store_release(catalogue->store, batch);
}

/* Series that have not come back in the time of grace have ended. */
static void settle(struct catalogue *catalogue)
{
	pthread_mutex_lock(&catalogue->lock);
	catalogue->settled = true;
	for (struct past *p = past_next(&catalogue->past, NULL), *next; p != NULL; p = next) {
		struct catalogue_record record;

		next = past_next(&catalogue->past, p);
		if (p->ended)
			continue;
		past_set_ended(&catalogue->past, p, true);
		record = catalogue_record_of(p);
		catalogue_metrics_add_record(&catalogue->records, &record);
	}
	past_trim(&catalogue->past, catalogue->limit);
	pthread_mutex_unlock(&catalogue->lock);
}

/* Those that have not come back do not live: they keep their times. */
static void add_awaited(struct catalogue *catalogue) MC_REQUIRES(catalogue->lock)
{
	for (struct past *p = past_next(&catalogue->past, NULL); p != NULL;
	     p = past_next(&catalogue->past, p)) {
		struct catalogue_record record = catalogue_record_of(p);

		if (!p->ended)
			catalogue_metrics_add_record(&catalogue->records, &record);
	}
}

static void say_alive(struct catalogue *catalogue)
{
	const struct catalogue_record record = { .kind = CATALOGUE_ALIVE, .last = clock_wall() };
	mc_time now = clock_now();
	size_t awaited;
	bool settled;

	pthread_mutex_lock(&catalogue->lock);
	settled = catalogue->settled;
	awaited = catalogue->past.len - catalogue->past.ended_len;
	pthread_mutex_unlock(&catalogue->lock);
	if (!settled && now - catalogue->started >= CATALOGUE_GRACE) {
		settle(catalogue);
		awaited = 0;
	}
	if (now < catalogue->alive_due || awaited > AWAITED_MAX)
		return;
	catalogue->alive_due = now + ALIVE_INTERVAL;
	catalogue->alive_before = record.last;
	pthread_mutex_lock(&catalogue->lock);
	catalogue_metrics_add_record(&catalogue->records, &record);
	add_awaited(catalogue);
	pthread_mutex_unlock(&catalogue->lock);
}

static void report(struct catalogue *catalogue, int rc)
{
	if (rc < 0 && !catalogue->failing)
		log_warn("cannot write '%s': %s; what begins and ends is kept in memory",
			 catalogue->path, strerror(-rc));
	else if (rc == 0 && catalogue->failing)
		log_note("'%s' is written again", catalogue->path);
	catalogue->failing = rc < 0;
}

static void append(struct catalogue *catalogue)
{
	struct records records;
	int rc;

	pthread_mutex_lock(&catalogue->lock);
	records = catalogue->records;
	catalogue->records = (struct records){ 0 };
	pthread_mutex_unlock(&catalogue->lock);
	if (records.size > 0 && !catalogue->stale && catalogue->file.fd >= 0) {
		rc = catalogue_file_append(&catalogue->file, records.bytes, records.size);
		catalogue->stale = rc < 0;
		report(catalogue, rc);
	}
	free(records.bytes);
}

struct rewrite { /* The file, while it is written anew. */
	struct catalogue *catalogue;
	struct catalogue_rewrite file;
	struct records records; /* That wait. */
};

static void write_waiting(struct rewrite *rewrite, size_t most)
{
	if (rewrite->records.size <= most)
		return;
	catalogue_file_rewrite_add(&rewrite->file, rewrite->records.bytes, rewrite->records.size);
	rewrite->records.size = 0;
}

static void add_record(struct rewrite *rewrite, struct catalogue_record *record,
		       const struct metric_kept *metric)
{
	if (metric != NULL)
		catalogue_add_with_metric(rewrite->catalogue, &rewrite->records, record, metric);
	else
		catalogue_metrics_add_record(&rewrite->records, record);
}

static void add_living(struct rewrite *rewrite, struct mc_series *series)
{
	struct catalogue_record record = { .kind = CATALOGUE_BEGUN };
	struct metric_kept *metric;
	struct store_life life;

	store_life(rewrite->catalogue->store, series, &life);
	if (life.last == 0)
		return;
	record.first = life.first;
	record.last = life.last;
	record.interval = life.interval;
	record.name = series->name;
	record.name_size = series->name_size;
	metric = metric_hold(series);
	add_record(rewrite, &record, metric);
	metric_let_go(metric);
	write_waiting(rewrite, REWRITE_SIZE);
}

/* Those that may come back, after the record of what lives: it is not of them. */
static void add_away(struct rewrite *rewrite)
{
	struct catalogue *catalogue = rewrite->catalogue;
	struct catalogue_record record;

	pthread_mutex_lock(&catalogue->lock);
	for (struct past *p = past_next(&catalogue->past, NULL); p != NULL;
	     p = past_next(&catalogue->past, p)) {
		record = catalogue_record_of(p);
		if (!p->ended)
			add_record(rewrite, &record, p->metric);
	}
	pthread_mutex_unlock(&catalogue->lock);
}

/* Those that have ended, in their order. */
static void add_ended(struct rewrite *rewrite)
{
	struct catalogue *catalogue = rewrite->catalogue;
	struct catalogue_record record;

	pthread_mutex_lock(&catalogue->lock);
	for (struct past *p = catalogue->past.oldest; p != NULL; p = p->newer) {
		record = catalogue_record_of(p);
		add_record(rewrite, &record, p->metric);
	}
	pthread_mutex_unlock(&catalogue->lock);
}

/* Writes the living series, then the others. */
static void rewrite(struct catalogue *catalogue, struct mc_series **all, size_t len)
{
	struct rewrite rewrite = { .catalogue = catalogue };
	const struct catalogue_record alive = { .kind = CATALOGUE_ALIVE,
						.last = catalogue->alive_before };

	catalogue_metrics_renumber(&catalogue->metrics);
	catalogue_file_rewrite_begin(&catalogue->file, &rewrite.file);
	for (size_t i = 0; i < len; i++)
		add_living(&rewrite, all[i]);
	add_ended(&rewrite);
	catalogue_metrics_add_record(&rewrite.records, &alive);
	add_away(&rewrite);
	write_waiting(&rewrite, 0);
	free(rewrite.records.bytes);
	report(catalogue, catalogue_file_rewrite_end(&catalogue->file, &rewrite.file));
	catalogue->stale = catalogue->failing;
}

static void take_notes(struct catalogue *catalogue, struct notes *notes)
{
	/* Keeps alive what is looked at. */
	struct mc_batch *batch = store_begin(catalogue->store, catalogue->self);

	notes_each(notes, take_note, catalogue);
	store_release(catalogue->store, batch);
	if (notes->lost)
		with_all(catalogue, look_at_all);
	notes_free(notes);
}

/* Once a minute: a sender that changes its mind all the time shall not fill the disk. */
static void flush_metrics(struct catalogue *catalogue)
{
	mc_time now = clock_now();
	struct notes notes;

	if (now < catalogue->metrics_due)
		return;
	catalogue->metrics_due = now + ALIVE_INTERVAL;
	store_take_metric_notes(catalogue->store, &notes);
	take_notes(catalogue, &notes);
}

/* All notes that were taken are in the file, or cannot be. */
static void end_wait(struct catalogue *catalogue)
{
	store_metrics_written(catalogue->store);
	pthread_mutex_lock(&catalogue->lock);
	catalogue->flushes++;
	catalogue->in_vain = catalogue->stale || catalogue->in_memory;
	pthread_cond_broadcast(&catalogue->change);
	pthread_mutex_unlock(&catalogue->lock);
}

/* Returns whether the next flush has ended. */
static bool wait_for_flush(struct catalogue *catalogue, mc_time until)
{
	uint64_t before;
	bool ended;

	pthread_mutex_lock(&catalogue->lock);
	before = catalogue->flushes;
	catalogue->wanted = true;
	pthread_cond_broadcast(&catalogue->change);
	while (catalogue->flushes == before && !catalogue->in_vain && !catalogue->stopping &&
	       thread_wait(&catalogue->change, &catalogue->lock, until))
		;
	ended = catalogue->flushes != before;
	catalogue->in_vain |= !ended;
	pthread_mutex_unlock(&catalogue->lock);
	return ended;
}

/* A flush that has begun before may not have all of them, the next one has. */
void catalogue_commit_metrics(struct catalogue *catalogue)
{
	mc_time until = thread_time() + CATALOGUE_WAIT;

	for (int i = 0; i < 2 && store_awaits_metrics(catalogue->store); i++)
		if (!wait_for_flush(catalogue, until))
			break;
}

void catalogue_flush(struct catalogue *catalogue)
{
	mc_time now = clock_now();
	struct notes notes;

	store_take_notes(catalogue->store, &notes);
	take_notes(catalogue, &notes);
	flush_metrics(catalogue);
	say_alive(catalogue);
	append(catalogue);
	end_wait(catalogue);
	if (catalogue->in_memory)
		return;
	if ((catalogue->stale && now >= catalogue->retry_due) ||
	    (!catalogue->stale && catalogue_file_is_old(&catalogue->file))) {
		catalogue->retry_due = now + RETRY_INTERVAL;
		with_all(catalogue, rewrite);
	}
}

static void scan(struct catalogue *catalogue)
{
	void (*due)(void *argument);
	void *argument;

	pthread_mutex_lock(&catalogue->lock);
	due = catalogue->stopping ? NULL : catalogue->scan;
	argument = catalogue->scan_argument;
	catalogue->scan = NULL;
	pthread_mutex_unlock(&catalogue->lock);
	if (due == NULL || !catalogue->empty)
		return;
	catalogue->flush_due = clock_now() + CATALOGUE_FLUSH;
	due(argument);
	catalogue->flush_due = INT64_MAX;
}

void catalogue_scan_if_empty(struct catalogue *catalogue, void (*due)(void *argument),
			     void *argument)
{
	pthread_mutex_lock(&catalogue->lock);
	catalogue->scan = due;
	catalogue->scan_argument = argument;
	pthread_mutex_unlock(&catalogue->lock);
}

static void *run(void *argument)
{
	struct catalogue *catalogue = argument;
	bool stopping = false;

	catalogue_load(catalogue);
	while (!stopping) {
		pthread_mutex_lock(&catalogue->lock);
		if (!catalogue->stopping && !catalogue->wanted)
			clock_wait(&catalogue->change, &catalogue->lock,
				   clock_now() + CATALOGUE_FLUSH);
		stopping = catalogue->stopping;
		catalogue->wanted = false;
		pthread_mutex_unlock(&catalogue->lock);
		if (stopping)
			catalogue->alive_due = catalogue->metrics_due = 0;
		catalogue_flush(catalogue);
		scan(catalogue);
	}
	return NULL;
}

void catalogue_start(struct catalogue *catalogue)
{
	int rc;

	pthread_mutex_lock(&catalogue->lock);
	catalogue->load_end = thread_time() + CATALOGUE_LOAD;
	pthread_mutex_unlock(&catalogue->lock);
	rc = thread_start(&catalogue->thread, "catalogue", run, catalogue);
	catalogue->threaded = rc == 0;
	if (rc < 0)
		log_warn("cannot start the thread of the catalogue: %s", strerror(-rc));
}

bool catalogue_stop(struct catalogue *catalogue, mc_time until)
{
	if (!catalogue->threaded)
		return true;
	pthread_mutex_lock(&catalogue->lock);
	catalogue->stopping = true;
	pthread_cond_broadcast(&catalogue->change);
	pthread_mutex_unlock(&catalogue->lock);
	catalogue->threaded = !thread_join(catalogue->thread, until);
	return !catalogue->threaded;
}
