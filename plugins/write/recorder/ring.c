/* SPDX-License-Identifier: MIT */
/* Chunks are taken in turn: one whose samples are older than the window, else a fresh one, else the
 * one that was begun first. */
#include "ring.h"

#include <collector/kit/alloc.h>
#include <collector/writer.h>

#include <stdlib.h>
#include <string.h>

#include "kit/base/packed.h"
#include "ring_layout.h"

#define NONE UINT32_MAX
#define BYTES_A_SERIES 2048 /* Of the ring, for each series that it has room for. */

struct stream {         /* A source of a series. */
	uint32_t chunk; /* Or NONE. */
	struct packed packed;
};

struct ring_series {
	uint16_t entry;
	uint32_t row; /* Of its last sample. */
	unsigned sources_len;
	const struct mc_type *type;
	struct stream streams[];
};

struct ring {
	struct ring_head *head;
	struct ring_entry *entries;
	int64_t *rows;
	uint8_t *notes;
	struct ring_chunk *chunks;

	struct ring_series **series; /* Of each entry; NULL: it has ended, or is free. */
	uint32_t *uses;              /* Chunks of each entry. */
	uint32_t *next;              /* Of each chunk: the one that was taken after it. */
	uint32_t oldest, newest;     /* Of the chunks, or NONE. */
	uint32_t fresh;              /* Chunks from there on were never used. */
	uint32_t fresh_entry;        /* The same of entries. */
	uint32_t entries_used;
};

struct ring *ring_new(void *memory, size_t size, const struct ring_settings *settings)
{
	struct ring *ring = mc_alloc_zero(sizeof(*ring));
	struct ring_head *head = memory;
	size_t rest, rows = (size_t)(settings->window / settings->interval) * 5 / 4 + 64;

	*head = (struct ring_head){ .interval = settings->interval, .window = settings->window };
	rest = size - sizeof(*head) - 2 * (size_t)RING_NOTES_SIZE;
	head->series_len = (uint32_t)(rest / BYTES_A_SERIES);
	if (head->series_len > RING_SERIES_MAX)
		head->series_len = RING_SERIES_MAX;
	rest -= head->series_len * sizeof(struct ring_entry);
	if (rows > RING_ROWS_MAX)
		rows = RING_ROWS_MAX;
	if (rows > rest / 2 / sizeof(int64_t))
		rows = rest / 2 / sizeof(int64_t);
	head->rows_len = (uint32_t)rows;
	head->chunks_len = (uint32_t)((rest - rows * sizeof(int64_t)) / sizeof(struct ring_chunk));

	ring->head = head;
	ring->entries = (struct ring_entry *)((char *)memory + ring_series_at());
	ring->rows = (int64_t *)((char *)memory + ring_rows_at(head));
	ring->notes = (uint8_t *)memory + ring_notes_at(head);
	ring->chunks = (struct ring_chunk *)((char *)memory + ring_chunks_at(head));
	ring->series = mc_alloc_array(head->series_len, sizeof(*ring->series));
	ring->uses = mc_alloc_array(head->series_len, sizeof(*ring->uses));
	ring->next = mc_alloc_array(head->chunks_len, sizeof(*ring->next));
	ring->oldest = ring->newest = NONE;
	memcpy(head->magic, RING_MAGIC, sizeof(head->magic)); /* Now it can be read. */
	return ring;
}

void ring_free(struct ring *ring)
{
	if (ring == NULL)
		return;
	for (uint32_t i = 0; i < ring->head->series_len; i++)
		free(ring->series[i]);
	free(ring->series);
	free(ring->uses);
	free(ring->next);
	free(ring);
}

void ring_set_time(struct ring *ring, mc_time time)
{
	struct ring_head *head = ring->head;
	mc_time apart = time - ring->rows[head->row % head->rows_len];

	if (head->row > 0 && apart < head->interval / 2 && apart > -head->interval / 2)
		return;
	ring->rows[(head->row + 1) % head->rows_len] = time;
	head->row++;
}

/* --- Chunks ----------------------------------------------------------------- */

static bool is_expired(const struct ring *ring, const struct ring_chunk *chunk)
{
	const struct ring_head *head = ring->head;
	mc_time now = ring->rows[head->row % head->rows_len];

	return head->row - chunk->last >= head->rows_len ||
	       ring->rows[chunk->last % head->rows_len] < now - head->window;
}

static void release_entry(struct ring *ring, uint16_t entry)
{
	if (ring->uses[entry] > 0 || ring->series[entry] != NULL)
		return;
	ring->entries[entry].name_size = 0;
	ring->entries_used--;
}

/* Takes the oldest one from its series. */
static uint32_t take_oldest(struct ring *ring)
{
	uint32_t index = ring->oldest;
	struct ring_chunk *chunk = &ring->chunks[index];
	struct ring_series *series = ring->series[chunk->series];

	ring->oldest = ring->next[index];
	if (ring->oldest == NONE)
		ring->newest = NONE;
	if (series != NULL && series->streams[chunk->source].chunk == index)
		series->streams[chunk->source].chunk = NONE;
	chunk->bits = 0;
	ring->uses[chunk->series]--;
	release_entry(ring, chunk->series);
	return index;
}

