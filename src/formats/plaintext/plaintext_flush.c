/* SPDX-License-Identifier: MIT */
/* The arguments of FLUSH: any number of plugins and identifiers.  They are kept
 * in the line itself, which has room for them: a list of strings, each with a
 * letter in front that says what it is, and an empty one at the end. */
#include "formats/plaintext/plaintext_part.h"

#include <collector/serve.h>

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "formats/plaintext/plain_number.h"
#include "formats/plaintext/plain_word.h"

enum { PLUGIN = 'p', IDENTIFIER = 'i' };

static bool read_timeout(struct mc_plain *request, const char *text)
{
	bool negative = *text == '-';
	mc_time age;
	const char *end = plain_number_time(text + negative, &age);

	if (end == NULL || *end != '\0')
		return plaintext_fail(request, "Invalid value for option `timeout': %s", text);
	request->age = negative ? 0 : age;
	return true;
}

static char *append(char *out, char letter, const char *value, size_t size)
{
	memmove(out + 1, value, size);
	out[0] = letter;
	out[1 + size] = '\0';
	return out + size + 2;
}

/* Reads one option and returns where the next string goes, or NULL. */
static char *read_option(struct mc_plain *request, char *key, char *out)
{
	char *value = strchr(key, '=');
	struct mc_name_parts parts;
	size_t size;

	if (value == NULL || value == key) {
		plaintext_fail(request, "Invalid option string `%s'.", key);
		return NULL;
	}
	*value++ = '\0';
	size = strlen(value);
	if (strcasecmp(key, "timeout") == 0)
		return read_timeout(request, value) ? out : NULL;
	if (strcasecmp(key, "plugin") == 0)
		return append(out, PLUGIN, value, size);
	if (strcasecmp(key, "identifier") != 0) {
		plaintext_fail(request, "Cannot parse option `%s'.", key);
		return NULL;
	}
	if (plaintext_split(value, size, &parts) != PLAINTEXT_SPLIT_GOOD) {
		plaintext_fail(request, "Invalid identifier `%s'.", value);
		return NULL;
	}
	return append(out, IDENTIFIER, value, strlen(value));
}

bool plaintext_flush(struct mc_plain *request)
{
	char *out = request->own.rest;
	struct plain_word word;
	enum plain_word_result result;

	request->own.list = out;
	request->age = 0;
	while ((result = plain_word_cut(&request->own.rest, &word)) == PLAIN_WORD_FOUND) {
		out = read_option(request, word.text, out);
		if (out == NULL)
			return false;
	}
	if (result == PLAIN_WORD_BACKSLASH)
		return plaintext_fail(request, "Backslash at end of string.");
	if (result != PLAIN_WORD_NONE)
		return plaintext_fail(request, "Unterminated quoted string.");
	*out = '\0';
	return true;
}

/* The string with that letter after 'previous', or the first; or NULL. */
static const char *next(const struct mc_plain *request, char letter, const char *previous)
{
	const char *at = previous == NULL ? request->own.list : previous + strlen(previous) + 1;

	while (*at != '\0' && *at != letter)
		at += strlen(at) + 1;
	return *at == '\0' ? NULL : at + 1;
}

const char *mc_plain_plugin(const struct mc_plain *request, const char *previous)
{
	return next(request, PLUGIN, previous);
}

const char *mc_plain_identifier(const struct mc_plain *request, const char *previous)
{
	return next(request, IDENTIFIER, previous);
}
