/* SPDX-License-Identifier: MIT */
#include "gather.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define MARKERS_MAX 100000 /* More series at once leave without. */

/* --- Lists ------------------------------------------------------------------ */

static void wait_in(struct gather_list *list, struct entry *entry,
		    struct remote_write_sample sample)
{
	MC_ARRAY_GROW(list->items, list->len, list->room);
	list->items[list->len++] = (struct gather_waiting){ entry, sample };
	entry_pin(entry);
}

static void clear_list(struct gather_list *list)
{
	for (size_t i = 0; i < list->len; i++)
		entry_unpin(list->items[i].entry);
	list->len = 0;
}

void gather_end(struct gather *gather, struct entry *entry, const struct entry *next)
{
	for (uint32_t i = 0; i < entry->outputs_len; i++) {
		struct remote_write_series *series = entry->outputs[i].series;

		if (entry->last == 0 || gather->markers.len >= MARKERS_MAX ||
		    (next != NULL && entry_has(next, series)))
			continue;
		wait_in(&gather->markers, entry,
			(struct remote_write_sample){
				.series = series,
				.bits = REMOTE_WRITE_STALE,
				.time = entry->last + entry->interval,
			});
	}
	entry->last = 0;
}

/* --- Samples ---------------------------------------------------------------- */

static void add(struct gather *gather, struct remote_write_sample sample)
{
	MC_ARRAY_GROW(gather->samples, gather->len, gather->room);
	gather->samples[gather->len++] = sample;
}

/* The entry lives until gather_clear(). */
static void pin(struct gather *gather, struct entry *entry)
{
	MC_ARRAY_GROW(gather->pinned, gather->pinned_len, gather->pinned_room);
	gather->pinned[gather->pinned_len++] = entry;
	entry_pin(entry);
}

static void add_and_pin(struct gather *gather, const struct gather_waiting *waiting)
{
	add(gather, waiting->sample);
	pin(gather, waiting->entry);
}

static void add_waiting(struct gather *gather, mc_time limit)
{
	size_t kept = 0;

	for (size_t i = 0; i < gather->markers.len; i++)
		add_and_pin(gather, &gather->markers.items[i]);
	clear_list(&gather->markers);
	for (size_t i = 0; i < gather->future.len; i++) {
		struct gather_waiting waiting = gather->future.items[i];

		if (waiting.sample.time > limit / MC_MILLISECOND) {
			gather->future.items[kept++] = waiting;
			continue;
		}
		add_and_pin(gather, &waiting);
		entry_unpin(waiting.entry);
	}
	gather->future.len = kept;
}

static void hold(struct gather *gather, struct entry *entry, struct remote_write_sample sample)
{
	if (gather->future.len < gather->future_max)
		wait_in(&gather->future, entry, sample);
	else
		gather->skipped++;
}

/* Once for all metrics that have a value at that time. */
static void add_target(struct gather *gather, struct target *target, int64_t time)
{
	const double one = 1;
	struct remote_write_sample sample = { .series = target->series, .time = time };

	if (time <= target->last)
		return;
	target->last = time;
	memcpy(&sample.bits, &one, sizeof(one));
	add(gather, sample);
}

static void add_sample(struct gather *gather, struct entry_set *entries,
		       const struct mc_sample *sample, mc_time limit)
{
	struct entry *outdated, *entry = entry_of(entries, sample->series, &outdated);
	int64_t time = sample->time / MC_MILLISECOND;

	if (outdated != NULL) {
		gather_end(gather, outdated, entry);
		pin(gather, outdated);
		entry_forget(outdated);
	}
	if (time > entry->last)
		entry->last = time;
	entry->interval = sample->interval / MC_MILLISECOND;
	if (entry->target != NULL && sample->time <= limit)
		add_target(gather, entry->target, time);
	for (uint32_t i = 0; i < entry->outputs_len; i++) {
		const struct entry_output *output = &entry->outputs[i];
		const struct remote_write_sample value = {
			.series = output->series,
			.bits = entry_bits(output, sample->values[output->source]),
			.time = time,
		};

		if (sample->time > limit)
			hold(gather, entry, value);
		else
			add(gather, value);
	}
}

/* --- Order ------------------------------------------------------------------ */

/* The result of one look at all samples, which touches each series: they are much memory. */
struct found {
	bool several; /* A series has more than one. */
	bool refused; /* Some are of series that were refused before. */
};

