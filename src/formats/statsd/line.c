/* SPDX-License-Identifier: MIT */
#include "formats/statsd/line.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/base/decimal.h"

#define DIGITS_MAX 15 /* Of a number, with its point, that a double has exactly. */

bool line_cut(const char **at, const char *end, const char **text, size_t *size)
{
	while (*at < end) {
		const char *start = *at;
		const char *newline = memchr(start, '\n', (size_t)(end - start));
		const char *stop = newline != NULL ? newline : end;

		*at = newline != NULL ? newline + 1 : end;
		if (stop > start && stop[-1] == '\r')
			stop--;
		if (stop == start)
			continue;
		*text = start;
		*size = (size_t)(stop - start);
		return true;
	}
	return false;
}

static bool is_control(char c)
{
	return (unsigned char)c < ' ' || c == 0x7f;
}

/* Adds the digits from 'at' on to '*sum'; returns the end of them. */
static inline const char *add_digits(const char *at, const char *end, uint64_t *sum)
{
	for (; at < end && (unsigned)*at - '0' <= 9; at++)
		*sum = *sum * 10 + ((unsigned)*at - '0');
	return at;
}

/* Digits, perhaps with a point between them: nearly all numbers.  Both parts are exact, and so is
 * the power of ten, so that the result is the nearest number.  Returns the end; NULL: another
 * number, or none. */
__attribute__((always_inline)) static inline const char *take_digits(const char *text,
								     const char *end,
								     double *number)
{
	static const double powers[DIGITS_MAX] = { 1e0, 1e1, 1e2,  1e3,  1e4,  1e5,  1e6, 1e7,
						   1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14 };
	uint64_t sum = 0;
	const char *point = add_digits(text, end, &sum), *at = point;

	if (at < end && *at == '.' && at > text)
		at = add_digits(at + 1, end, &sum);
	if (at == text || at - text > DIGITS_MAX || at == point + 1)
		return NULL;
	*number = (double)(int64_t)sum;
	if (at > point)
		*number /= powers[at - point - 1];
	return at;
}

static bool take_number(const char *text, size_t size, double *number)
{
	if (size > 0 && take_digits(text, text + size, number) == text + size)
		return true;
	return mc_decimal_read(text, size, number) && fabs(*number) <= LINE_NUMBER_MAX;
}

/* --- Names and tags ------------------------------------------------------- */

static bool check_name(struct line *line)
{
	for (size_t i = 0; i < line->name_size; i++) {
		if (is_control(line->name[i]))
			return false;
		line->has_slash |= line->name[i] == '/';
	}
	return line->name_size > 0;
}

static bool check_tags(const struct line *line)
{
	unsigned commas = 0;

	for (size_t i = 0; i < line->tags_size; i++) {
		if (is_control(line->tags[i]))
			return false;
		commas += line->tags[i] == ',';
	}
	return commas < LINE_TAGS_MAX;
}

enum line_fault line_check(struct line *line)
{
	if (!check_name(line))
		return LINE_NAME;
	return check_tags(line) ? LINE_GOOD : LINE_TAGS;
}

/* --- What follows the type ------------------------------------------------ */

static enum line_fault take_rate(const char *text, size_t size, struct line *line)
{
	double rate;

	if (line->type != LINE_COUNTER && line->type != LINE_TIMER)
		return LINE_RATE;
	if (!take_number(text, size, &rate) || !(rate > 0 && rate <= 1) ||
	    1 / rate > LINE_NUMBER_MAX)
		return LINE_RATE;
	line->weight = 1 / rate;
	return LINE_GOOD;
}

/* The last ones count. */
static enum line_fault take_tags(const char *text, size_t size, struct line *line)
{
	bool right = check_tags(line);

	line->tags = text;
	line->tags_size = size;
	return right ? LINE_GOOD : LINE_TAGS;
}

static enum line_fault take_field(const char *text, size_t size, struct line *line)
{
	if (size == 0)
		return LINE_UNSUPPORTED;
	switch (*text) {
	case '@':
		return take_rate(text + 1, size - 1, line);
	case '#':
		return take_tags(text + 1, size - 1, line);
	case 'c': /* The container that it comes from, and what is known of */
	case 'e': /* its origin: nobody asked for these. */
		return size > 1 && text[1] == ':' ? LINE_GOOD : LINE_UNSUPPORTED;
	default:
		return LINE_UNSUPPORTED;
	}
}

/* The part after the type: "@0.1|#a:b". */
static enum line_fault take_fields(const char *at, const char *end, struct line *line)
{
	while (at < end) {
		const char *bar = memchr(at, '|', (size_t)(end - at));
		const char *stop = bar != NULL ? bar : end;
		enum line_fault fault = take_field(at, (size_t)(stop - at), line);

		if (fault != LINE_GOOD)
			return fault;
		at = stop + 1;
	}
	return LINE_GOOD;
}

/* --- The line ------------------------------------------------------------- */

/* Not h and d of DogStatsD, histogram and distribution: a timer without a unit. */
static bool take_type(const char *text, size_t size, enum line_type *type)
{
	if (size == 2 && text[0] == 'm' && text[1] == 's')
		*type = LINE_TIMER;
	else if (size == 1 && *text == 'c')
		*type = LINE_COUNTER;
	else if (size == 1 && *text == 'g')
		*type = LINE_GAUGE;
	else if (size == 1 && *text == 's')
		*type = LINE_SET;
	else
		return false;
	return true;
}

