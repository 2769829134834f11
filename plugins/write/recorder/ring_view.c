/* SPDX-License-Identifier: MIT */
#include "ring_view.h"

#include <collector/kit/alloc.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "kit/base/packed.h"
#include "ring_layout.h"

int ring_view_open(struct ring_view *view, const void *bytes, size_t size)
{
	const struct ring_head *head = bytes;

	if (size < sizeof(*head) || memcmp(head->magic, RING_MAGIC, sizeof(head->magic)) != 0 ||
	    head->series_len > RING_SERIES_MAX || head->rows_len == 0 ||
	    head->rows_len > RING_ROWS_MAX || head->chunks_len > size / RING_CHUNK_SIZE ||
	    ring_total(head) > size || head->interval <= 0)
		return -EBADMSG;
	*view = (struct ring_view){ .bytes = bytes, .size = size, .head = head };
	return 0;
}

static const struct ring_entry *entry_at(const struct ring_view *view, size_t index)
{
	return (const struct ring_entry *)(view->bytes + ring_series_at()) + index;
}

static const struct ring_chunk *chunk_at(const struct ring_view *view, size_t index)
{
	return (const struct ring_chunk *)(view->bytes + ring_chunks_at(view->head)) + index;
}

static mc_time time_of(const struct ring_view *view, uint32_t row)
{
	const int64_t *rows = (const int64_t *)(view->bytes + ring_rows_at(view->head));

	return rows[row % view->head->rows_len];
}

mc_time ring_view_newest(const struct ring_view *view)
{
	return view->head->row > 0 ? time_of(view, view->head->row) : 0;
}

/* --- Series ----------------------------------------------------------------- */

static bool is_whole(const struct ring_entry *entry)
{
	/* "host/plugin-instance/type-instance" */
	size_t size = (size_t)entry->host_size + 1 + entry->plugin_size + 1 + entry->type_size;

	if (entry->plugin_instance_size > 0)
		size += 1u + entry->plugin_instance_size;
	if (entry->type_instance_size > 0)
		size += 1u + entry->type_instance_size;
	return entry->name_size > 0 && entry->name_size <= RING_NAME_SIZE &&
	       size == entry->name_size && entry->sources_len > 0 &&
	       entry->sources_len <= MC_SOURCES_MAX;
}

struct walk {
	const struct ring_view *view;
	mc_time since;
	uint32_t oldest; /* Rows from there on are known, ... */
	size_t rows_len; /* ... that number of them. */

	/* Of the series that is being read: of each row, and of each of its sources. */
	union mc_value *values;
	uint8_t *present; /* How many of the sources have a value. */
	mc_time *times;
	enum mc_kind kinds[MC_SOURCES_MAX];
};

static void read_chunk(struct walk *walk, const struct ring_chunk *chunk, unsigned sources_len)
{
	struct packed_reader reader;

	packed_open(&reader, chunk->bytes, chunk->bits, chunk->kind != MC_GAUGE);
	while (packed_next(&reader)) {
		size_t at = (size_t)reader.last.row - walk->oldest;

		if (reader.last.row < walk->oldest || at >= walk->rows_len ||
		    walk->present[at] != chunk->source)
			continue;
		walk->values[at * sources_len + chunk->source].counter = reader.last.value;
		walk->present[at]++;
	}
}

/* Moves the samples that are whole to the front.  Returns how many there are. */
static size_t pick(struct walk *walk, unsigned sources_len)
{
	size_t len = 0;

	for (size_t at = 0; at < walk->rows_len; at++) {
		mc_time time = time_of(walk->view, walk->oldest + (uint32_t)at);

		if (walk->present[at] != sources_len || time < walk->since)
			continue;
		walk->times[len] = time;
		memmove(&walk->values[len * sources_len], &walk->values[at * sources_len],
			sources_len * sizeof(*walk->values));
		len++;
	}
	return len;
}

/* Chunks that are used, those of a series together, and its sources in their order. */
struct found {
	const struct ring_chunk **chunks;
	size_t len;
};

static int compare(const void *left, const void *right)
{
	const struct ring_chunk *a = *(const struct ring_chunk *const *)left;
	const struct ring_chunk *b = *(const struct ring_chunk *const *)right;

	if (a->series != b->series)
		return a->series < b->series ? -1 : 1;
	if (a->source != b->source)
		return a->source < b->source ? -1 : 1;
	return a->first < b->first ? -1 : a->first > b->first;
}

static bool is_usable(const struct ring_view *view, const struct ring_chunk *chunk)
{
	return chunk->bits > 0 && chunk->bits <= 8 * sizeof(chunk->bytes) &&
	       chunk->series < view->head->series_len && chunk->kind <= MC_ABSOLUTE &&
	       is_whole(entry_at(view, chunk->series)) &&
	       chunk->source < entry_at(view, chunk->series)->sources_len;
}

