/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "moves_internal.h"

/* --- Raw counters ------------------------------------------------------------------ */

/* Of a source in a process; 0: that is not known any more. */
static uint64_t key_of(const struct moves_guest *guest, const struct moves_series *series,
		       uint32_t serial, unsigned source)
{
	for (unsigned i = 0; serial != 0 && i < MOVES_GENERATIONS; i++)
		if (guest->generations[i].serial == serial)
			return raws_key(guest->host, series->name,
					guest->generations[i].stream.generation, source);
	return 0;
}

static bool is_known(const struct moves_guest *guest, uint32_t serial)
{
	for (unsigned i = 0; i < MOVES_GENERATIONS; i++)
		if (guest->generations[i].serial == serial)
			return true;
	return false;
}

/* NULL: there is no room. */
static uint64_t *keep_raw(struct moves *moves, uint64_t key, uint64_t value)
{
	if (moves->raws == NULL || !raws_has_room(moves->raws) || key == 0)
		return NULL;
	return raws_add(moves->raws, key, value);
}

static void drop_raw(struct moves *moves, uint64_t *raw)
{
	if (moves->raws != NULL)
		raws_remove(moves->raws, raw);
}

/* --- Times -------------------------------------------------------------------------- */

static uint64_t key_of_time(const struct moves_guest *guest,
			    const struct moves_generation *generation)
{
	return raws_key(guest->host, "", generation->stream.generation, 0);
}

static void reach(struct moves *moves, const struct moves_guest *guest,
		  struct moves_generation *generation, mc_time time)
{
	if (time <= generation->reached)
		return;
	generation->reached = time;
	if (generation->raw_reached != NULL)
		*generation->raw_reached = (uint64_t)time;
	else
		generation->raw_reached =
			keep_raw(moves, key_of_time(guest, generation), (uint64_t)time);
}

void counters_forget(struct moves *moves, struct moves_generation *generation)
{
	drop_raw(moves, generation->raw_reached);
	generation->raw_reached = NULL;
}

/* --- Processes of before ----------------------------------------------------------- */

static struct moves_past **find_past(struct moves_series *series, uint32_t serial)
{
	struct moves_past **at = &series->pasts;

	while (*at != NULL && (*at)->serial != serial)
		at = &(*at)->next;
	return at;
}

static struct moves_past *add_past(struct moves_series *series, uint32_t serial)
{
	struct moves_past *past =
		mc_alloc_zero(sizeof(*past) + series->len * sizeof(past->ended[0]));

	past->serial = serial;
	past->next = series->pasts;
	series->pasts = past;
	return past;
}

static void drop_past(struct moves *moves, struct moves_series *series, struct moves_past **at)
{
	struct moves_past *past = *at;

	*at = past->next;
	for (unsigned i = 0; i < series->len; i++)
		drop_raw(moves, past->ended[i].raw);
	free(past);
}

/* Those of processes that are not known any more, or all. */
static void drop_pasts(struct moves *moves, const struct moves_guest *guest,
		       struct moves_series *series, bool all)
{
	for (struct moves_past **at = &series->pasts; *at != NULL;) {
		if (all || !is_known(guest, (*at)->serial))
			drop_past(moves, series, at);
		else
			at = &(*at)->next;
	}
}

/* --- Series -------------------------------------------------------------------- */

static void drop(struct moves *moves, struct moves_guest *guest, struct moves_series *series)
{
	drop_pasts(moves, guest, series, true);
	for (unsigned i = 0; i < series->len; i++)
		drop_raw(moves, series->counters[i].raw);
	mc_map_remove(&guest->series, &series->node);
	free(series);
}

void counters_drop(struct moves *moves, struct moves_guest *guest)
{
	for (unsigned i = 0; i < MOVES_GENERATIONS; i++)
		counters_forget(moves, &guest->generations[i]);
	for (struct moves_series *at = moves_next_series(guest, NULL), *next; at != NULL;
	     at = next) {
		next = moves_next_series(guest, at);
		drop(moves, guest, at);
	}
	mc_map_done(&guest->series);
}

static struct moves_series *add_series(struct moves_guest *guest, const char *name, unsigned len)
{
	size_t size = strlen(name), counters = len * sizeof(struct moves_counter);
	struct moves_series *series;
	char *text;

	if (guest->series.len >= MOVES_SERIES_MAX)
		return NULL;
	series = mc_alloc_zero(sizeof(*series) + counters + size + 1);
	text = (char *)series->counters + counters;
	memcpy(text, name, size + 1);
	series->name = text;
	series->len = len;
	series->node.key = text;
	series->node.key_size = size;
	mc_map_add(&guest->series, &series->node);
	return series;
}

