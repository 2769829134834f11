/* SPDX-License-Identifier: MIT */
#include "formats/statsd/line.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/number.h>

#define DIGITS_MAX 15 /* Such a number is a double as it stands. */

bool line_cut(char **at, char *end, char **text, size_t *size)
{
	while (*at < end) {
		char *start = *at;
		char *newline = memchr(start, '\n', (size_t)(end - start));
		char *stop = newline != NULL ? newline : end;

		*at = newline != NULL ? newline + 1 : end;
		if (stop > start && stop[-1] == '\r')
			stop--;
		*stop = '\0';
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

/* --- Numbers -------------------------------------------------------------- */

/* Nearly all numbers are short and whole. */
static bool take_digits(const char *text, size_t size, double *number)
{
	unsigned long sum = 0;

	if (size == 0 || size > DIGITS_MAX)
		return false;
	for (size_t i = 0; i < size; i++) {
		unsigned digit = (unsigned)text[i] - '0';

		if (digit > 9)
			return false;
		sum = sum * 10 + digit;
	}
	*number = (double)sum;
	return true;
}

/* 'text[size]' is '\0'. */
static bool take_number(const char *text, size_t size, double *number)
{
	double found;

	if (take_digits(text, size, number))
		return true;
	if (memchr(text, '\0', size) != NULL)
		return false;
	if (*text == '+' && text[1] != '-')
		text++;
	if (!mc_number_double(text, &found) || fabs(found) > LINE_NUMBER_MAX)
		return false;
	*number = found;
	return true;
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

static enum line_fault take_tags(char *text, size_t size, struct line *line)
{
	unsigned commas = 0;

	for (size_t i = 0; i < size; i++) {
		if (is_control(text[i]))
			return LINE_TAGS;
		commas += text[i] == ',';
	}
	if (commas >= LINE_TAGS_MAX)
		return LINE_TAGS;
	line->tags = text;
	line->tags_size = size;
	return LINE_GOOD;
}

static enum line_fault take_field(char *text, size_t size, struct line *line)
{
	switch (*text) {
	case '@':
		return take_rate(text + 1, size - 1, line);
	case '#':
		return take_tags(text + 1, size - 1, line);
	case 'c': /* The container that it comes from, and what is known of */
	case 'e': /* its origin: nobody asked for these. */
		return text[1] == ':' ? LINE_GOOD : LINE_UNSUPPORTED;
	default:
		return LINE_UNSUPPORTED;
	}
}

/* The part after the type: "@0.1|#a:b". */
static enum line_fault take_fields(char *at, char *end, struct line *line)
{
	while (at < end) {
		char *bar = memchr(at, '|', (size_t)(end - at));
		char *stop = bar != NULL ? bar : end;
		enum line_fault fault;

		*stop = '\0';
		fault = take_field(at, (size_t)(stop - at), line);
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

static bool take_name(const char *text, size_t size, struct line *line)
{
	for (size_t i = 0; i < size; i++) {
		if (is_control(text[i]))
			return false;
		line->has_slash |= text[i] == '/';
	}
	line->name = text;
	line->name_size = size;
	return size > 0;
}

static enum line_fault take_value(char *text, size_t size, struct line *line)
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

enum line_fault line_parse(char *text, size_t size, struct line *line)
{
	char *end = text + size, *bar = memchr(text, '|', size);
	char *colon, *type, *type_end;
	enum line_fault fault;

	*line = (struct line){ .weight = 1 };
	if (text[0] == '_' && (strncmp(text, "_e{", 3) == 0 || strncmp(text, "_sc|", 4) == 0))
		return LINE_UNSUPPORTED;
	colon = bar != NULL ? memrchr(text, ':', (size_t)(bar - text)) : NULL;
	if (colon == NULL)
		return LINE_FORM;
	if (!take_name(text, (size_t)(colon - text), line))
		return LINE_NAME;
	type = bar + 1;
	type_end = memchr(type, '|', (size_t)(end - type));
	if (type_end == NULL)
		type_end = end;
	if (!take_type(type, (size_t)(type_end - type), &line->type))
		return LINE_TYPE;
	*bar = '\0';
	fault = take_value(colon + 1, (size_t)(bar - colon - 1), line);
	if (fault != LINE_GOOD || type_end == end)
		return fault;
	return take_fields(type_end + 1, end, line);
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
