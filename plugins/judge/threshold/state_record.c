/* SPDX-License-Identifier: MIT */
#include "state_record.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/hash.h>

#define HASH_SIZE 16 /* Hexadecimal digits. */
#define FIELDS 12    /* Files of earlier versions lack the last one. */

static uint64_t hash_of(const char *text, size_t size)
{
	return mc_hash_bytes(mc_hash_start(), text, size);
}

static const char *or_none(const char *text)
{
	return text != NULL ? text : "";
}

void state_record_write(struct mc_buffer *buffer, const struct state_record *record)
{
	const struct mc_id *id = &record->id;
	char *line = mc_alloc_printf(
		"%d\t%d\t%" PRId64 "\t%" PRId64 "\t%.17g\t%s\t%s\t%s\t%s\t%s"
		"\t%s\t%" PRId64,
		record->state, record->missing + 2 * record->by_source, record->since,
		record->reported, record->value, or_none(record->source), or_none(id->host),
		or_none(id->plugin), or_none(id->plugin_instance), or_none(id->type),
		or_none(id->type_instance), record->interval);
	char hash[HASH_SIZE + 2];
	size_t size = strlen(line);

	snprintf(hash, sizeof(hash), "%016" PRIx64 "\t", hash_of(line, size));
	mc_buffer_add(buffer, hash, HASH_SIZE + 1);
	mc_buffer_add(buffer, line, size);
	mc_buffer_add(buffer, "\n", 1);
	free(line);
}

static bool read_integer(const char *text, int64_t min, int64_t max, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return errno == 0 && end != text && *end == '\0' && *out >= min && *out <= max;
}

static bool read_number(const char *text, double *out)
{
	char *end;

	*out = strtod(text, &end);
	return end != text && *end == '\0';
}

/* Cuts a line at its tabs; false if the number of its fields is wrong. */
static bool cut(char *line, char *fields[FIELDS])
{
	size_t len = 0;

	fields[FIELDS - 1] = NULL;
	while (line != NULL && len < FIELDS)
		fields[len++] = strsep(&line, "\t");
	return line == NULL && len >= FIELDS - 1;
}

static bool read_fields(char *fields[FIELDS], struct state_record *record)
{
	int64_t state, flags; /* 1: it is missing; 2: by its metadata. */

	if (!read_integer(fields[0], MC_STATE_OKAY, MC_STATE_FAILURE, &state) ||
	    !read_integer(fields[1], 0, 3, &flags) ||
	    !read_integer(fields[2], 0, INT64_MAX, &record->since) ||
	    !read_integer(fields[3], 0, INT64_MAX, &record->reported) ||
	    !read_number(fields[4], &record->value) || strlen(fields[5]) >= ALERT_SOURCE_SIZE ||
	    *fields[6] == '\0' || *fields[7] == '\0' || *fields[9] == '\0')
		return false;
	record->interval = 0;
	if (fields[11] != NULL && !read_integer(fields[11], 0, INT64_MAX, &record->interval))
		return false;
	record->state = (enum mc_state)state;
	record->missing = (flags & 1) != 0;
	record->by_source = (flags & 2) != 0;
	record->source = fields[5];
	record->id = (struct mc_id){ fields[6], fields[7], fields[8], fields[9], fields[10] };
	for (size_t i = 6; i <= 10; i++)
		if (strlen(fields[i]) > 127) /* As in collectd. */
			return false;
	return true;
}

/* A line that ends with '\0'. */
static bool read_line(char *line, size_t size, struct state_record *record)
{
	char *fields[FIELDS], *end;
	uint64_t hash;

	if (size <= HASH_SIZE || line[HASH_SIZE] != '\t' || strlen(line) != size)
		return false;
	hash = strtoull(line, &end, 16);
	return end == line + HASH_SIZE && hash == hash_of(end + 1, size - HASH_SIZE - 1) &&
	       cut(end + 1, fields) && read_fields(fields, record);
}

ssize_t state_record_read(char *text, size_t size,
			  void (*show)(void *argument, const struct state_record *), void *argument)
{
	size_t at = strlen(STATE_RECORD_HEAD);
	ssize_t bad = 0;

	if (size < at || memcmp(text, STATE_RECORD_HEAD, at) != 0)
		return -1;
	while (at < size) {
		char *newline = memchr(text + at, '\n', size - at);
		struct state_record record;
		size_t line_size;

		if (newline == NULL)
			return bad + 1;
		*newline = '\0';
		line_size = (size_t)(newline - (text + at));
		if (read_line(text + at, line_size, &record))
			show(argument, &record);
		else
			bad++;
		at += line_size + 1;
	}
	return bad;
}
