/* SPDX-License-Identifier: MIT */
#include "formats/graphite/line.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "kit/base/decimal.h"

#define SECONDS_MAX 4e9 /* The year 2096. */

/* From 2001 on, of 13 digits, as OpenTSDB takes them; what lies between is neither. */
#define MILLISECONDS_MIN 1e12

struct word {
	const char *at;
	size_t size;
};

static bool is_blank(char c)
{
	return c == ' ' || c == '\t' || c == '\r';
}

/* The next word; false at the end. */
static bool take_word(const char **at, const char *end, struct word *word)
{
	const char *start = *at, *stop;

	while (start < end && is_blank(*start))
		start++;
	stop = start;
	while (stop < end && !is_blank(*stop))
		stop++;
	if (stop == start)
		return false;
	*word = (struct word){ start, (size_t)(stop - start) };
	*at = stop;
	return true;
}

static bool is(const struct word *word, const char *text)
{
	return strlen(text) == word->size && strncasecmp(word->at, text, word->size) == 0;
}

/* Digits that a double holds exactly, and a '-' or none. */
static bool read_whole(const char *text, size_t size, int64_t *whole)
{
	bool negative = size > 0 && text[0] == '-';
	uint64_t sum = 0;

	if (size == negative || size > 18)
		return false;
	for (size_t i = negative; i < size; i++) {
		unsigned digit = (unsigned)text[i] - '0';

		if (digit > 9)
			return false;
		sum = sum * 10 + digit;
	}
	*whole = negative ? -(int64_t)sum : (int64_t)sum;
	return true;
}

enum line_fault line_read_value(const char *text, size_t size, struct mc_point *point)
{
	static const char *const unknown[] = { "nan",  "-nan", "inf",  "-inf",
					       "+inf", "U",    "none", "null" };
	const struct word word = { text, size };

	point->is_whole = read_whole(text, size, &point->whole);
	if (point->is_whole) {
		point->number = (double)point->whole;
		return LINE_GOOD;
	}
	if (mc_decimal_read(text, size, &point->number))
		return LINE_GOOD;
	for (size_t i = 0; i < sizeof(unknown) / sizeof(*unknown); i++)
		if (is(&word, unknown[i]))
			return LINE_UNKNOWN;
	return LINE_VALUE;
}

enum line_fault line_read_time(const char *text, size_t size, mc_time *time)
{
	const struct word word = { text, size };
	double seconds;
	int64_t whole;

	if (is(&word, "N") || is(&word, "-1")) {
		*time = 0;
		return LINE_GOOD;
	}
	if (read_whole(text, size, &whole) && whole > 0 && (double)whole <= SECONDS_MAX) {
		*time = whole * MC_SECOND;
		return LINE_GOOD;
	}
	if (!mc_decimal_read(text, size, &seconds) || seconds <= 0)
		return LINE_TIME;
	if (seconds >= MILLISECONDS_MIN)
		seconds /= 1000;
	if (seconds > SECONDS_MAX)
		return LINE_TIME;
	*time = (mc_time)(seconds * (double)MC_SECOND);
	return LINE_GOOD;
}

enum line_fault line_read_plain(const char *line, size_t size, struct mc_point *point)
{
	const char *at = line, *end = line + size;
	struct word path, value, time, more;
	enum line_fault fault;

	if (!take_word(&at, end, &path))
		return LINE_EMPTY;
	if (!take_word(&at, end, &value) || !take_word(&at, end, &time) ||
	    take_word(&at, end, &more) || size > LINE_SIZE_MAX)
		return LINE_FORM;
	point->path = path.at;
	point->size = path.size;
	fault = line_read_value(value.at, value.size, point);
	return fault != LINE_GOOD ? fault : line_read_time(time.at, time.size, &point->time);
}

enum line_fault line_read_put(const char *line, size_t size, struct mc_buffer *path,
			      struct mc_point *point)
{
	const char *at = line, *end = line + size;
	struct word verb, metric, time, value, tag;
	enum line_fault fault;

	if (!take_word(&at, end, &verb))
		return LINE_EMPTY;
	if (!is(&verb, "put"))
		return is(&verb, "version") || is(&verb, "exit") ? LINE_EMPTY : LINE_FORM;
	if (!take_word(&at, end, &metric) || !take_word(&at, end, &time) ||
	    !take_word(&at, end, &value) || size > LINE_SIZE_MAX)
		return LINE_FORM;
	fault = line_read_value(value.at, value.size, point);
	if (fault == LINE_GOOD)
		fault = line_read_time(time.at, time.size, &point->time);
	if (fault != LINE_GOOD)
		return fault;
	mc_buffer_clear(path);
	mc_buffer_add(path, metric.at, metric.size);
	while (take_word(&at, end, &tag)) {
		mc_buffer_add(path, ";", 1);
		mc_buffer_add(path, tag.at, tag.size);
	}
	point->path = path->at;
	point->size = path->size;
	return LINE_GOOD;
}
