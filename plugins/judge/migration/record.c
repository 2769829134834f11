/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/number.h>

#define NUMBER_SIZE 24
#define SOURCES_MAX MC_SOURCES_MAX

/* --- Writing ------------------------------------------------------------------- */

static void add(struct mc_buffer *text, const char *word)
{
	mc_buffer_add(text, word, strlen(word));
}

static void add_number(struct mc_buffer *text, uint64_t number)
{
	char word[NUMBER_SIZE];

	snprintf(word, sizeof(word), "\t%" PRIu64, number);
	add(text, word);
}

static void add_series(struct mc_buffer *text, const struct moves_series *series)
{
	add(text, "series\t");
	add(text, series->name);
	for (unsigned i = 0; i < series->len; i++) {
		add_number(text, series->counters[i].last);
		add_number(text, series->counters[i].offset);
	}
	add(text, "\n");
}

static void add_stream(struct mc_buffer *text, const struct stream *stream)
{
	char word[4 * STREAM_PART_SIZE];

	snprintf(word, sizeof(word), "\t%s %s %c %s", stream->generation, stream->uuid,
		 stream->migrated ? 'm' : '-', stream->hypervisor);
	add(text, word);
}

void record_write(struct mc_buffer *text, struct moves_guest *guest, mc_time now)
{
	const struct moves_generation *current = moves_current(guest);

	if (current->serial == 0)
		return;
	add(text, "guest");
	add_number(text, (uint64_t)now);
	add(text, "\t");
	add(text, guest->host);
	add_stream(text, &current->stream);
	for (unsigned i = 0; i < MOVES_GENERATIONS; i++) {
		const struct moves_generation *old = &guest->generations[i];

		if (old == current || old->serial == 0)
			continue;
		add(text, "\t");
		add(text, old->stream.generation);
	}
	add(text, "\n");
	for (struct moves_series *at = NULL; (at = moves_next_series(guest, at)) != NULL;)
		if (at->serial == current->serial)
			add_series(text, at);
}

/* --- Reading ------------------------------------------------------------------- */

struct reading {
	struct moves *moves;
	struct moves_guest *guest; /* That of the last line; NULL: it was damaged. */
	mc_time now;
	bool ended; /* By the last line so far. */
};

static bool take_guest(struct reading *reading, char *line)
{
	const char *time = strsep(&line, "\t"), *host = strsep(&line, "\t");
	const char *text = strsep(&line, "\t");
	struct stream stream;
	uint64_t when;

	reading->guest = NULL;
	if (text == NULL || *host == '\0' || strchr(host, '/') != NULL ||
	    !mc_number_unsigned(time, 10, INT64_MAX, &when) || !stream_parse(text, &stream))
		return false;
	if (reading->now - (mc_time)when > RECORD_AGE_MAX ||
	    (mc_time)when - reading->now > RECORD_AGE_MAX)
		return false;
	reading->guest = moves_restore(reading->moves, host, &stream, reading->now);
	while (line != NULL && reading->guest != NULL)
		moves_restore_old(reading->guest, strsep(&line, "\t"));
	return reading->guest != NULL;
}

/* The number after a tab. */
static bool take_number(char **line, uint64_t *number)
{
	const char *word = strsep(line, "\t");

	return word != NULL && mc_number_unsigned(word, 10, UINT64_MAX, number);
}

static bool take_series(struct reading *reading, char *line)
{
	const char *name = strsep(&line, "\t");
	struct moves_counter counters[SOURCES_MAX] = { { 0 } };
	struct moves_series *series;
	unsigned len = 0;

	while (line != NULL && len < SOURCES_MAX) {
		if (!take_number(&line, &counters[len].last) ||
		    !take_number(&line, &counters[len].offset))
			return false;
		len++;
	}
	if (len == 0 || line != NULL || *name == '\0' || reading->guest == NULL)
		return false;
	series = moves_restore_series(reading->guest, name, len);
	if (series != NULL)
		memcpy(series->counters, counters, len * sizeof(counters[0]));
	return series != NULL;
}

static bool take_line(struct reading *reading, char *line)
{
	const char *kind = strsep(&line, "\t");

	reading->ended = line == NULL && strcmp(kind, "end") == 0;
	if (reading->ended)
		return true;
	if (line != NULL && strcmp(kind, "guest") == 0)
		return take_guest(reading, line);
	return line != NULL && strcmp(kind, "series") == 0 && take_series(reading, line);
}

/* The restored values are not the last that were stored: a counter goes on only after a value of
 * the process that it has; else it begins anew, as it would be less than what was stored. */
static void set_stale(const struct moves *moves)
{
	for (struct moves_guest *at = NULL; (at = moves_next(moves, at)) != NULL;)
		for (struct moves_series *series = NULL;
		     (series = moves_next_series(at, series)) != NULL;)
			series->stale = true;
}

static ptrdiff_t read_lines(struct reading *reading, char *text, char *end)
{
	ptrdiff_t damaged = 0;
	char *line_end;

	for (; text < end; text = line_end + 1) {
		line_end = memchr(text, '\n', (size_t)(end - text));
		reading->ended = false;
		if (line_end == NULL) /* Half of a line. */
			return damaged + 1;
		*line_end = '\0';
		damaged += strlen(text) != (size_t)(line_end - text) || !take_line(reading, text);
	}
	return damaged;
}

ptrdiff_t record_read(char *text, size_t size, struct moves *moves, mc_time now)
{
	struct reading reading = { .moves = moves, .now = now };
	size_t head = strlen(RECORD_HEAD);
	ptrdiff_t damaged;

	if (size < head || memcmp(text, RECORD_HEAD, head) != 0)
		return -1;
	damaged = read_lines(&reading, text + head, text + size);
	if (!reading.ended)
		set_stale(moves);
	return damaged;
}
