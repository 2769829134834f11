/* SPDX-License-Identifier: MIT */
/* The arguments of PUTVAL: options and value lists in any order.
 *
 * All lists are read before the first counts, because collectd dispatches none if one is bad.  The
 * first is kept, so the usual line of one list is read once; mc_plain_next() reads the others a
 * second time, which is why this leaves the line as it is. */
#include "formats/plaintext/plaintext_part.h"

#include <math.h>
#include <string.h>
#include <strings.h>

#include "formats/plaintext/plain_number.h"
#include "formats/plaintext/plain_word.h"

#define WORD_SIZE 2048 /* Of a word with quotes or an unknown option. */

enum item { ITEM_END, ITEM_OPTION, ITEM_LIST, ITEM_BAD };

static bool is_end(char c)
{
	return c == '\0' || plain_number_blank(c);
}

static const char *read_value(const char *text, enum mc_kind kind, union mc_value *value)
{
	switch (kind) {
	case MC_GAUGE:
		if (text[0] == 'U' && (text[1] == ':' || is_end(text[1]))) {
			value->gauge = NAN;
			return text + 1;
		}
		return plain_number_gauge(text, &value->gauge);
	case MC_DERIVE:
		return plain_number_signed(text, &value->derive);
	case MC_COUNTER:
		return plain_number_unsigned(text, &value->counter);
	case MC_ABSOLUTE:
		return plain_number_unsigned(text, &value->absolute);
	}
	return NULL;
}

/* Reads "time:value:value" and returns where it ends, or NULL. */
static const char *read_list(const struct mc_plain *request, const char *text, mc_time *time,
			     union mc_value *values)
{
	const struct mc_type *type = request->type;
	mc_time now = request->own.context->now;

	if (text[0] == 'N' && text[1] == ':') {
		*time = now;
		text++;
	} else {
		text = plain_number_time(text, time);
		if (text != NULL && *time == 0)
			*time = now;
	}
	for (unsigned i = 0; text != NULL && i < type->sources_len; i++) {
		if (*text != ':')
			return NULL;
		text = read_value(text + 1, type->sources[i].kind, &values[i]);
	}
	return text != NULL && is_end(*text) ? text : NULL;
}

/* Takes "interval=10"; one that makes no sense is ignored, as are all other options. */
static void read_option(const char *option, mc_time *interval)
{
	static const char key[] = "interval=";
	mc_time time;
	const char *end;

	if (strncasecmp(option, key, sizeof(key) - 1) != 0)
		return;
	end = plain_number_time(option + sizeof(key) - 1, &time);
	if (end != NULL && *end == '\0' && time > 0)
		*interval = time;
}

/* Whether the word is "key=value". */
static bool is_option(const char *word)
{
	const char *c = word;

	while ((*c >= 'a' && *c <= 'z') || (*c >= 'A' && *c <= 'Z') || (*c >= '0' && *c <= '9') ||
	       *c == '_' || (*c == ':' && c != word))
		c++;
	return *c == '=' && c != word;
}

/* The usual option, read where it is; NULL if it is not that. */
static char *read_plain_interval(const struct mc_plain *request, char *at, mc_time *interval)
{
	mc_time time;
	const char *end;

	if (request->own.end - at < 9 || memcmp(at, "interval=", 9) != 0)
		return NULL;
	end = plain_number_time(at + 9, &time);
	if (end == NULL || !is_end(*end) || time <= 0)
		return NULL;
	*interval = time;
	return (char *)end;
}

/* A word with quotes, an option, or nonsense.  Kept out of the usual way, which
 * needs no room for a word. */
__attribute__((noinline)) static enum item read_word(struct mc_plain *request, char **rest,
						     struct mc_stamp *stamp, union mc_value *values)
{
	char text[WORD_SIZE];
	struct plain_word word;

	switch (plain_word_copy(rest, text, sizeof(text), &word)) {
	case PLAIN_WORD_FOUND:
		break;
	case PLAIN_WORD_NONE:
		plaintext_fail(request, "The line has a zero byte.");
		return ITEM_BAD;
	case PLAIN_WORD_BACKSLASH:
		plaintext_fail(request, "Backslash at end of string.");
		return ITEM_BAD;
	case PLAIN_WORD_UNTERMINATED:
		plaintext_fail(request, "Unterminated quoted string.");
		return ITEM_BAD;
	case PLAIN_WORD_LONG:
		plaintext_fail(request, "Parsing the values string failed.");
		return ITEM_BAD;
	}
	if (is_option(word.text)) {
		read_option(word.text, &stamp->interval);
		return ITEM_OPTION;
	}
	const char *end = read_list(request, word.text, &stamp->time, values);

	if (end == NULL || *end != '\0') {
		plaintext_fail(request, "Parsing the values string failed.");
		return ITEM_BAD;
	}
	return ITEM_LIST;
}

/* Reads up to the end of the next value list. */
static enum item read_item(struct mc_plain *request, char **rest, struct mc_stamp *stamp,
			   union mc_value *values)
{
	enum item item = ITEM_OPTION;

	while (item == ITEM_OPTION) {
		char *at = plain_word_start(*rest), *end;

		if (*at == '\0' && at == request->own.end)
			return ITEM_END;
		if ((unsigned char)(*at - '0') < 10 || *at == 'N') {
			end = (char *)read_list(request, at, &stamp->time, values);
			item = ITEM_LIST;
		} else {
			end = read_plain_interval(request, at, &stamp->interval);
		}
		if (end != NULL)
			*rest = end;
		else
			item = read_word(request, rest, stamp, values);
	}
	return item;
}

/* Counts the lists after the first, which must be good. */
__attribute__((noinline)) static bool check_more(struct mc_plain *request)
{
	union mc_value values[MC_SOURCES_MAX];
	struct mc_stamp stamp = request->stamp;
	char *rest = request->own.rest;
	enum item item;

	while ((item = read_item(request, &rest, &stamp, values)) == ITEM_LIST)
		request->lists_len++;
	return item == ITEM_END;
}

bool plaintext_put(struct mc_plain *request)
{
	enum item item;

	request->lists_len = 0;
	request->own.lists_seen = 0;
	request->stamp.interval = request->own.context->interval;
	item = read_item(request, &request->own.rest, &request->stamp, request->values);
	if (item != ITEM_LIST)
		return item == ITEM_END;
	request->lists_len = 1;
	return request->own.rest == request->own.end || check_more(request);
}

bool mc_plain_next(struct mc_plain *request)
{
	if (request->own.lists_seen == request->lists_len)
		return false;
	if (request->own.lists_seen++ > 0)
		read_item(request, &request->own.rest, &request->stamp, request->values);
	return true;
}
