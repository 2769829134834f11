/* SPDX-License-Identifier: MIT */
#include "nagios.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/number.h>

#define NUMBER_SIZE 64
#define DIGITS "0123456789"

struct unit {
	const char *name, *type;
	double factor;
};

/* Of time m is the minute.  Nobody means bits by "kb". */
static const struct unit units[] = {
	{ "", "gauge", 1 },         { "c", "derive", 1 },
	{ "%", "percent", 1 },      { "s", "duration", 1 },
	{ "ms", "duration", 1e-3 }, { "us", "duration", 1e-6 },
	{ "ns", "duration", 1e-9 }, { "m", "duration", 60 },
	{ "h", "duration", 3600 },  { "d", "duration", 86400 },
	{ "b", "bytes", 1 },        { "kb", "bytes", 1e3 },
	{ "mb", "bytes", 1e6 },     { "gb", "bytes", 1e9 },
	{ "tb", "bytes", 1e12 },    { "pb", "bytes", 1e15 },
	{ "kib", "bytes", 0x1p10 }, { "mib", "bytes", 0x1p20 },
	{ "gib", "bytes", 0x1p30 }, { "tib", "bytes", 0x1p40 },
	{ "pib", "bytes", 0x1p50 },
};

static const struct unit *find_unit(const char *name)
{
	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strcasecmp(units[i].name, name) == 0)
			return &units[i];
	return &units[0];
}

const char *nagios_line(struct nagios_output *output, const char *line)
{
	const char *bar = strchr(line, '|');
	size_t size = bar != NULL ? (size_t)(bar - line) : strlen(line);

	if (output->only_data)
		return line;
	if (output->begun) {
		output->only_data = bar != NULL;
	} else {
		while (size > 0 &&
		       (line[size - 1] == ' ' || line[size - 1] == '\t'))
			size--;
		snprintf(output->text, sizeof(output->text), "%.*s", (int)size,
			 line);
		output->begun = true;
	}
	return bar != NULL ? bar + 1 : NULL;
}

static bool is_end(char c)
{
	return c == ' ' || c == '\t' || c == '\r' || c == '\0';
}

static const char *skip_blanks(const char *at)
{
	while (*at != '\0' && is_end(*at))
		at++;
	return at;
}

/* Appends to a label; what does not fit makes it longer than it may be. */
static void add(char label[NAGIOS_LABEL_SIZE], size_t *size, char c)
{
	if (*size < NAGIOS_LABEL_SIZE - 1)
		label[*size] = c;
	(*size)++;
}

/* In quotes, where two are one; or up to a blank or '='. */
static const char *take_label(const char *at, char label[NAGIOS_LABEL_SIZE],
			      bool *good)
{
	bool quoted = *at == '\'', closed = !quoted;
	size_t size = 0;

	at += quoted;
	while (*at != '\0' && (quoted || (!is_end(*at) && *at != '='))) {
		if (quoted && *at == '\'') {
			if (at[1] != '\'') {
				closed = true;
				at++;
				break;
			}
			at++;
		}
		add(label, &size, *at++);
	}
	*good = closed && size > 0 && size < NAGIOS_LABEL_SIZE;
	label[*good ? size : 0] = '\0';
	return at;
}

/* The bytes of a number at the start of a text: how many, and the number as
 * mc_number_double() takes it.  A comma between digits is a point. */
static size_t number_size(const char *text, char number[NUMBER_SIZE])
{
	size_t sign = *text == '+' || *text == '-', at = sign;
	size_t whole = strspn(text + at, DIGITS), exponent;
	char *point;

	at += whole;
	if ((text[at] == '.' || (text[at] == ',' && whole > 0)) &&
	    strspn(text + at + 1, DIGITS) > 0)
		at += 1 + strspn(text + at + 1, DIGITS);
	if (text[at] == 'e' || text[at] == 'E') {
		exponent = at + 1;
		exponent += text[exponent] == '+' || text[exponent] == '-';
		if (strspn(text + exponent, DIGITS) > 0)
			at = exponent + strspn(text + exponent, DIGITS);
	}
	if (at >= NUMBER_SIZE)
		return 0;
	snprintf(number, NUMBER_SIZE, "%.*s", (int)(at - (*text == '+')),
		 text + (*text == '+'));
	point = strchr(number, ',');
	if (point != NULL)
		*point = '.';
	return at;
}

static enum nagios_found take_value(const char *text, size_t size,
				    struct nagios_item *item)
{
	char word[NUMBER_SIZE], number[NUMBER_SIZE];
	const struct unit *unit;
	size_t number_end;

	if (size >= sizeof(word))
		return NAGIOS_BAD;
	snprintf(word, sizeof(word), "%.*s", (int)size, text);
	if (strcmp(word, "U") == 0)
		return NAGIOS_UNKNOWN;
	number_end = number_size(word, number);
	if (number_end == 0 || !mc_number_double(number, &item->value))
		return NAGIOS_BAD;
	/* What goes on with a number is none: 1.2.3, 0x10. */
	if (strpbrk(word + number_end, DIGITS ".,+-") != NULL)
		return NAGIOS_BAD;
	unit = find_unit(word + number_end);
	item->type = unit->type;
	item->value *= unit->factor;
	return isfinite(item->value) ? NAGIOS_ITEM : NAGIOS_BAD;
}

enum nagios_found nagios_next(const char **at, struct nagios_item *item)
{
	const char *text = skip_blanks(*at), *start;
	enum nagios_found found;
	bool good;

	*at = text;
	if (*text == '\0')
		return NAGIOS_END;
	text = take_label(text, item->label, &good);
	start = skip_blanks(text);
	if (*start != '=') {
		/* A word that is no item; the next one may be. */
		*at = text;
		return NAGIOS_BAD;
	}
	text = skip_blanks(start + 1);
	start = text;
	while (!is_end(*text) && *text != ';')
		text++;
	found = take_value(start, (size_t)(text - start), item);
	while (!is_end(*text)) /* Thresholds, and the least and the most. */
		text++;
	*at = text;
	return good ? found : NAGIOS_BAD;
}