static enum line_fault take_value(const char *text, size_t size, struct line *line)
{
	if (line->type == LINE_SET) {
		line->member = text;
		line->member_size = size;
		return LINE_GOOD;
	}
	if (size == 0 || !take_number(text, size, &line->value))
		return LINE_VALUE;
	if (line->type == LINE_TIMER && line->value < 0)
		return LINE_VALUE;
	line->relative = line->type == LINE_GAUGE && (*text == '+' || *text == '-');
	return LINE_GOOD;
}

static bool begins(const char *text, size_t size, const char *word)
{
	return size >= strlen(word) && memcmp(text, word, strlen(word)) == 0;
}

/* The type is up to a '|' after it, or to the end of the line: four bytes at most. */
static const char *end_of_type(const char *type, const char *end)
{
	const char *at = type;

	while (at < end && at - type < 4 && *at != '|')
		at++;
	return at;
}

/* The parts after the name; 'bar' is at the end of the value. */
static enum line_fault take_rest(const char *value, const char *bar, const char *end,
				 struct line *line)
{
	const char *type = bar + 1, *type_end = end_of_type(type, end);
	enum line_fault fault;

	if (!take_type(type, (size_t)(type_end - type), &line->type))
		return LINE_TYPE;
	fault = take_value(value, (size_t)(bar - value), line);
	if (fault != LINE_GOOD || type_end == end)
		return fault;
	return take_fields(type_end + 1, end, line);
}

enum line_fault line_split(const char *text, size_t size, struct line *line)
{
	const char *bar = memchr(text, '|', size), *colon;
	enum line_fault fault, first;

	*line = (struct line){ .weight = 1 };
	if (text[0] == '_' && (begins(text, size, "_e{") || begins(text, size, "_sc|")))
		return LINE_UNSUPPORTED;
	colon = bar != NULL ? memrchr(text, ':', (size_t)(bar - text)) : NULL;
	if (colon == NULL)
		return LINE_FORM;
	line->name = text;
	line->name_size = (size_t)(colon - text);
	fault = take_rest(colon + 1, bar, text + size, line);
	if (fault == LINE_GOOD)
		return LINE_GOOD;
	/* The first one counts. */
	first = line_check(line);
	return first != LINE_GOOD ? first : fault;
}

enum line_fault line_parse(const char *text, size_t size, struct line *line)
{
	enum line_fault fault = line_split(text, size, line);

	return fault != LINE_GOOD ? fault : line_check(line);
}

/* The rate at 'at', after "|@", up to the end of the line; NULL: it is not a usual one. */
static const char *skim_rate(const char *at, const char *end, double *weight)
{
	double rate;

	if (end - at < 2 || at[0] != '|' || at[1] != '@')
		return NULL;
	at = take_digits(at + 2, end, &rate);
	if (at == NULL || !(rate > 0 && rate <= 1))
		return NULL;
	*weight = 1 / rate;
	return at;
}

const char *line_skim(const char *text, const char *end, struct line *line)
{
	const char *colon = memchr(text, ':', (size_t)(end - text)), *at;
	double value, weight = 1;
	enum line_type type;

	if (colon == NULL)
		return NULL;
	at = take_digits(colon + 1, end, &value);
	if (at == NULL || end - at < 2 || *at++ != '|')
		return NULL;
	if (*at == 'c')
		type = LINE_COUNTER;
	else if (*at == 'g')
		type = LINE_GAUGE;
	else if (*at == 'm' && end - at >= 2 && *++at == 's')
		type = LINE_TIMER;
	else
		return NULL;
	at++;
	if (at < end && *at != '\n' && type != LINE_GAUGE)
		at = skim_rate(at, end, &weight);
	if (at == NULL || (at < end && *at != '\n'))
		return NULL;
	line->type = type;
	line->name = text;
	line->name_size = (size_t)(colon - text);
	line->value = value;
	line->weight = weight;
	return at < end ? at + 1 : end;
}

char *line_write_name(const struct line *line, char *out)
{
	for (size_t i = 0; i < line->name_size; i++)
		out[i] = line->name[i] == '/' ? '_' : line->name[i];
	return out + line->name_size;
}

/* --- Tags ----------------------------------------------------------------- */

struct tag {
	const char *text;
	size_t size;
};

static int compare_tags(const void *a, const void *b)
{
	const struct tag *first = a, *second = b;
	size_t size = first->size < second->size ? first->size : second->size;
	int order = memcmp(first->text, second->text, size);

	if (order != 0)
		return order;
	return (first->size > second->size) - (first->size < second->size);
}

/* The first ':' is between a key and its value. */
static char *write_tag(const struct tag *tag, char *out)
{
	char *colon;

	memcpy(out, tag->text, tag->size);
	for (size_t i = 0; i < tag->size; i++)
		if (out[i] == '/')
			out[i] = '_';
	colon = memchr(out, ':', tag->size);
	if (colon != NULL)
		*colon = '=';
	return out + tag->size;
}

size_t line_sort_tags(const char *tags, size_t size, char *out)
{
	const char *end = tags + size;
	struct tag all[LINE_TAGS_MAX];
	char *to = out;
	size_t len = 0;

	while (tags < end && len < LINE_TAGS_MAX) {
		const char *comma = memchr(tags, ',', (size_t)(end - tags));
		const char *stop = comma != NULL ? comma : end;

		if (stop > tags)
			all[len++] = (struct tag){ tags, (size_t)(stop - tags) };
		tags = stop + 1;
	}
	qsort(all, len, sizeof(*all), compare_tags);
	for (size_t i = 0; i < len; i++) {
		if (i > 0 && compare_tags(&all[i - 1], &all[i]) == 0)
			continue;
		if (to > out)
			*to++ = ',';
		to = write_tag(&all[i], to);
	}
	return (size_t)(to - out);
}
