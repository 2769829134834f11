/* SPDX-License-Identifier: MIT */
/* The catalogue: its thread, and its file. */
#include "engine/catalogue/catalogue_internal.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/store/notes.h"
#include "engine/store/store.h"
#include "model/series.h"

#define ALIVE_INTERVAL (60 * MC_SECOND)
#define RETRY_INTERVAL (60 * MC_SECOND) /* Of writing the file anew. */

struct catalogue *catalogue_new(const char *path, size_t limit, struct store *store,
				struct mc_ctx *self) MC_NO_LOCK
{
	struct catalogue *catalogue = alloc_zero(sizeof(*catalogue));

	catalogue->path = alloc_copy(path);
	catalogue->limit = limit;
	catalogue->store = store;
	catalogue->self = self;
	catalogue->started = clock_now();
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
	free(catalogue->records.bytes);
	pthread_cond_destroy(&catalogue->change);
	pthread_mutex_destroy(&catalogue->lock);
	free(catalogue->path);
	free(catalogue);
}

/* --- What has ended -------------------------------------------------------- */

void catalogue_add_record(struct records *records, const struct catalogue_record *record)
{
	if (records->room - records->size < CATALOGUE_RECORD_MAX) {
		records->room = 2 * records->room + 65536;
		records->bytes = alloc_resize(records->bytes, records->room, 1);
	}
	records->size += catalogue_record_write(records->bytes + records->size, record);
}

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

static void set_ended(struct catalogue *catalogue, struct past *past) MC_REQUIRES(catalogue->lock)
{
	past_set_ended(&catalogue->past, past, true);
	while (catalogue->past.ended_len > catalogue->limit)
		past_remove(&catalogue->past, catalogue->past.oldest);
}

static void add_ended(struct catalogue *catalogue, const struct catalogue_record *record)
	MC_REQUIRES(catalogue->lock)
{
	struct past *past = past_find(&catalogue->past, record->name, record->name_size);

	if (past == NULL) {
		past = past_add(&catalogue->past, record->name, record->name_size);
		past->first = record->first;
	}
	if (record->first < past->first)
		past->first = record->first;
	past->last = record->last;
	past->interval = record->interval;
	set_ended(catalogue, past);
}

/* --- Reading --------------------------------------------------------------- */

static void load_begun(struct catalogue *catalogue, const struct catalogue_record *record)
	MC_REQUIRES(catalogue->lock)
{
	struct past *past = past_find(&catalogue->past, record->name, record->name_size);

	if (past == NULL)
		past = past_add(&catalogue->past, record->name, record->name_size);
	past_set_ended(&catalogue->past, past, false);
	past->first = record->first;
	past->interval = record->interval;
	past->last = record->last; /* Or as the record of what lives says. */
}

static void load_record(void *argument, const struct catalogue_record *record)
{
	struct catalogue *catalogue = argument;
	struct past *past;

	pthread_mutex_lock(&catalogue->lock);
	switch (record->kind) {
	case CATALOGUE_BEGUN:
		load_begun(catalogue, record);
		break;
	case CATALOGUE_ENDED:
		add_ended(catalogue, record);
		break;
	case CATALOGUE_FORGOTTEN:
		past = past_find(&catalogue->past, record->name, record->name_size);
		if (past != NULL)
			past_remove(&catalogue->past, past);
		break;
	case CATALOGUE_ALIVE:
		catalogue->alive_before = record->last;
		break;
	}
	pthread_mutex_unlock(&catalogue->lock);
}

/* Series that lived have the time of the last record that says so, if that is the latest known. */
static void date_living(struct catalogue *catalogue) MC_REQUIRES(catalogue->lock)
{
	for (struct past *p = past_next(&catalogue->past, NULL); p != NULL;
	     p = past_next(&catalogue->past, p))
		if (!p->ended && p->last < catalogue->alive_before)
			p->last = catalogue->alive_before;
}

void catalogue_load(struct catalogue *catalogue)
{
	struct catalogue_file_damage damage;
	int rc = catalogue_file_open(&catalogue->file, catalogue->path, load_record, catalogue,
				     &damage);

	pthread_mutex_lock(&catalogue->lock);
	date_living(catalogue);
	catalogue->empty = catalogue->past.len == 0 && catalogue->alive_before == 0;
	pthread_mutex_unlock(&catalogue->lock);
	catalogue->stale = rc == -ENOSPC || rc == -EDQUOT;
	catalogue->in_memory = rc < 0 && !catalogue->stale;
	if (catalogue->in_memory)
		log_warn("cannot read '%s': %s; series that end are known until a restart",
			 catalogue->path, rc == -EBUSY ? "another process has it" : strerror(-rc));
	if (damage.foreign)
		log_warn("'%s' is not a catalogue of this version: it is now '%s.old'",
			 catalogue->path, catalogue->path);
	else if (damage.bytes > 0)
		log_warn("'%s' has %" PRIu64 " damaged bytes, which are skipped", catalogue->path,
			 damage.bytes);
}

/* --- Writing --------------------------------------------------------------- */

