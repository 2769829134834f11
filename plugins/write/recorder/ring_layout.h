/* SPDX-License-Identifier: MIT */
/* The memory of a ring: one piece, without pointers, so that a file of it can be read after the
 * process that wrote it was killed.
 *
 *   head       struct ring_head
 *   series     struct ring_entry, series_len times: names
 *   rows       int64_t, rows_len times: the time of row R is at R % rows_len
 *   notes      two halves of RING_NOTES_SIZE bytes: when one is full, the other is emptied
 *   chunks     struct ring_chunk, chunks_len times: samples of one source, packed
 *
 * A row is what was read at one moment; its number only grows. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <collector/plugin.h>

#define RING_MAGIC "MCRING2"
#define RING_CHUNK_SIZE 256
#define RING_NAME_SIZE 176
#define RING_NOTES_SIZE 32768 /* Of a half. */
#define RING_SERIES_MAX 32768
#define RING_ROWS_MAX 1000000

struct ring_head {
	char magic[8];
	uint32_t series_len, rows_len, chunks_len;
	uint32_t row; /* The newest; 0: none so far. */
	int64_t interval, window;
	uint32_t half; /* Which half of the notes is written to, ... */
	uint32_t notes_used[2];
	uint32_t zeros[19];
};

struct ring_entry {
	uint16_t name_size; /* 0: free. */
	uint16_t host_size, plugin_size, plugin_instance_size, type_size, type_instance_size;
	uint16_t sources_len;
	uint16_t zeros;
	char name[RING_NAME_SIZE]; /* Not ended by '\0'. */
};

struct ring_chunk {
	uint16_t series;
	uint8_t source, kind; /* enum mc_kind */
	uint16_t bits;        /* Used. */
	uint16_t zeros;
	uint32_t first, last; /* Rows. */
	uint8_t bytes[RING_CHUNK_SIZE - 16];
};
_Static_assert(sizeof(struct ring_head) == 128, "as the file has it");
_Static_assert(sizeof(struct ring_entry) == 192, "as the file has it");
_Static_assert(sizeof(struct ring_chunk) == RING_CHUNK_SIZE, "as the file has it");

struct ring_note { /* Before its bytes, which are padded to 8. */
	int64_t time;
	uint32_t size;
	uint32_t zeros;
};

/* Where the parts are. */
static inline size_t ring_series_at(void)
{
	return sizeof(struct ring_head);
}

static inline size_t ring_rows_at(const struct ring_head *head)
{
	return ring_series_at() + head->series_len * sizeof(struct ring_entry);
}

static inline size_t ring_notes_at(const struct ring_head *head)
{
	return ring_rows_at(head) + head->rows_len * sizeof(int64_t);
}

static inline size_t ring_chunks_at(const struct ring_head *head)
{
	return ring_notes_at(head) + (size_t)2 * RING_NOTES_SIZE;
}

static inline size_t ring_total(const struct ring_head *head)
{
	return ring_chunks_at(head) + head->chunks_len * sizeof(struct ring_chunk);
}
