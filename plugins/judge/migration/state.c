/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "counters.h"
#include "record.h"

#define SAVE_EVERY (3600 * MC_SECOND)
#define RAWS_SUFFIX ".counters" /* After the path of the text. */

enum which { CHANGED, KEPT, ALL };

static bool is_kept(const struct state *state)
{
	return state->path != NULL && *state->path != '\0';
}

static void add_wait(struct mc_buffer *text, const struct mc_series *series,
		     const struct record_wait *times, const union mc_value *values)
{
	struct record_wait wait = *times;

	wait.host = mc_host(series);
	wait.plugin_instance = mc_plugin_instance(series);
	wait.type = mc_type(series)->name;
	wait.type_instance = mc_type_instance(series);
	memcpy(wait.values, values, wait.values_len * sizeof(values[0]));
	record_write_wait(text, &wait);
}

void state_note_wait(struct state *state, const struct moves_sample *sample,
		     const struct mc_series *series)
{
	struct record_wait times = { .time = sample->time,
				     .interval = sample->interval,
				     .stream = sample->stream,
				     .values_len = sample->values_len };

	if (!is_kept(state))
		return;
	add_wait(&state->waits, series, &times, sample->values);
	state->moves->dirty = true;
}

static void add_waits(struct mc_buffer *text, const struct moves_guest *guest)
{
	for (const struct handover_sample *at = guest->handover.samples; at != NULL;
	     at = at->next) {
		struct record_wait times = { .time = at->time,
					     .interval = at->interval,
					     .stream = at->stream,
					     .values_len = at->values_len };

		add_wait(text, at->series, &times, at->values);
	}
}

/* Adds those guests, which are then as they are in the file. */
static void add_records(struct state *state, enum which which, struct mc_buffer *text)
{
	mc_time now = mc_wall();

	pthread_mutex_lock(state->lock);
	/* Those of guests whose lines follow are in them once more, after their lines. */
	if (which == CHANGED)
		mc_buffer_add(text, state->waits.at, state->waits.size);
	mc_buffer_clear(&state->waits);
	for (struct moves_guest *at = NULL; (at = moves_next(state->moves, at)) != NULL;) {
		at->kept |= at->dirty;
		if (which == ALL || (which == KEPT ? at->kept : at->dirty)) {
			record_write(text, at, now);
			add_waits(text, at);
		}
		at->dirty = false;
	}
	state->moves->dirty = false;
	pthread_mutex_unlock(state->lock);
}

static void complain(struct mc_ctx *ctx, struct state *state, int rc)
{
	state->unsaved = rc < 0;
	if (rc < 0)
		mc_complain(ctx, &state->unwritable, -rc,
			    "cannot write '%s', so after a restart counters of guests that have "
			    "moved begin anew",
			    state->path);
	else
		mc_works(ctx, &state->unwritable, "'%s' is written again", state->path);
}

static void append(struct state *state) MC_REQUIRES(state->file_lock)
{
	struct mc_buffer text = { 0 };
	int rc = 0;

	add_records(state, CHANGED, &text);
	if (text.size > 0)
		rc = mc_state_file_append(&state->file, &text);
	if (rc < 0)
		state->append_failed = -rc;
	mc_buffer_free(&text);
}

void state_append(struct state *state)
{
	if (!is_kept(state))
		return;
	pthread_mutex_lock(&state->file_lock);
	append(state);
	pthread_mutex_unlock(&state->file_lock);
}

/* Lines that are appended while the disk is waited for go to the file before it and to this one. */
static void replace(struct mc_ctx *ctx, struct state *state, enum which which)
{
	struct mc_buffer text = { 0 };
	int fd, rc;

	mc_buffer_add(&text, RECORD_HEAD, strlen(RECORD_HEAD));
	pthread_mutex_lock(&state->file_lock);
	append(state); /* Else nobody waits until it is written. */
	state->file.replacing = true;
	add_records(state, which, &text);
	pthread_mutex_unlock(&state->file_lock);
	if (which == ALL)
		mc_buffer_add(&text, RECORD_END, strlen(RECORD_END));
	fd = mc_state_file_write(state->path, &text);
	pthread_mutex_lock(&state->file_lock);
	rc = mc_state_file_take(&state->file, fd, text.size);
	state->append_failed = 0;
	pthread_mutex_unlock(&state->file_lock);
	complain(ctx, state, rc);
	mc_buffer_free(&text);
	state->saved = mc_now();
}

