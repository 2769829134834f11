/* SPDX-License-Identifier: MIT */
/* The arguments of HISTORY: a series, and the span of time that is asked for. */
#include "formats/plaintext/plaintext_part.h"

#include <string.h>
#include <strings.h>

#include "formats/plaintext/plain_number.h"
#include "formats/plaintext/plain_word.h"

static bool read_time(const char *value, mc_time *time)
{
	const char *end = plain_number_time(value, time);

	return end != NULL && *end == '\0';
}

static bool read_points(const char *value, unsigned *points)
{
	uint64_t number;
	const char *end = plain_number_unsigned(value, &number);

	if (end == NULL || *end != '\0' || number == 0 || number > MC_PLAIN_POINTS_MAX)
		return false;
	*points = (unsigned)number;
	return true;
}

static bool read_flag(const char *value, bool *flag)
{
	if (strcmp(value, "0") != 0 && strcmp(value, "1") != 0)
		return false;
	*flag = value[0] == '1';
	return true;
}

static bool read_option(struct mc_plain *request, char *key)
{
	struct mc_plain_span *span = &request->span;
	char *value = strchr(key, '=');
	bool good = false;

	if (value == NULL)
		return plaintext_fail(request, "Invalid option string `%s'.", key);
	*value++ = '\0';
	if (strcasecmp(key, "from") == 0)
		good = read_time(value, &span->from);
	else if (strcasecmp(key, "to") == 0)
		good = read_time(value, &span->to);
	else if (strcasecmp(key, "step") == 0)
		good = read_time(value, &span->step);
	else if (strcasecmp(key, "points") == 0)
		good = read_points(value, &span->points);
	else if (strcasecmp(key, "minima") == 0)
		good = read_flag(value, &span->minima);
	else
		return plaintext_fail(request, "Cannot parse option `%s'.", key);
	return good || plaintext_fail(request, "Invalid value for option `%s': %s", key, value);
}

bool plaintext_history(struct mc_plain *request)
{
	struct plain_word word;
	enum plain_word_result result;
	bool named = false;

	request->span = (struct mc_plain_span){ 0 };
	while ((result = plain_word_cut(&request->own.rest, &word)) == PLAIN_WORD_FOUND) {
		if (!(named ? read_option(request, word.text)
			    : plaintext_split_word(request, &word)))
			return false;
		named = true;
	}
	if (result == PLAIN_WORD_BACKSLASH)
		return plaintext_fail(request, "Backslash at end of string.");
	if (result != PLAIN_WORD_NONE)
		return plaintext_fail(request, "Unterminated quoted string.");
	return named || plaintext_fail(request, "Missing identifier.");
}
