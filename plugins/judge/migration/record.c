/* SPDX-License-Identifier: MIT */
#include "record.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#include "counters.h"

#define NUMBER_SIZE 24
#define SOURCES_MAX MC_SOURCES_MAX

/* --- Writing ------------------------------------------------------------------- */

static void add(struct mc_buffer *text, const char *word)
{
	mc_buffer_add(text, word, strlen(word));
}

static void add_word(struct mc_buffer *text, const char *word)
{
	add(text, "\t");
	add(text, word);
}

static void add_number(struct mc_buffer *text, uint64_t number)
{
	char word[NUMBER_SIZE];

	snprintf(word, sizeof(word), "\t%" PRIu64, number);
	add(text, word);
}

/* Of the processes that are older than that, the last one; NULL: none. */
static const struct moves_generation *before(const struct moves_guest *guest, uint32_t serial)
{
	const struct moves_generation *found = NULL;

	for (unsigned i = 0; i < MOVES_GENERATIONS; i++) {
		const struct moves_generation *at = &guest->generations[i];

		if (i != guest->current && at->serial != 0 && at->serial < serial &&
		    (found == NULL || at->serial > found->serial))
			found = at;
	}
	return found;
}

/* As the process will be numbered when the file is read; 0: none that is known. */
static unsigned number_of(const struct moves_guest *guest, uint32_t serial)
{
	const struct moves_generation *at = &guest->generations[guest->current];
	unsigned number = 1;

	if (at->serial == serial)
		return 1;
	for (uint32_t last = UINT32_MAX; (at = before(guest, last)) != NULL; last = at->serial) {
		number++;
		if (at->serial == serial)
			return number;
	}
	return 0;
}

static void add_past(struct mc_buffer *text, const struct moves_guest *guest,
		     const struct moves_series *series, const struct moves_past *past)
{
	unsigned process = number_of(guest, past->serial);

	if (process == 0)
		return;
	add(text, "past");
	add_number(text, process);
	for (unsigned i = 0; i < series->len; i++)
		add_number(text, past->ended[i].at);
	add(text, "\n");
}

static void add_series(struct mc_buffer *text, const struct moves_guest *guest,
		       const struct moves_series *series)
{
	unsigned process = number_of(guest, series->serial);

	if (process == 0)
		return;
	add(text, "series\t");
	add(text, series->name);
	for (unsigned i = 0; i < series->len; i++) {
		add_number(text, series->counters[i].last);
		add_number(text, series->counters[i].offset);
	}
	add(text, "\n");
	if (process != 1) {
		add(text, "of");
		add_number(text, process);
		add(text, "\n");
	}
	for (const struct moves_past *at = series->pasts; at != NULL; at = at->next)
		add_past(text, guest, series, at);
}

static void add_milliseconds(struct mc_buffer *text, double seconds)
{
	if (seconds >= 0 && seconds < 1e9)
		add_number(text, (uint64_t)(seconds * 1e3 + 0.5));
	else
		add(text, "\t-");
}

static void add_moves(struct mc_buffer *text, const struct moves_guest *guest)
{
	for (unsigned i = 0; i < guest->moves_len; i++) {
		const struct moves_move *move = &guest->moves[i];

		add(text, "moved");
		add_number(text, (uint64_t)move->time);
		add_word(text, move->from);
		add_word(text, move->to);
		add_milliseconds(text, move->figures.downtime);
		add_milliseconds(text, move->figures.duration);
		add(text, "\n");
	}
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
	const struct moves_generation *current = moves_current(guest), *old;

	if (current->serial == 0)
		return;
	add(text, "guest");
	add_number(text, (uint64_t)now);
	add(text, "\t");
	add(text, guest->host);
	add_stream(text, &current->stream);
	for (uint32_t last = UINT32_MAX; (old = before(guest, last)) != NULL; last = old->serial) {
		add(text, "\t");
		add(text, old->stream.generation);
	}
	add(text, "\n");
	add_moves(text, guest);
	for (struct moves_series *at = NULL; (at = moves_next_series(guest, at)) != NULL;)
		add_series(text, guest, at);
}

void record_write_wait(struct mc_buffer *text, const struct record_wait *wait)
{
	add(text, "wait");
	add_number(text, (uint64_t)wait->time);
	add_number(text, (uint64_t)wait->interval);
	add_word(text, wait->host);
	add_word(text, wait->stream);
	add_word(text, wait->plugin_instance);
	add_word(text, wait->type);
	add_word(text, wait->type_instance);
	for (unsigned i = 0; i < wait->values_len; i++)
		add_number(text, wait->values[i].counter);
	add(text, "\n");
}

/* --- Reading ------------------------------------------------------------------- */

struct reading {
	struct moves *moves;
	struct moves_guest *guest; /* That of the last line; NULL: it was damaged. */
	struct moves_series *series;
	struct record_wait *waits, **last;
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
	reading->series = NULL;
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

	reading->series = NULL;
	while (line != NULL && len < SOURCES_MAX) {
		if (!take_number(&line, &counters[len].last) ||
		    !take_number(&line, &counters[len].offset))
			return false;
		len++;
	}
	if (len == 0 || line != NULL || *name == '\0' || reading->guest == NULL)
		return false;
	series = counters_restore(reading->moves, reading->guest, name, len);
	if (series != NULL)
		memcpy(series->counters, counters, len * sizeof(counters[0]));
	reading->series = series;
	return series != NULL;
}

static bool take_process(const struct reading *reading, char **line, uint32_t *serial)
{
	uint64_t number;

	if (reading->series == NULL || !take_number(line, &number) || number == 0 ||
	    number > MOVES_GENERATIONS)
		return false;
	*serial = moves_serial_of(number);
	for (unsigned i = 0; i < MOVES_GENERATIONS; i++)
		if (reading->guest->generations[i].serial == *serial)
			return true;
	return false;
}