/* Counts how many samples each series has. */
static struct found count(struct gather *gather)
{
	struct found found = { false, false };

	gather->round++;
	for (size_t i = 0; i < gather->len; i++) {
		struct remote_write_series *series = gather->samples[i].series;

		if (series->round != gather->round) {
			series->round = gather->round;
			series->count = 0;
		}
		found.several |= series->count++ > 0;
		found.refused |= series->refused;
	}
	return found;
}

static void make_room(struct gather *gather)
{
	if (gather->sorted_room >= gather->len)
		return;
	gather->sorted_room = gather->room;
	gather->sorted = mc_alloc_resize(gather->sorted, gather->room, sizeof(*gather->sorted));
}

/* Moves a sample before the newer ones of its series. */
static void put_in_order(struct remote_write_sample *samples, size_t at)
{
	struct remote_write_sample late = samples[at];

	for (; at > 0 && samples[at - 1].series == late.series && samples[at - 1].time > late.time;
	     at--)
		samples[at] = samples[at - 1];
	samples[at] = late;
}

/* Places those of a series side by side, in the order of their times. */
static void sort(struct gather *gather)
{
	uint32_t at = 0;

	gather->round++;
	for (size_t i = 0; i < gather->len; i++) {
		struct remote_write_series *series = gather->samples[i].series;

		if (series->round != gather->round) {
			series->round = gather->round;
			series->at = at;
			at += series->count;
		}
		gather->sorted[series->at++] = gather->samples[i];
	}
	memcpy(gather->samples, gather->sorted, gather->len * sizeof(*gather->samples));
	for (size_t i = 1; i < gather->len; i++)
		put_in_order(gather->samples, i);
}

/* Places the samples of series that were refused before at the end, so that they cost the others
 * nothing; beginning with another series each time, as the last ones may be refused untried. */
static void put_refused_last(struct gather *gather)
{
	struct remote_write_sample *samples = gather->samples, *last = gather->sorted;
	size_t kept = 0, len = 0, begin;

	for (size_t i = 0; i < gather->len; i++)
		if (samples[i].series->refused)
			last[len++] = samples[i];
		else
			samples[kept++] = samples[i];
	begin = gather->turn++ % len;
	while (begin > 0 && begin < len && last[begin].series == last[begin - 1].series)
		begin++;
	memcpy(samples + kept, last + begin, (len - begin) * sizeof(*last));
	memcpy(samples + kept + len - begin, last, begin * sizeof(*last));
}

/* Places those of a tenant side by side, in their order. */
static void group_by_tenant(struct gather *gather)
{
	struct remote_write_sample *samples = gather->samples;

	for (size_t begin = 0; begin < gather->len;) {
		const struct symbol *tenant = samples[begin].series->tenant;
		size_t others = 0, end = begin;

		for (size_t i = begin; i < gather->len; i++)
			if (samples[i].series->tenant == tenant)
				samples[end++] = samples[i];
			else
				gather->sorted[others++] = samples[i];
		memcpy(samples + end, gather->sorted, others * sizeof(*samples));
		begin = end;
	}
}

void gather_batch(struct gather *gather, struct entry_set *entries, const struct mc_batch *batch)
{
	mc_time limit = gather->future_limit > 0 ? mc_wall() + gather->future_limit : INT64_MAX;
	struct found found;

	gather->skipped = 0;
	entry_learn(entries, batch);
	add_waiting(gather, limit);
	MC_FOR_EACH_SAMPLE (sample, batch)
		add_sample(gather, entries, sample, limit);
	found = count(gather);
	make_room(gather);
	if (found.several)
		sort(gather);
	if (gather->by_tenant)
		group_by_tenant(gather);
	if (found.refused)
		put_refused_last(gather);
}

void gather_clear(struct gather *gather)
{
	for (size_t i = 0; i < gather->pinned_len; i++)
		entry_unpin(gather->pinned[i]);
	gather->pinned_len = 0;
	gather->len = 0;
}

void gather_done(struct gather *gather)
{
	gather_clear(gather);
	clear_list(&gather->markers);
	clear_list(&gather->future);
	free(gather->markers.items);
	free(gather->future.items);
	free(gather->samples);
	free(gather->pinned);
	free(gather->sorted);
}
