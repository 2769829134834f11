/* SPDX-License-Identifier: MIT */
#include "formats/munin/munin.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/number.h>

#define LETTERS "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_"
#define DIGITS "0123456789"
#define BLANKS " \t"

void mc_munin_clean(char *name, bool field)
{
	for (char *at = name; *at != '\0'; at++)
		if (strchr(at == name && field ? LETTERS : LETTERS DIGITS, *at) == NULL)
			*at = '_';
}

bool mc_munin_type(const char *text, enum mc_kind *kind)
{
	static const struct {
		const char *name;
		enum mc_kind kind;
	} kinds[] = { { "GAUGE", MC_GAUGE },
		      { "DERIVE", MC_DERIVE },
		      { "COUNTER", MC_COUNTER },
		      { "ABSOLUTE", MC_ABSOLUTE } };

	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strcasecmp(kinds[i].name, text) == 0) {
			*kind = kinds[i].kind;
			return true;
		}
	return false;
}

/* Dots make it a part of another, but not two at once, nor at an end. */
static bool is_service(const char *name)
{
	size_t size = strlen(name);

	return size > 0 && strspn(name, LETTERS DIGITS "-:.") == size && name[0] != '.' &&
	       name[size - 1] != '.' && strstr(name, "..") == NULL &&
	       strcmp(name, "multigraph") != 0;
}

/* "TIME:NUMBER", "NUMBER", "U". */
static bool take_value(struct mc_munin *munin, const char *text)
{
	const char *colon = strchr(text, ':');
	char number[sizeof(munin->digits)];
	uint64_t seconds = 0;

	munin->time = 0;
	munin->digits[0] = '\0';
	munin->value = NAN;
	if (colon != NULL) {
		const char *at = text;

		if (!mc_number_take(&at, 10, &seconds) || at != colon ||
		    seconds > (uint64_t)(INT64_MAX / MC_SECOND))
			return false;
		munin->time = (mc_time)seconds * MC_SECOND;
		text = colon + 1;
	}
	if (strcmp(text, "U") == 0)
		return true;
	text += *text == '+' && text[1] != '-';
	if (strlen(text) >= sizeof(number) || !mc_number_double(text, &munin->value))
		return false;
	snprintf(munin->digits, sizeof(munin->digits), "%s", text);
	return true;
}

static void take_field(struct mc_munin *munin, char *word, char *dot)
{
	*dot = '\0';
	munin->field = word;
	munin->key = dot + 1;
	munin->kind = MC_MUNIN_FIELD;
	if (*word == '\0' || munin->key[0] == '\0')
		munin->kind = MC_MUNIN_BAD;
	mc_munin_clean(word, true);
	if (munin->kind == MC_MUNIN_FIELD && strcmp(munin->key, "value") == 0)
		munin->kind = take_value(munin, munin->text) ? MC_MUNIN_VALUE : MC_MUNIN_BAD;
}

void mc_munin_parse(struct mc_munin *munin, char *line)
{
	char *word = line + strspn(line, BLANKS);
	char *end = word + strcspn(word, BLANKS "\r"), *text = end, *dot;
	size_t size;

	munin->kind = MC_MUNIN_NOTHING;
	munin->service = munin->field = munin->key = NULL;
	text += strspn(text, BLANKS);
	size = strlen(text);
	while (size > 0 && strchr(BLANKS "\r", text[size - 1]) != NULL)
		size--;
	if (*word == '\0' || *word == '#' || *word == '\r')
		return;
	text[size] = '\0';
	*end = '\0';
	munin->text = text;
	dot = strchr(word, '.');
	if (strcmp(word, "multigraph") == 0) {
		munin->service = text;
		munin->kind = is_service(text) ? MC_MUNIN_MULTIGRAPH : MC_MUNIN_BAD;
	} else if (dot != NULL) {
		take_field(munin, word, dot);
	} else {
		munin->key = word;
		munin->kind = strspn(word, LETTERS DIGITS) == strlen(word) ? MC_MUNIN_GRAPH
									   : MC_MUNIN_BAD;
	}
}

static bool take_end(const char *text, size_t size, double *bound)
{
	char number[64];

	*bound = NAN;
	while (size > 0 && (*text == ' ' || *text == '\t')) {
		text++;
		size--;
	}
	while (size > 0 && (text[size - 1] == ' ' || text[size - 1] == '\t'))
		size--;
	if (size == 0)
		return true;
	if (size >= sizeof(number))
		return false;
	memcpy(number, text, size);
	number[size] = '\0';
	return mc_number_double(number, bound);
}

struct mc_bounds mc_munin_range(const char *text)
{
	const char *colon = strchr(text, ':');
	struct mc_bounds bounds = { NAN, NAN };
	const char *high = colon != NULL ? colon + 1 : text;

	if (*text == '\0')
		return bounds;
	if (take_end(text, colon != NULL ? (size_t)(colon - text) : 0, &bounds.min) &&
	    take_end(high, strlen(high), &bounds.max))
		return bounds;
	return (struct mc_bounds){ 0, 0 };
}