static void grow_raws(struct state *state)
{
	size_t used, capacity;

	pthread_mutex_lock(state->lock);
	used = state->raws.raws.used;
	pthread_mutex_unlock(state->lock);
	capacity = raws_file_grow(&state->raws, used);
	pthread_mutex_lock(state->lock);
	state->raws.raws.capacity = capacity;
	pthread_mutex_unlock(state->lock);
}

void state_save(struct mc_ctx *ctx, struct state *state)
{
	bool old;
	int failed;

	if (!is_kept(state))
		return;
	pthread_mutex_lock(&state->file_lock);
	append(state);
	old = mc_state_file_is_old(&state->file);
	failed = state->append_failed;
	pthread_mutex_unlock(&state->file_lock);
	if (failed != 0 && !state->unsaved)
		complain(ctx, state, -failed);
	if (old || state->unsaved || mc_now() - state->saved >= SAVE_EVERY)
		replace(ctx, state, KEPT);
	grow_raws(state);
}

static void wait_again(struct mc_ctx *ctx, struct state *state, const struct record_wait *waits)
{
	struct mc_batch *batch = mc_begin(ctx);

	for (; waits != NULL; waits = waits->next) {
		struct mc_series *series =
			mc_series(batch, (struct mc_id){ .host = waits->host,
							 .plugin = "virt",
							 .plugin_instance = waits->plugin_instance,
							 .type = waits->type,
							 .type_instance = waits->type_instance });
		struct moves_guest *guest;
		struct moves_sample sample;

		guest = (struct moves_guest *)moves_find(state->moves, waits->host);
		if (series == NULL || guest == NULL ||
		    mc_type(series)->sources_len != waits->values_len)
			continue;
		sample = (struct moves_sample){ .host = waits->host,
						.stream = waits->stream,
						.now = mc_wall(),
						.time = waits->time,
						.interval = waits->interval,
						.waited = true,
						.values = (union mc_value *)waits->values,
						.values_len = waits->values_len };
		moves_restore_waiting(state->moves, guest, &sample, mc_hold(series));
	}
	mc_discard(batch);
}

static void load(struct mc_ctx *ctx, struct state *state)
{
	struct mc_buffer text = { 0 };
	struct record_wait *waits = NULL;
	ptrdiff_t damaged = 0;
	int rc = mc_state_file_read(state->path, &text);

	if (rc == 0 && text.size > 0)
		damaged = record_read(text.at, text.size, state->moves, mc_wall(), &waits);
	if (rc < 0)
		mc_log(ctx, MC_WARN, "cannot read '%s', begins anew: %s", state->path,
		       strerror(-rc));
	else if (damaged < 0)
		mc_log(ctx, MC_WARN, "'%s' is not a state file of this version, begins anew",
		       state->path);
	else if (damaged > 0)
		mc_log(ctx, MC_WARN, "'%s' is damaged or old, left out: %td of its lines",
		       state->path, damaged);
	wait_again(ctx, state, waits);
	record_free_waits(waits);
	mc_buffer_free(&text);
}

/* From now on the text is without its end, and the second file has the rest. */
static void resume(struct mc_ctx *ctx, struct state *state, const char *path)
{
	struct raws_left left = raws_file_read(path);
	int rc = raws_file_open(&state->raws, path);

	if (rc == 0)
		state->moves->raws = &state->raws.raws;
	counters_resume(state->moves, &left);
	raws_left_free(&left);
	replace(ctx, state, KEPT);
	if (rc == 0)
		rc = raws_file_place(&state->raws);
	if (rc < 0)
		mc_log(ctx, MC_WARN,
		       "cannot make '%s', so after a kill counters of guests that move "
		       "meanwhile begin anew: %s",
		       path, strerror(-rc));
}

void state_start(struct mc_ctx *ctx, struct state *state) MC_NO_LOCK
{
	char *raws_path;

	if (!is_kept(state))
		return;
	pthread_mutex_init(&state->file_lock, NULL);
	raws_path = mc_alloc_printf("%s" RAWS_SUFFIX, state->path);
	state->file.path = mc_alloc_copy(state->path);
	state->file.fd = -1;
	state->saved = mc_now();
	load(ctx, state);
	resume(ctx, state, raws_path);
	free(raws_path);
}

void state_stop(struct mc_ctx *ctx, struct state *state) MC_NO_LOCK
{
	if (state->file.path == NULL)
		return;
	replace(ctx, state, ALL);
	state->moves->raws = NULL;
	mc_state_file_close(&state->file);
	mc_buffer_free(&state->waits);
	raws_file_close(&state->raws, !state->unsaved);
	pthread_mutex_destroy(&state->file_lock);
}