static void note_begun(struct catalogue *catalogue, const struct note *note)
{
	struct catalogue_record record = { CATALOGUE_BEGUN, note->first, note->last,
					   note->interval,  note->name,  note->name_size };
	struct past *past;
	mc_time first = note->first;
	bool known;

	pthread_mutex_lock(&catalogue->lock);
	past = past_find(&catalogue->past, note->name, note->name_size);
	known = past != NULL && !past->ended;
	if (past != NULL) {
		if (past->first < first)
			record.first = first = past->first;
		past_remove(&catalogue->past, past);
	}
	if (!known)
		catalogue_add_record(&catalogue->records, &record);
	pthread_mutex_unlock(&catalogue->lock);
	if (first < note->first)
		store_set_first(catalogue->store, note->name, note->name_size, first);
}

static void take_note(void *argument, const struct note *note)
{
	struct catalogue *catalogue = argument;
	const struct catalogue_record record = { CATALOGUE_ENDED, note->first, note->last,
						 note->interval,  note->name,  note->name_size };

	if (!note->ended) {
		note_begun(catalogue, note);
		return;
	}
	pthread_mutex_lock(&catalogue->lock);
	add_ended(catalogue, &record);
	catalogue_add_record(&catalogue->records, &record);
	pthread_mutex_unlock(&catalogue->lock);
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
		catalogue_add_record(&catalogue->records, &record);
	}
	while (catalogue->past.ended_len > catalogue->limit)
		past_remove(&catalogue->past, catalogue->past.oldest);
	pthread_mutex_unlock(&catalogue->lock);
}

static void say_alive(struct catalogue *catalogue)
{
	mc_time now = clock_now();
	bool settled;

	pthread_mutex_lock(&catalogue->lock);
	settled = catalogue->settled;
	pthread_mutex_unlock(&catalogue->lock);
	if (!settled && now - catalogue->started < CATALOGUE_GRACE)
		return;
	if (!settled)
		settle(catalogue);
	if (now < catalogue->alive_due)
		return;
	catalogue->alive_due = now + ALIVE_INTERVAL;
	catalogue->alive_before = clock_wall();
	pthread_mutex_lock(&catalogue->lock);
	catalogue_add_record(&catalogue->records,
			     &(struct catalogue_record){ .kind = CATALOGUE_ALIVE,
							 .last = catalogue->alive_before });
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

/* Series that do not live; those that have ended come last, in their order. */
static struct records past_records(struct catalogue *catalogue)
{
	struct records records = { 0 };
	struct catalogue_record record;

	pthread_mutex_lock(&catalogue->lock);
	for (struct past *p = past_next(&catalogue->past, NULL); p != NULL;
	     p = past_next(&catalogue->past, p)) {
		record = catalogue_record_of(p);
		if (!p->ended)
			catalogue_add_record(&records, &record);
	}
	for (struct past *p = catalogue->past.oldest; p != NULL; p = p->newer) {
		record = catalogue_record_of(p);
		catalogue_add_record(&records, &record);
	}
	pthread_mutex_unlock(&catalogue->lock);
	return records;
}

/* Writes the living series, then the others. */
static void rewrite(struct catalogue *catalogue, struct mc_series **all, size_t len)
{
	struct catalogue_rewrite *out = alloc_resize(NULL, 1, sizeof(*out));
	struct catalogue_record record = { .kind = CATALOGUE_BEGUN };
	struct records records;
	struct store_life life;

	catalogue_file_rewrite_begin(&catalogue->file, out);
	for (size_t i = 0; i < len; i++) {
		store_life(catalogue->store, all[i], &life);
		record.first = life.first;
		record.last = life.last;
		record.interval = life.interval;
		record.name = all[i]->name;
		record.name_size = all[i]->name_size;
		if (life.last != 0)
			catalogue_file_rewrite_add(out, &record);
	}
	records = past_records(catalogue);
	catalogue_file_rewrite_add_bytes(out, records.bytes, records.size);
	free(records.bytes);
	catalogue_file_rewrite_add(out,
				   &(struct catalogue_record){ .kind = CATALOGUE_ALIVE,
							       .last = catalogue->alive_before });
	report(catalogue, catalogue_file_rewrite_end(&catalogue->file, out));
	catalogue->stale = catalogue->failing;
	free(out);
}

void catalogue_flush(struct catalogue *catalogue)
{
	mc_time now = clock_now();
	struct notes notes;

	store_take_notes(catalogue->store, &notes);
	notes_each(&notes, take_note, catalogue);
	if (notes.lost)
		with_all(catalogue, look_at_all);
	notes_free(&notes);
	say_alive(catalogue);
	append(catalogue);
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
		if (!catalogue->stopping)
			clock_wait(&catalogue->change, &catalogue->lock,
				   clock_now() + CATALOGUE_FLUSH);
		stopping = catalogue->stopping;
		pthread_mutex_unlock(&catalogue->lock);
		catalogue->alive_due = stopping ? 0 : catalogue->alive_due;
		catalogue_flush(catalogue);
		scan(catalogue);
	}
	return NULL;
}

void catalogue_start(struct catalogue *catalogue)
{
	int rc = thread_start(&catalogue->thread, "catalogue", run, catalogue);

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