/* NULL: there are too many. */
static struct moves_series *get_series(struct moves *moves, struct moves_guest *guest,
				       const char *name, unsigned len)
{
	struct moves_series *series =
		(struct moves_series *)mc_map_find(&guest->series, name, strlen(name));

	if (series != NULL && series->len == len)
		return series;
	if (series != NULL)
		drop(moves, guest, series);
	return add_series(guest, name, len);
}

/* --- Counters ---------------------------------------------------------------------- */

/* All numbers of union mc_value are where its counter is. */
static uint64_t raw(const struct moves_sample *sample, unsigned source)
{
	return sample->values[source].counter;
}

static bool counts(const struct moves_sample *sample, unsigned source)
{
	return (sample->counters >> source & 1) != 0;
}

/* Makes the sum of the current process that of one of before. */
static void end_process(struct moves_series *series)
{
	struct moves_past *past = add_past(series, series->serial);

	for (unsigned i = 0; i < series->len; i++) {
		struct moves_counter *counter = &series->counters[i];

		past->ended[i].at = counter->last - counter->offset;
		past->ended[i].raw = counter->raw;
		counter->offset = counter->last;
		counter->raw = NULL;
	}
}

/* The current process has counted for the guest before: that is in the offset. */
static void return_to(struct moves *moves, struct moves_series *series, struct moves_past **at)
{
	struct moves_past *past = *at;

	for (unsigned i = 0; i < series->len; i++) {
		series->counters[i].offset -= past->ended[i].at;
		series->counters[i].raw = past->ended[i].raw;
		past->ended[i].raw = NULL;
	}
	drop_past(moves, series, at);
}

static void begin_anew(struct moves *moves, const struct moves_guest *guest,
		       struct moves_series *series)
{
	drop_pasts(moves, guest, series, true);
	for (unsigned i = 0; i < series->len; i++)
		series->counters[i].offset = 0;
}

/* Samples of the process before may be missing between its newest one and the first one of this
 * process.  Each fills it up to there: so a sample that is repeated is not in it. */
static void open_gap(const struct moves_guest *guest, struct moves_series *series,
		     const struct moves_sample *sample)
{
	series->ended = series->taken;
	for (unsigned i = 0; series->ended == 0 && i < MOVES_GENERATIONS; i++)
		if (guest->generations[i].serial == series->serial)
			series->ended = guest->generations[i].reached;
	series->began = series->ended != 0 ? sample->time : 0;
	series->taken = 0;
}

static void note_taken(struct moves_series *series, const struct moves_sample *sample)
{
	if (sample->time > series->taken)
		series->taken = sample->time;
}

/* Not of counters: what these have counted is in a later sum, which is in its place already.  No
 * more than the interval of the series lets come, whatever is sent. */
static bool fill_gap(struct moves_series *series, const struct moves_sample *sample)
{
	if (sample->counters != 0 || sample->time <= series->ended ||
	    sample->time >= series->began || sample->time - series->ended < sample->interval / 2)
		return false;
	series->ended = sample->time;
	return true;
}

static void switch_to(struct moves *moves, const struct moves_guest *guest,
		      struct moves_series *series, const struct moves_sample *sample)
{
	const struct moves_generation *generation = &guest->generations[guest->current];
	bool goes_on = generation->carries && !series->stale;
	struct moves_past **known;

	open_gap(guest, series, sample);
	if (sample->counters == 0) { /* No sum, so there is nothing to keep. */
		series->serial = generation->serial;
		return;
	}
	end_process(series);
	drop_pasts(moves, guest, series, false);
	known = find_past(series, generation->serial);
	if (!goes_on)
		begin_anew(moves, guest, series);
	else if (*known != NULL)
		return_to(moves, series, known);
	else if (generation->known) /* But not its counters: they begin with the sample. */
		for (unsigned i = 0; i < series->len; i++)
			series->counters[i].offset -= raw(sample, i);
	series->serial = generation->serial;
}

/* At once where a kill does not reach it. */
static void note_raw(struct moves *moves, const struct moves_guest *guest,
		     struct moves_series *series, unsigned i)
{
	struct moves_counter *counter = &series->counters[i];
	uint64_t value = counter->last - counter->offset;

	if (counter->raw != NULL)
		*counter->raw = value;
	else if (moves->raws != NULL && raws_has_room(moves->raws))
		counter->raw = keep_raw(moves, key_of(guest, series, series->serial, i), value);
}

/* An old one, which its sender repeats, is as it was; counters go on from the newest. */
static void add_offsets(struct moves *moves, const struct moves_guest *guest,
			struct moves_series *series, const struct moves_sample *sample, bool old)
{
	for (unsigned i = 0; i < series->len; i++) {
		struct moves_counter *counter = &series->counters[i];
		uint64_t value = raw(sample, i) + counter->offset;

		if (!counts(sample, i))
			continue;
		sample->values[i].counter = value;
		if (old && counter->last - value <= INT64_MAX)
			continue;
		counter->last = value;
		note_raw(moves, guest, series, i);
	}
}

