/* SPDX-License-Identifier: MIT */
/* The arguments of ACK, SILENCE and UNSILENCE: a pattern, then options. */
#include "formats/plaintext/plaintext_part.h"

#include <string.h>
#include <strings.h>

#include "formats/plaintext/plain_number.h"
#include "formats/plaintext/plain_word.h"

static bool read_time(const char *value, mc_time *time)
{
	const char *end = plain_number_time(value, time);

	return end != NULL && *end == '\0' && *time > 0;
}

static bool read_option(struct mc_plain *request, char *key)
{
	char *value = strchr(key, '=');

	if (value == NULL)
		return plaintext_fail(request, "Invalid option string `%s'.", key);
	*value++ = '\0';
	if (strcasecmp(key, "reason") == 0) {
		request->reason = value;
		return true;
	}
	if (request->verb != MC_PLAIN_SILENCE || strcasecmp(key, "for") != 0)
		return plaintext_fail(request, "Cannot parse option `%s'.", key);
	return read_time(value, &request->lasting) ||
	       plaintext_fail(request, "Invalid value for option `%s': %s", key, value);
}

bool plaintext_alerts(struct mc_plain *request)
{
	struct plain_word word;
	enum plain_word_result result;

	request->reason = "";
	request->lasting = 0;
	while ((result = plain_word_cut(&request->own.rest, &word)) == PLAIN_WORD_FOUND) {
		if (request->glob == NULL)
			request->glob = word.text;
		else if (!read_option(request, word.text))
			return false;
	}
	if (result == PLAIN_WORD_BACKSLASH)
		return plaintext_fail(request, "Backslash at end of string.");
	if (result != PLAIN_WORD_NONE)
		return plaintext_fail(request, "Unterminated quoted string.");
	if (request->glob == NULL || *request->glob == '\0')
		return plaintext_fail(request, "Missing pattern of series.");
	if (request->verb == MC_PLAIN_SILENCE && request->lasting == 0)
		return plaintext_fail(request, "Missing time: for=seconds.");
	return true;
}