static bool take_of(struct reading *reading, char *line)
{
	uint32_t process;

	if (!take_process(reading, &line, &process) || line != NULL ||
	    reading->series->pasts != NULL) /* One of which may be of that process. */
		return false;
	reading->series->serial = process;
	return true;
}

static bool take_past(struct reading *reading, char *line)
{
	uint64_t ended[SOURCES_MAX];
	struct moves_past *past;
	uint32_t process;
	unsigned len = 0;

	if (!take_process(reading, &line, &process) || process == reading->series->serial)
		return false;
	while (line != NULL && len < reading->series->len)
		if (!take_number(&line, &ended[len++]))
			return false;
	if (len != reading->series->len || line != NULL)
		return false;
	past = counters_restore_past(reading->series, process);
	for (unsigned i = 0; past != NULL && i < len; i++)
		past->ended[i].at = ended[i];
	return past != NULL;
}

static bool take_part(char **line, char out[STREAM_PART_SIZE])
{
	const char *word = strsep(line, "\t");

	return word != NULL && strlen(word) < STREAM_PART_SIZE &&
	       snprintf(out, STREAM_PART_SIZE, "%s", word) >= 0;
}

static bool take_milliseconds(char **line, double *seconds)
{
	const char *word = strsep(line, "\t");
	uint64_t number;

	*seconds = NAN;
	if (word == NULL || strcmp(word, "-") == 0)
		return word != NULL;
	if (!mc_number_unsigned(word, 10, UINT64_C(1000000000000), &number))
		return false;
	*seconds = (double)number * 1e-3;
	return true;
}

static bool take_move(const struct reading *reading, char *line)
{
	struct moves_move move = { .figures = MOVES_UNKNOWN };
	uint64_t time;

	if (reading->guest == NULL || !take_number(&line, &time) || time > INT64_MAX ||
	    !take_part(&line, move.from) || !take_part(&line, move.to) ||
	    !take_milliseconds(&line, &move.figures.downtime) ||
	    !take_milliseconds(&line, &move.figures.duration) || line != NULL)
		return false;
	move.time = (mc_time)time;
	moves_restore_move(reading->guest, &move);
	return true;
}

static bool take_times(char **line, struct record_wait *wait)
{
	uint64_t time, interval;

	if (!take_number(line, &time) || !take_number(line, &interval) || time > INT64_MAX ||
	    interval > INT64_MAX)
		return false;
	wait->time = (mc_time)time;
	wait->interval = (mc_time)interval;
	return true;
}

static bool take_words(char **line, struct record_wait *wait)
{
	wait->host = strsep(line, "\t");
	wait->stream = strsep(line, "\t");
	wait->plugin_instance = strsep(line, "\t");
	wait->type = strsep(line, "\t");
	wait->type_instance = strsep(line, "\t");
	while (*line != NULL && wait->values_len < SOURCES_MAX)
		if (!take_number(line, &wait->values[wait->values_len++].counter))
			return false;
	return *line == NULL && wait->values_len > 0;
}

static bool take_wait(struct reading *reading, const char *line)
{
	size_t size = strlen(line) + 1;
	struct record_wait *wait = mc_alloc_zero(sizeof(*wait) + size);
	const struct moves_guest *guest;
	struct stream stream;
	char *rest = wait->text;

	memcpy(wait->text, line, size);
	if (take_times(&rest, wait) && take_words(&rest, wait) &&
	    stream_parse(wait->stream, &stream)) {
		guest = moves_find(reading->moves, wait->host);
		if (guest != NULL) {
			wait->restores = guest->restores;
			*reading->last = wait;
			reading->last = &wait->next;
			return true;
		}
	}
	free(wait);
	return false;
}

/* Those that waited when the last line of their guest was written. */
static struct record_wait *waits_of(struct reading *reading)
{
	for (struct record_wait **at = &reading->waits; *at != NULL;) {
		struct record_wait *wait = *at;

		if (moves_find(reading->moves, wait->host)->restores == wait->restores) {
			at = &wait->next;
			continue;
		}
		*at = wait->next;
		free(wait);
	}
	return reading->waits;
}

void record_free_waits(struct record_wait *waits)
{
	for (struct record_wait *next; waits != NULL; waits = next) {
		next = waits->next;
		free(waits);
	}
}

static bool take_line(struct reading *reading, char *line)
{
	const char *kind = strsep(&line, "\t");

	reading->ended = line == NULL && strcmp(kind, "end") == 0;
	if (reading->ended)
		return true;
	if (line != NULL && strcmp(kind, "guest") == 0)
		return take_guest(reading, line);
	if (line != NULL && strcmp(kind, "moved") == 0)
		return take_move(reading, line);
	if (line != NULL && strcmp(kind, "wait") == 0)
		return take_wait(reading, line);
	if (line != NULL && strcmp(kind, "of") == 0)
		return take_of(reading, line);
	if (line != NULL && strcmp(kind, "past") == 0)
		return take_past(reading, line);
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

ptrdiff_t record_read(char *text, size_t size, struct moves *moves, mc_time now,
		      struct record_wait **waits)
{
	struct reading reading = { .moves = moves, .now = now };
	size_t head = strlen(RECORD_HEAD);
	ptrdiff_t damaged;

	*waits = NULL;
	reading.last = &reading.waits;
	if (size < head || memcmp(text, RECORD_HEAD, head) != 0)
		return -1;
	damaged = read_lines(&reading, text + head, text + size);
	if (!reading.ended)
		set_stale(moves);
	*waits = waits_of(&reading);
	return damaged;
}