static void begin_chunk(struct ring *ring, struct ring_series *series, unsigned source)
{
	struct stream *stream = &series->streams[source];
	bool expired = ring->oldest != NONE && is_expired(ring, &ring->chunks[ring->oldest]);
	uint32_t index = !expired && ring->fresh < ring->head->chunks_len ? ring->fresh++
									  : take_oldest(ring);
	struct ring_chunk *chunk = &ring->chunks[index];
	enum mc_kind kind = series->type->sources[source].kind;

	ring->next[index] = NONE;
	if (ring->newest != NONE)
		ring->next[ring->newest] = index;
	else
		ring->oldest = index;
	ring->newest = index;
	ring->uses[series->entry]++;
	chunk->series = series->entry;
	chunk->source = (uint8_t)source;
	chunk->kind = (uint8_t)kind;
	chunk->first = ring->head->row;
	packed_begin(&stream->packed, chunk->bytes, sizeof(chunk->bytes), kind != MC_GAUGE);
	stream->chunk = index;
}

static void put(struct ring *ring, struct ring_series *series, unsigned source, uint64_t value)
{
	struct stream *stream = &series->streams[source];
	uint32_t row = ring->head->row;

	if (stream->chunk == NONE || !packed_put(&stream->packed, row, value)) {
		begin_chunk(ring, series, source);
		packed_put(&stream->packed, row, value);
	}
	ring->chunks[stream->chunk].last = row;
	ring->chunks[stream->chunk].bits = (uint16_t)stream->packed.bits;
}

bool ring_put(struct ring *ring, struct ring_series *series, const union mc_value *values)
{
	if (series->row == ring->head->row)
		return false;
	for (unsigned i = 0; i < series->sources_len; i++)
		put(ring, series, i, values[i].counter);
	series->row = ring->head->row;
	return true;
}

/* --- Series ----------------------------------------------------------------- */

/* NONE: all are in use. */
static uint32_t find_entry(struct ring *ring)
{
	if (ring->entries_used == ring->head->series_len)
		return NONE;
	ring->entries_used++;
	if (ring->fresh_entry < ring->head->series_len)
		return ring->fresh_entry++;
	for (uint32_t i = 0; i < ring->head->series_len; i++)
		if (ring->entries[i].name_size == 0)
			return i;
	return NONE;
}

struct ring_series *ring_begin_series(struct ring *ring, const struct mc_series *series)
{
	const struct mc_type *type = mc_type(series);
	const char *name = mc_name(series);
	size_t size = strlen(name);
	struct ring_series *begun;
	struct ring_entry *entry;
	uint32_t index;

	if (size > RING_NAME_SIZE)
		return NULL;
	index = find_entry(ring);
	if (index == NONE)
		return NULL;
	entry = &ring->entries[index];
	entry->host_size = (uint16_t)strlen(mc_host(series));
	entry->plugin_size = (uint16_t)strlen(mc_plugin(series));
	entry->plugin_instance_size = (uint16_t)strlen(mc_plugin_instance(series));
	entry->type_size = (uint16_t)strlen(type->name);
	entry->type_instance_size = (uint16_t)strlen(mc_type_instance(series));
	entry->sources_len = (uint16_t)type->sources_len;
	memcpy(entry->name, name, size);
	entry->name_size = (uint16_t)size;

	begun = mc_alloc_zero(sizeof(*begun) + type->sources_len * sizeof(struct stream));
	begun->entry = (uint16_t)index;
	begun->sources_len = type->sources_len;
	begun->type = type;
	for (unsigned i = 0; i < type->sources_len; i++)
		begun->streams[i].chunk = NONE;
	ring->series[index] = begun;
	return begun;
}

void ring_end_series(struct ring *ring, struct ring_series *series)
{
	uint16_t entry = series->entry;

	ring->series[entry] = NULL;
	free(series);
	release_entry(ring, entry);
}

/* --- Notes ------------------------------------------------------------------ */

bool ring_put_note(struct ring *ring, mc_time time, const void *bytes, size_t size)
{
	struct ring_head *head = ring->head;
	struct ring_note note = { .time = time, .size = (uint32_t)size };
	size_t whole = sizeof(note) + (size + 7) / 8 * 8;
	uint8_t *at;

	if (whole > RING_NOTES_SIZE)
		return false;
	if (head->notes_used[head->half] + whole > RING_NOTES_SIZE) {
		head->notes_used[!head->half] = 0;
		head->half = !head->half;
	}
	at = ring->notes + (size_t)head->half * RING_NOTES_SIZE + head->notes_used[head->half];
	memcpy(at, &note, sizeof(note));
	memcpy(at + sizeof(note), bytes, size);
	head->notes_used[head->half] += (uint32_t)whole;
	return true;
}

/* Pages that were never written to are not read: they need no memory then. */
void *ring_copy(const struct ring *ring, size_t *size)
{
	const struct ring_head *head = ring->head;
	size_t rows = head->row < head->rows_len ? head->row + 1 : head->rows_len;
	const char *from = (const char *)head;
	char *copy;

	*size = ring_total(head);
	copy = mc_alloc_zero(*size);
	memcpy(copy, from, ring_series_at() + ring->fresh_entry * sizeof(struct ring_entry));
	memcpy(copy + ring_rows_at(head), from + ring_rows_at(head), rows * sizeof(int64_t));
	for (size_t half = 0; half < 2; half++)
		memcpy(copy + ring_notes_at(head) + half * RING_NOTES_SIZE,
		       from + ring_notes_at(head) + half * RING_NOTES_SIZE, head->notes_used[half]);
	memcpy(copy + ring_chunks_at(head), from + ring_chunks_at(head),
	       ring->fresh * sizeof(struct ring_chunk));
	return copy;
}

size_t ring_used(const struct ring *ring)
{
	const struct ring_head *head = ring->head;
	size_t rows = head->row < head->rows_len ? head->row : head->rows_len;

	return sizeof(*head) + ring->fresh_entry * sizeof(struct ring_entry) +
	       rows * sizeof(int64_t) + head->notes_used[0] + head->notes_used[1] +
	       ring->fresh * sizeof(struct ring_chunk);
}