/* Adds the counts of a process of before since its last sample that was taken. */
static void add_rest(struct moves_counter *counter, struct moves_ended *ended, uint64_t value)
{
	uint64_t rest = value - ended->at;

	if (rest > INT64_MAX) /* It is older than that. */
		return;
	counter->offset += rest;
	counter->last += rest;
	ended->at = value;
	if (ended->raw != NULL)
		*ended->raw = value;
}

void counters_take(struct moves *moves, struct moves_guest *guest,
		   const struct moves_sample *sample)
{
	struct moves_generation *current = moves_current(guest);
	struct moves_series *series = get_series(moves, guest, sample->name, sample->values_len);

	if (series == NULL)
		return;
	if (series->serial != current->serial)
		moves_mark(moves, guest);
	if (series->serial == 0)
		series->serial = current->serial;
	else if (series->serial != current->serial)
		switch_to(moves, guest, series, sample);
	series->stale = false;
	note_taken(series, sample);
	add_offsets(moves, guest, series, sample, sample->time < current->reached);
	reach(moves, guest, current, sample->time);
}

enum moves_verdict counters_take_late(struct moves *moves, struct moves_guest *guest,
				      const struct moves_sample *sample,
				      struct moves_generation *generation)
{
	struct moves_series *series = get_series(moves, guest, sample->name, sample->values_len);
	struct moves_past *past;

	if (series == NULL)
		return MOVES_LATE;
	/* Nothing newer has come of it: it is the next one. */
	if (series->serial == generation->serial) {
		note_taken(series, sample);
		add_offsets(moves, guest, series, sample, sample->time < generation->reached);
		reach(moves, guest, generation, sample->time);
		return MOVES_TAKEN;
	}
	if (fill_gap(series, sample))
		return MOVES_PAST;
	past = *find_past(series, generation->serial);
	if (past == NULL || !moves_current(guest)->carries)
		return MOVES_LATE;
	for (unsigned i = 0; i < series->len; i++)
		if (counts(sample, i))
			add_rest(&series->counters[i], &past->ended[i], raw(sample, i));
	moves_mark(moves, guest);
	return sample->counters == UINT64_MAX >> (MC_SOURCES_MAX - sample->values_len)
		       ? MOVES_MERGED
		       : MOVES_LATE;
}

/* --- For files --------------------------------------------------------------------- */

static void resume_past(struct moves *moves, const struct moves_guest *guest,
			struct moves_series *series, struct moves_past *past,
			const struct raws_left *left)
{
	for (unsigned i = 0; i < series->len; i++) {
		uint64_t key = key_of(guest, series, past->serial, i), value;

		if (key == 0 || !raws_find(left, key, &value))
			continue;
		add_rest(&series->counters[i], &past->ended[i], value);
		past->ended[i].raw = keep_raw(moves, key, past->ended[i].at);
	}
}

static void resume(struct moves *moves, const struct moves_guest *guest,
		   struct moves_series *series, const struct raws_left *left)
{
	for (struct moves_past *past = series->pasts; past != NULL; past = past->next)
		resume_past(moves, guest, series, past, left);
	for (unsigned i = 0; i < series->len; i++) {
		uint64_t key = key_of(guest, series, series->serial, i), value;

		if (key == 0 || !raws_find(left, key, &value))
			continue;
		series->counters[i].last = value + series->counters[i].offset;
		series->counters[i].raw = keep_raw(moves, key, value);
		series->stale = false;
	}
}

static void resume_times(struct moves *moves, struct moves_guest *guest,
			 const struct raws_left *left)
{
	for (unsigned i = 0; i < MOVES_GENERATIONS; i++) {
		struct moves_generation *generation = &guest->generations[i];
		uint64_t time;

		if (generation->serial != 0 &&
		    raws_find(left, key_of_time(guest, generation), &time) && time <= INT64_MAX)
			reach(moves, guest, generation, (mc_time)time);
	}
	guest->sampled = moves_current(guest)->reached;
}

void counters_resume(struct moves *moves, const struct raws_left *left)
{
	for (struct moves_guest *at = NULL; (at = moves_next(moves, at)) != NULL;) {
		resume_times(moves, at, left);
		for (struct moves_series *series = NULL;
		     (series = moves_next_series(at, series)) != NULL;)
			resume(moves, at, series, left);
	}
}

struct moves_series *counters_restore(struct moves *moves, struct moves_guest *guest,
				      const char *name, unsigned len)
{
	struct moves_series *series = get_series(moves, guest, name, len);

	if (series == NULL)
		return NULL;
	drop_pasts(moves, guest, series, true);
	series->serial = moves_serial_of(1);
	return series;
}

struct moves_past *counters_restore_past(struct moves_series *series, uint32_t serial)
{
	return *find_past(series, serial) != NULL ? NULL : add_past(series, serial);
}
