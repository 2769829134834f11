/* SPDX-License-Identifier: MIT */
/* Writes lines of the plain text protocol, and reads them back for a client. */
#include "formats/plaintext/plaintext_part.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/print.h>

#include "formats/plaintext/plain_number.h"
#include "formats/plaintext/plain_word.h"

/* Bytes of the longest name of a series: five parts and what is between them.
 * In quotes it may take twice that. */
#define NAME_MAX_SIZE (5 * 127 + 4)

/* The result of snprintf() in the terms of plaintext.h. */
static size_t fits(char *out, size_t size, int result)
{
	if (result >= 0 && (size_t)result < size)
		return result;
	if (size > 0)
		out[0] = '\0';
	return 0;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

static bool needs_quotes(const char *text)
{
	const char *c = text;

	while (*c != '\0' && *c != ' ' && *c != '"' && *c != '\\' && !is_control(*c))
		c++;
	return *c != '\0' || c == text;
}

size_t mc_plain_quote(char *out, size_t size, const char *text)
{
	size_t n = 0;

	if (!needs_quotes(text))
		return fits(out, size, snprintf(out, size, "%s", text));
	if (size < 3)
		return fits(out, size, -1);
	out[n++] = '"';
	for (; *text != '\0'; text++) {
		bool escape = *text == '"' || *text == '\\';

		/* The rest of the line: this, the closing quote, the '\0'. */
		if (n + escape + 3 > size)
			return fits(out, size, -1);
		if (escape)
			out[n++] = '\\';
		out[n++] = is_control(*text) ? ' ' : *text;
	}
	out[n++] = '"';
	out[n] = '\0';
	return n;
}

size_t mc_plain_rate(char *out, size_t size, double rate)
{
	if (isnan(rate))
		return fits(out, size, snprintf(out, size, "NaN"));
	return fits(out, size, snprintf(out, size, "%12e", rate));
}

size_t mc_plain_time(char *out, size_t size, mc_time time)
{
	uint64_t ns = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;

	return fits(out, size,
		    snprintf(out, size, "%s%" PRIu64 ".%03" PRIu64, time < 0 ? "-" : "",
			     ns / MC_SECOND, ns % MC_SECOND / MC_MILLISECOND));
}

/* With all decimals, but no trailing zeros: "10", "0.5". */
static size_t put_time(char *out, size_t size, mc_time time)
{
	const char *sign = time < 0 ? "-" : "";
	uint64_t ns = time < 0 ? 0 - (uint64_t)time : (uint64_t)time;
	uint64_t seconds = ns / MC_SECOND, fraction = ns % MC_SECOND;
	int width = 9;

	if (fraction == 0)
		return fits(out, size, snprintf(out, size, "%s%" PRIu64, sign, seconds));
	for (; fraction % 10 == 0; width--)
		fraction /= 10;
	return fits(
		out, size,
		snprintf(out, size, "%s%" PRIu64 ".%0*" PRIu64, sign, seconds, width, fraction));
}

size_t mc_plain_gauge(char *out, size_t size, double gauge)
{
	char text[MC_PRINT_DOUBLE_SIZE];

	if (fabs(gauge) < 1e15 && gauge == trunc(gauge) && !(gauge == 0 && signbit(gauge)))
		return fits(out, size, snprintf(out, size, "%" PRId64, (int64_t)gauge));
	return fits(out, size,
		    snprintf(out, size, "%.*s", (int)mc_print_double(text, gauge), text));
}

static size_t put_value(char *out, size_t size, enum mc_kind kind, union mc_value value)
{
	switch (kind) {
	case MC_GAUGE:
		if (isnan(value.gauge))
			return fits(out, size, snprintf(out, size, "U"));
		return mc_plain_gauge(out, size, value.gauge);
	case MC_DERIVE:
		return fits(out, size, snprintf(out, size, "%" PRId64, value.derive));
	case MC_COUNTER:
		return fits(out, size, snprintf(out, size, "%" PRIu64, value.counter));
	case MC_ABSOLUTE:
		return fits(out, size, snprintf(out, size, "%" PRIu64, value.absolute));
	}
	return fits(out, size, -1);
}

size_t mc_plain_put(char *out, size_t size, const char *name, const struct mc_type *type,
		    struct mc_stamp stamp, const union mc_value *values)
{
	char interval[MC_PLAIN_NUMBER_SIZE], time[MC_PLAIN_NUMBER_SIZE];
	char word[2 * NAME_MAX_SIZE + 3];
	size_t n;

	put_time(interval, sizeof(interval), stamp.interval);
	put_time(time, sizeof(time), stamp.time);
	if (mc_plain_quote(word, sizeof(word), name) == 0)
		return fits(out, size, -1);
	n = fits(out, size, snprintf(out, size, "PUTVAL %s interval=%s %s", word, interval, time));
	for (unsigned i = 0; n > 0 && i < type->sources_len; i++) {
		size_t value_size;

		if (n + 2 > size)
			return fits(out, size, -1);
		out[n++] = ':';
		value_size = put_value(out + n, size - n, type->sources[i].kind, values[i]);
		if (value_size == 0)
			return fits(out, size, -1);
		n += value_size;
	}
	return n;
}

struct mc_plain_line mc_plain_line(char *buffer, size_t room, const char *about)
{
	struct mc_plain_line line = { .text = buffer, .room = room };

	line.size = mc_plain_quote(buffer, room, about);
	line.cut = line.size == 0;
	return line;
}

/* Adds " key=" and the value, or nothing. */
static void add(struct mc_plain_line *line, const char *key, const char *value)
{
	char *out = line->text + line->size;
	size_t room = line->room - line->size;
	size_t n = fits(out, room, snprintf(out, room, " %s=", key));
	size_t value_size = n == 0 ? 0 : mc_plain_quote(out + n, room - n, value);

	if (value_size == 0) {
		*out = '\0';
		line->cut = true;
		return;
	}
	line->size += n + value_size;
}

void mc_plain_add_text(struct mc_plain_line *line, const char *key, const char *value)
{
	add(line, key, value == NULL ? "" : value);
}

void mc_plain_add_count(struct mc_plain_line *line, const char *key, uint64_t count)
{
	char text[MC_PLAIN_NUMBER_SIZE];

	snprintf(text, sizeof(text), "%" PRIu64, count);
	add(line, key, text);
}

void mc_plain_add_time(struct mc_plain_line *line, const char *key, mc_time time)
{
	char text[MC_PLAIN_NUMBER_SIZE];

	put_time(text, sizeof(text), time);
	add(line, key, text);
}

char *mc_plain_about(char **line)
{
	struct plain_word word;

	return plain_word_cut(line, &word) == PLAIN_WORD_FOUND ? word.text : NULL;
}

bool mc_plain_pair(char **line, const char **key, const char **value)
{
	struct plain_word word;
	char *equals;

	if (plain_word_cut(line, &word) != PLAIN_WORD_FOUND)
		return false;
	equals = strchr(word.text, '=');
	if (equals == NULL || equals == word.text)
		return false;
	*equals = '\0';
	*key = word.text;
	*value = equals + 1;
	return true;
}

bool mc_plain_status(const char *line, long *status, const char **message)
{
	char *end;
	long number;

	errno = 0;
	number = strtol(line, &end, 10);
	if (end == line || errno != 0 || (*end != '\0' && !plain_number_blank(*end)))
		return false;
	*status = number;
	*message = plain_word_start(end);
	return true;
}
