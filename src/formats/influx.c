/* SPDX-License-Identifier: MIT */
/* Fields are read twice: first all of them are judged, and left as they are, so
 * that of a wrong line nothing counts. */
#include "formats/influx.h"

#include <string.h>

#include <collector/kit/number.h>

#define NUMBER_SIZE 400 /* telegraf writes no exponents: 1e-300 has 303 characters. */

/* --- Words ---------------------------------------------------------------- */

/* The end of a word: the first of 'ends' that no backslash is before. */
static char *find_end(char *at, const char *ends)
{
	while (*at != '\0' && strchr(ends, *at) == NULL)
		at += *at == '\\' && at[1] != '\0' ? 2 : 1;
	return at;
}

/* Takes the backslash off what it escapes, in place: commas, blanks, '=' (and,
 * in texts, quotes and itself); before others it stands for itself. */
static void unescape(char *text, const char *escaped)
{
	char *to = text;

	for (; *text != '\0'; text++) {
		if (*text == '\\' && text[1] != '\0' && strchr(escaped, text[1]) != NULL)
			text++;
		*to++ = *text;
	}
	*to = '\0';
}

static bool fail(struct mc_influx *influx, const char *error)
{
	influx->measurement = NULL;
	influx->error = error;
	return false;
}

/* --- Values --------------------------------------------------------------- */

static bool take_bool(const char *text, bool *truth)
{
	static const char *const words[][5] = {
		{ "f", "F", "false", "False", "FALSE" },
		{ "t", "T", "true", "True", "TRUE" },
	};

	for (unsigned i = 0; i < 10; i++)
		if (strcmp(text, words[i / 5][i % 5]) == 0) {
			*truth = i >= 5;
			return true;
		}
	return false;
}

static bool take_number(char *text, size_t size, struct mc_influx_field *field)
{
	char last = text[size - 1];

	if (last == 'i' || last == 'u')
		text[size - 1] = '\0';
	if (last == 'i') {
		field->kind = MC_INFLUX_SIGNED;
		return mc_number_signed(text, INT64_MIN, INT64_MAX, &field->value.signed_number);
	}
	if (last == 'u') {
		field->kind = MC_INFLUX_UNSIGNED;
		return mc_number_unsigned(text, 10, UINT64_MAX, &field->value.unsigned_number);
	}
	field->kind = MC_INFLUX_FLOAT;
	return mc_number_double(text + (*text == '+'), &field->value.number);
}

/* Of a copy, as it changes it. */
static bool take_word(const char *text, size_t size, struct mc_influx_field *field)
{
	char word[NUMBER_SIZE];

	if (size == 0 || size >= sizeof(word))
		return false;
	memcpy(word, text, size);
	word[size] = '\0';
	field->kind = MC_INFLUX_BOOL;
	return take_bool(word, &field->value.truth) || take_number(word, size, field);
}

/* The end of a value: after its quote, or at a comma or a blank; NULL: there is no value. */
static char *read_value(char *at, struct mc_influx_field *field)
{
	char *end;

	if (*at != '"') {
		end = at + strcspn(at, ", ");
		return take_word(at, (size_t)(end - at), field) ? end : NULL;
	}
	end = find_end(at + 1, "\"");
	field->kind = MC_INFLUX_TEXT;
	field->value.text = at + 1;
	return *end == '"' ? end + 1 : NULL;
}

/* --- The line ------------------------------------------------------------- */

/* ",TAG=VALUE,TAG=VALUE" at 'at'; returns the blank after them. */
static char *read_tags(struct mc_influx *influx, char *at)
{
	while (*at == ',') {
		char *key = at + 1, *equals = find_end(key, "=, "), *value;

		*at = '\0';
		value = equals + 1;
		if (*equals != '=' || equals == key)
			return NULL;
		at = find_end(value, ", ");
		if (at == value || influx->tags_len == MC_INFLUX_TAGS_MAX)
			return NULL;
		*equals = '\0';
		influx->tags[influx->tags_len++] = (struct mc_influx_tag){ key, value };
	}
	return at;
}

/* The end of the fields; NULL: one is wrong. */
static char *judge_fields(char *at)
{
	struct mc_influx_field field;

	for (;; at++) {
		char *equals = find_end(at, "=, ");

		if (*equals != '=' || equals == at)
			return NULL;
		at = read_value(equals + 1, &field);
		if (at == NULL)
			return NULL;
		if (*at != ',')
			return at;
	}
}

static bool read_time(struct mc_influx *influx, char *at)
{
	char *end;

	at += strspn(at, " ");
	end = at + strcspn(at, " \r");
	if (end[strspn(end, " \r")] != '\0')
		return false;
	*end = '\0';
	influx->has_time = *at != '\0';
	return !influx->has_time || mc_number_signed(at, INT64_MIN, INT64_MAX, &influx->time);
}

static void unescape_names(struct mc_influx *influx, char *measurement)
{
	unescape(measurement, ", ");
	for (size_t i = 0; i < influx->tags_len; i++) {
		unescape(influx->tags[i].key, ",= ");
		unescape(influx->tags[i].value, ",= ");
	}
}

bool mc_influx_time(const struct mc_influx *influx, mc_time unit, mc_time *time)
{
	mc_time found = 0;

	if (influx->has_time && influx->time <= 0)
		return false;
	if (influx->has_time && __builtin_mul_overflow(influx->time, unit, &found))
		found = INT64_MAX;
	*time = found;
	return true;
}

bool mc_influx_parse(struct mc_influx *influx, char *line, size_t size)
{
	char *start = line + strspn(line, " "), *end, *fields;

	influx->measurement = influx->error = NULL;
	influx->tags_len = 0;
	influx->has_time = false;
	if (strlen(line) != size)
		return fail(influx, "it has a zero byte");
	if (size > 0 && line[size - 1] == '\r')
		line[size - 1] = '\0';
	if (*start == '\0' || *start == '#')
		return true;
	end = find_end(start, ", ");
	if (end == start)
		return fail(influx, "it has no measurement");
	fields = read_tags(influx, end);
	if (fields == NULL || *fields != ' ')
		return fail(influx, fields == NULL ? "a tag is wrong, or one too many"
						   : "it has no fields");
	*fields++ = '\0';
	fields += strspn(fields, " ");
	end = judge_fields(fields);
	if (end == NULL || (*end != '\0' && *end != ' '))
		return fail(influx, "a field is wrong");
	influx->rest = fields;
	if (*end == ' ')
		*end++ = '\0';
	if (!read_time(influx, end))
		return fail(influx, "its time is not one whole number");
	unescape_names(influx, start);
	influx->measurement = start;
	return true;
}

bool mc_influx_next(struct mc_influx *influx, struct mc_influx_field *field)
{
	char *key = influx->rest, *equals, *end;

	if (influx->measurement == NULL || key == NULL)
		return false;
	equals = find_end(key, "=");
	end = read_value(equals + 1, field);
	influx->rest = *end == ',' ? end + 1 : NULL;
	if (field->kind == MC_INFLUX_TEXT) {
		end[-1] = '\0';
		unescape(equals + 2, "\"\\");
	}
	*equals = '\0';
	unescape(key, ",= ");
	field->key = key;
	return true;
}