static struct found find_chunks(const struct ring_view *view)
{
	struct found found = { .chunks = mc_alloc_array(view->head->chunks_len + (size_t)1,
							sizeof(*found.chunks)) };

	for (size_t i = 0; i < view->head->chunks_len; i++)
		if (is_usable(view, chunk_at(view, i)))
			found.chunks[found.len++] = chunk_at(view, i);
	qsort(found.chunks, found.len, sizeof(*found.chunks), compare);
	return found;
}

static struct mc_name_parts name_of(const struct ring_entry *entry)
{
	return (struct mc_name_parts){ .name = entry->name,
				       .host_size = entry->host_size,
				       .plugin_size = entry->plugin_size,
				       .plugin_instance_size = entry->plugin_instance_size,
				       .type_size = entry->type_size,
				       .type_instance_size = entry->type_instance_size };
}

static struct ring_view_series describe(const struct walk *walk, const struct ring_entry *entry)
{
	return (struct ring_view_series){
		.name = name_of(entry),
		.sources_len = entry->sources_len,
		.kinds = walk->kinds,
		.times = walk->times,
		.values = walk->values,
		.interval = walk->view->head->interval,
	};
}

static size_t skip_series(const struct found *found, size_t first)
{
	size_t i = first;

	while (i < found->len && found->chunks[i]->series == found->chunks[first]->series)
		i++;
	return i - first;
}

/* Reads the chunks of one series; returns how many these are. */
static size_t read_series(struct walk *walk, const struct found *found, size_t first)
{
	uint16_t index = found->chunks[first]->series;
	unsigned sources_len = entry_at(walk->view, index)->sources_len;
	size_t i = first;

	walk->values =
		mc_alloc_resize(walk->values, walk->rows_len * sources_len, sizeof(*walk->values));
	memset(walk->present, 0, walk->rows_len);
	memset(walk->kinds, 0, sizeof(walk->kinds));
	for (; i < found->len && found->chunks[i]->series == index; i++) {
		walk->kinds[found->chunks[i]->source] = (enum mc_kind)found->chunks[i]->kind;
		read_chunk(walk, found->chunks[i], sources_len);
	}
	return i - first;
}

void ring_view_each(const struct ring_view *view, mc_time since,
		    const struct ring_view_visitor *visitor)
{
	uint32_t row = view->head->row;
	uint32_t oldest = row >= view->head->rows_len ? row - view->head->rows_len + 1 : 1;
	struct walk walk = { .view = view, .since = since, .oldest = oldest };
	struct found found;
	bool more = true;

	if (row == 0)
		return;
	walk.rows_len = row - oldest + 1;
	walk.present = mc_alloc_array(walk.rows_len, sizeof(*walk.present));
	walk.times = mc_alloc_array(walk.rows_len, sizeof(*walk.times));
	found = find_chunks(view);
	for (size_t i = 0; more && i < found.len;) {
		const struct ring_entry *entry = entry_at(view, found.chunks[i]->series);
		const struct mc_name_parts name = name_of(entry);
		struct ring_view_series series;

		if (visitor->wants != NULL && !visitor->wants(visitor->argument, &name)) {
			i += skip_series(&found, i);
			continue;
		}
		i += read_series(&walk, &found, i);
		series = describe(&walk, entry);
		series.values = walk.values;
		series.len = pick(&walk, entry->sources_len);
		more = series.len == 0 || visitor->visit(visitor->argument, &series);
	}
	free(found.chunks);
	free(walk.values);
	free(walk.present);
	free(walk.times);
}

/* --- Notes ------------------------------------------------------------------ */

static bool each_of_half(const struct ring_view *view, unsigned half, mc_time since,
			 bool (*visit)(void *argument, const void *bytes, size_t size),
			 void *argument)
{
	const uint8_t *notes =
		view->bytes + ring_notes_at(view->head) + (size_t)half * RING_NOTES_SIZE;
	size_t used = view->head->notes_used[half], at = 0;
	struct ring_note note;

	if (used > RING_NOTES_SIZE)
		return true;
	while (used - at >= sizeof(note)) {
		memcpy(&note, notes + at, sizeof(note));
		at += sizeof(note);
		if (note.size > used - at)
			return true;
		if (note.time >= since && !visit(argument, notes + at, note.size))
			return false;
		at += (note.size + (size_t)7) / 8 * 8;
		if (at > used)
			return true;
	}
	return true;
}

void ring_view_each_note(const struct ring_view *view, mc_time since,
			 bool (*visit)(void *argument, const void *bytes, size_t size),
			 void *argument)
{
	unsigned newer = view->head->half & 1;

	if (each_of_half(view, !newer, since, visit, argument))
		each_of_half(view, newer, since, visit, argument);
}
