/* SPDX-License-Identifier: MIT */
/* The arguments of PUTNOTIF: pairs of key and value. */
#include "formats/plaintext/plaintext_part.h"

#include <string.h>
#include <strings.h>

#include "formats/plaintext/plain_number.h"
#include "formats/plaintext/plain_word.h"

static bool read_severity(const char *value, struct mc_notification *notification)
{
	if (strcasecmp(value, "failure") == 0)
		notification->severity = MC_FAILURE;
	else if (strcasecmp(value, "warning") == 0)
		notification->severity = MC_WARNING;
	else if (strcasecmp(value, "okay") == 0)
		notification->severity = MC_OKAY;
	else
		return false;
	return true;
}

static bool read_time(const char *value, struct mc_notification *notification)
{
	const char *end = plain_number_time(value, &notification->time);

	return end != NULL && *end == '\0';
}

/* Where the string of that option goes; NULL for other options. */
static const char **find_text(const char *key, struct mc_notification *notification)
{
	const struct {
		const char *key;
		const char **text;
	} texts[] = {
		{ "host", &notification->id.host },
		{ "plugin", &notification->id.plugin },
		{ "plugin_instance", &notification->id.plugin_instance },
		{ "type", &notification->id.type },
		{ "type_instance", &notification->id.type_instance },
		{ "message", &notification->message },
	};

	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		if (strcasecmp(texts[i].key, key) == 0)
			return texts[i].text;
	}
	return NULL;
}

/* Meta data: "s:key=value".  Pairs without room are skipped. */
static bool read_field(struct mc_plain *request, const char *key, const char *value)
{
	struct mc_notification *notification = &request->notification;

	if (key[0] != 's' || key[1] != ':' || key[2] == '\0')
		return false;
	if (notification->fields_len < MC_FIELDS_MAX)
		request->fields[notification->fields_len++] = (struct mc_field){ key + 2, value };
	return true;
}

static bool read_option(struct mc_plain *request, char *key)
{
	struct mc_notification *notification = &request->notification;
	char *value = strchr(key, '=');
	const char **text;
	bool good;

	if (value == NULL || value == key || value[1] == '\0')
		return plaintext_fail(request, "Malformed option.");
	*value++ = '\0';
	text = find_text(key, notification);
	if (text != NULL) {
		*text = value;
		return true;
	}
	if (strcasecmp(key, "severity") == 0)
		good = read_severity(value, notification);
	else if (strcasecmp(key, "time") == 0)
		good = read_time(value, notification);
	else
		good = read_field(request, key, value);
	if (!good)
		return plaintext_fail(request, "Error parsing option `%s'", key);
	return true;
}

/* By the manual, the message takes the rest of the line, quotes or not: it does if it has none and
 * the next word is not an option.  collectd refuses that, but its manual's own example is such a
 * line. */
static bool read_rest_as_message(struct mc_plain *request)
{
	char *start = plain_word_start(request->own.rest);
	char *end, *after, *after_end;

	if (strncasecmp(start, "message=", 8) != 0)
		return false;
	end = plain_word_end(start);
	after = plain_word_start(end);
	after_end = plain_word_end(after);
	if (start[8] == '"' || end == start + 8 || after == after_end ||
	    memchr(after, '=', after_end - after) != NULL)
		return false;
	request->notification.message = start + 8;
	request->own.rest = after_end + strlen(after_end);
	return true;
}

bool plaintext_notify(struct mc_plain *request)
{
	struct mc_notification *notification = &request->notification;
	enum plain_word_result result = PLAIN_WORD_NONE;
	struct plain_word word;

	*notification = (struct mc_notification){ .fields = request->fields };
	while (!read_rest_as_message(request) &&
	       (result = plain_word_cut(&request->own.rest, &word)) == PLAIN_WORD_FOUND) {
		if (!read_option(request, word.text))
			return false;
		result = PLAIN_WORD_NONE;
	}
	if (result == PLAIN_WORD_BACKSLASH)
		return plaintext_fail(request, "Backslash at end of string.");
	if (result != PLAIN_WORD_NONE)
		return plaintext_fail(request, "Unterminated quoted string.");
	if (notification->severity == 0)
		return plaintext_fail(request, "Option `severity' missing.");
	if (notification->time == 0)
		return plaintext_fail(request, "Option `time' missing.");
	if (notification->message == NULL || notification->message[0] == '\0')
		return plaintext_fail(request, "No message or message of length 0 given.");
	return true;
}
