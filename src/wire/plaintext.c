/* SPDX-License-Identifier: MIT */
/* Requests of collectd's plain text protocol, as collectd-unixsock(5) describes
 * them and collectd 5.12 answers them.  Error texts are collectd's wherever it
 * has one.  Differences, each on purpose: text after a closing quote goes on
 * with the word (collectd aborts), a value with letters after it is refused
 * (collectd warns and cuts), and so is a list with too few values (collectd
 * dispatches whatever was in memory). */
#include "wire/plaintext.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "wire/plain_word.h"

#define PART_MAX 127 /* Characters of each part of an identifier. */

bool plaintext_fail(struct mc_plain *request, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	vsnprintf(request->error, sizeof(request->error), fmt, args);
	va_end(args);
	return false;
}

/* Splits "name-instance"; returns the size of the name, and that of the
 * instance with its '-'. */
static size_t split_part(const char *part, size_t size, size_t *instance_size)
{
	const char *dash = memchr(part, '-', size);
	size_t name_size = dash == NULL ? size : (size_t)(dash - part);

	*instance_size = size - name_size;
	return name_size;
}

enum plaintext_split plaintext_split(char *identifier, size_t size,
				     struct mc_name_parts *parts)
{
	char *end = identifier + size, *plugin, *type, *slash;
	size_t host_size, plugin_size, plugin_rest, type_size, type_rest;

	slash = memchr(identifier, '/', size);
	if (slash == NULL || slash == identifier)
		return PLAINTEXT_SPLIT_BAD;
	host_size = slash - identifier;
	plugin = slash + 1;
	slash = memchr(plugin, '/', end - plugin);
	if (slash == NULL)
		return PLAINTEXT_SPLIT_BAD;
	type = slash + 1;
	plugin_size = split_part(plugin, slash - plugin, &plugin_rest);
	type_size = split_part(type, end - type, &type_rest);
	if (plugin_size == 0)
		return PLAINTEXT_SPLIT_BAD;
	if (host_size > PART_MAX || plugin_size > PART_MAX ||
	    plugin_rest > PART_MAX + 1 || type_size > PART_MAX ||
	    type_rest > PART_MAX + 1)
		return PLAINTEXT_SPLIT_LONG;

	if (type_rest == 1) {
		type_rest = 0;
		type[type_size] = '\0';
	}
	for (char *c = type + type_size;
	     type_rest > 0 &&
	     (c = memchr(c, '/', type + type_size + type_rest - c)) != NULL;)
		*c = '_';
	if (plugin_rest == 1) {
		plugin_rest = 0;
		memmove(slash - 1, slash,
			type + type_size + type_rest + 1 - slash);
	}
	*parts = (struct mc_name_parts){
		.name = identifier,
		.host_size = host_size,
		.plugin_size = plugin_size,
		.plugin_instance_size = plugin_rest - (plugin_rest > 0),
		.type_size = type_size,
		.type_instance_size = type_rest - (type_rest > 0),
	};
	return PLAINTEXT_SPLIT_GOOD;
}

/* Cuts the next word; if there is none, its text is NULL. */
static bool cut(struct mc_plain *request, struct plain_word *word)
{
	switch (plain_word_cut(&request->own.rest, word)) {
	case PLAIN_WORD_FOUND:
		return true;
	case PLAIN_WORD_BACKSLASH:
		return plaintext_fail(request, "Backslash at end of string.");
	case PLAIN_WORD_UNTERMINATED:
	case PLAIN_WORD_LONG:
		return plaintext_fail(request, "Unterminated quoted string.");
	case PLAIN_WORD_NONE:
		break;
	}
	*word = (struct plain_word){ 0 };
	return true;
}

static bool read_identifier(struct mc_plain *request,
			    const struct plain_word *word)
{
	switch (plaintext_split(word->text, word->size, &request->name)) {
	case PLAINTEXT_SPLIT_GOOD:
		return true;
	case PLAINTEXT_SPLIT_LONG:
		return plaintext_fail(request, "Identifier too long.");
	case PLAINTEXT_SPLIT_BAD:
		break;
	}
	return plaintext_fail(request, "Cannot parse identifier `%s'.",
			      word->text);
}

/* Looks the type of the series up: a '\0' is put behind it for so long. */
static bool find_type(struct mc_plain *request, const char *error_format)
{
	const struct mc_plain_context *context = request->own.context;
	const struct mc_name_parts *name = &request->name;
	size_t plugin_at = name->host_size + 1;
	size_t type_at = plugin_at + name->plugin_size + 1;
	char *type, *end, saved;

	if (name->plugin_instance_size > 0)
		type_at += name->plugin_instance_size + 1;
	type = (char *)name->name + type_at;
	end = type + name->type_size;
	saved = *end;
	*end = '\0';
	request->type = context->find(context->argument, type);
	if (request->type == NULL)
		snprintf(request->error, sizeof(request->error), error_format,
			 type);
	*end = saved;
	return request->type != NULL;
}

static bool read_getval(struct mc_plain *request)
{
	struct plain_word word, garbage;

	if (!cut(request, &word))
		return false;
	if (word.text == NULL)
		return plaintext_fail(request, "Missing identifier.");
	if (!cut(request, &garbage))
		return false;
	if (garbage.text != NULL)
		return plaintext_fail(request,
				      "Garbage after identifier: `%s'.",
				      garbage.text);
	return read_identifier(request, &word) &&
	       find_type(request, "Type `%s' is unknown.");
}

/* GETTHRESHOLD, EXPLAIN */
static bool read_series(struct mc_plain *request)
{
	struct plain_word word, garbage;

	if (!cut(request, &word))
		return false;
	if (word.text == NULL)
		return plaintext_fail(request, "Cannot parse identifier.");
	if (!cut(request, &garbage))
		return false;
	if (garbage.text != NULL)
		return plaintext_fail(request,
				      "Garbage after end of command: %s",
				      garbage.text);
	return read_identifier(request, &word);
}

/* LISTVAL, TAP */
static bool read_glob(struct mc_plain *request)
{
	struct plain_word word, garbage;

	if (!cut(request, &word) || !cut(request, &garbage))
		return false;
	if (garbage.text != NULL)
		return plaintext_fail(request,
				      "Garbage after end of command: `%s'.",
				      garbage.text);
	request->glob = word.text;
	return true;
}

static bool read_nothing(struct mc_plain *request)
{
	struct plain_word garbage;

	if (!cut(request, &garbage))
		return false;
	if (garbage.text != NULL)
		return plaintext_fail(request,
				      "Garbage after end of command: `%s'.",
				      garbage.text);
	return true;
}

/* What ends the run of ordinary characters in an identifier. */
static const bool special[256] = {
	['\0'] = true, ['\t'] = true, ['\n'] = true, ['\v'] = true,
	['\f'] = true, ['\r'] = true, [' '] = true,  ['"'] = true,
	['\\'] = true, ['/'] = true,  ['-'] = true,
};

/* Where the parts of an identifier begin and end. */
struct marks {
	const char *dashes[3]; /* Of host, plugin, type; or NULL. */
	const char
		*slashes[3]; /* The second ends the plugin; a third is odd. */
	unsigned slashes_len;
};

/* Goes through a word, quoted as a whole or not at all, and returns where it
 * ends; NULL if it has anything out of the ordinary. */
static char *mark(char *at, bool quoted, struct marks *marks)
{
	*marks = (struct marks){ 0 };
	for (;; at++) {
		if (!special[(unsigned char)*at])
			continue;
		switch (*at) {
		case '/':
			if (marks->slashes_len == 2)
				return NULL;
			marks->slashes[marks->slashes_len++] = at;
			break;
		case '-':
			if (marks->dashes[marks->slashes_len] == NULL)
				marks->dashes[marks->slashes_len] = at;
			break;
		case '"':
			return quoted ? at : NULL;
		case '\\':
			if (quoted)
				return NULL;
			break;
		case '\0':
			return quoted ? NULL : at;
		default:
			if (!quoted)
				return at;
		}
	}
}

/* Cuts the identifier of nearly all lines off in one pass; false, and nothing
 * is changed, if it needs the long way. */
static bool cut_plain_identifier(struct mc_plain *request)
{
	char *start = request->own.rest, *end;
	bool quoted = *start == '"';
	const char *plugin, *plugin_end, *type, *type_end;
	struct marks marks;

	start += quoted;
	end = mark(start, quoted, &marks);
	if (end == NULL || marks.slashes_len != 2 ||
	    (quoted && end[1] != ' ') || end - start > PART_MAX)
		return false;
	plugin = marks.slashes[0] + 1;
	plugin_end =
		marks.dashes[1] == NULL ? marks.slashes[1] : marks.dashes[1];
	type = marks.slashes[1] + 1;
	type_end = marks.dashes[2] == NULL ? end : marks.dashes[2];
	if (plugin == start + 1 || plugin == plugin_end ||
	    plugin_end + 1 == marks.slashes[1] || type_end + 1 == end)
		return false;
	request->name.name = start;
	request->name.host_size = marks.slashes[0] - start;
	request->name.plugin_size = plugin_end - plugin;
	request->name.plugin_instance_size =
		marks.slashes[1] - plugin_end - (marks.dashes[1] != NULL);
	request->name.type_size = type_end - type;
	request->name.type_instance_size =
		end - type_end - (marks.dashes[2] != NULL);
	request->own.rest = *end == '\0' ? end : end + 1;
	*end = '\0';
	return true;
}

static bool read_putval(struct mc_plain *request)
{
	static const char missing[] = "Missing identifier and/or value-list.";
	struct plain_word word;

	request->own.rest = plain_word_start(request->own.rest);
	if (!cut_plain_identifier(request)) {
		if (!cut(request, &word))
			return false;
		request->own.rest = plain_word_start(request->own.rest);
		if (word.text == NULL || *request->own.rest == '\0')
			return plaintext_fail(request, missing);
		if (!read_identifier(request, &word))
			return false;
	} else if (*plain_word_start(request->own.rest) == '\0') {
		return plaintext_fail(request, missing);
	}
	/* The odd "1" is collectd's. */
	return find_type(request, "1 Type `%s' isn't defined.") &&
	       plaintext_put(request);
}

static const struct verb {
	char name[16];
	size_t size;
	bool (*read)(struct mc_plain *);
} verbs[] = {
	[MC_PLAIN_GETVAL] = { "GETVAL", 6, read_getval },
	[MC_PLAIN_GETTHRESHOLD] = { "GETTHRESHOLD", 12, read_series },
	[MC_PLAIN_LISTVAL] = { "LISTVAL", 7, read_glob },
	[MC_PLAIN_PUTVAL] = { "PUTVAL", 6, read_putval },
	[MC_PLAIN_PUTNOTIF] = { "PUTNOTIF", 8, plaintext_notify },
	[MC_PLAIN_FLUSH] = { "FLUSH", 5, plaintext_flush },
	[MC_PLAIN_STATUS] = { "STATUS", 6, read_nothing },
	[MC_PLAIN_EXPLAIN] = { "EXPLAIN", 7, read_series },
	[MC_PLAIN_TAP] = { "TAP", 3, read_glob },
};
#define VERBS_LEN (sizeof(verbs) / sizeof(*verbs))

/* The number of that verb, or VERBS_LEN. */
static size_t find_verb(const char *word, size_t size)
{
	size_t i;

	for (i = 0; i < VERBS_LEN; i++) {
		if (verbs[i].size == size &&
		    strncasecmp(verbs[i].name, word, size) == 0)
			break;
	}
	return i;
}

static bool parse_any(struct mc_plain *request, char *line)
{
	char *start = plain_word_start(line), *end = plain_word_end(start);
	size_t verb;

	if (strlen(start) != (size_t)(request->own.end - start))
		return plaintext_fail(request, "The line has a zero byte.");
	if (start == end)
		return plaintext_fail(request, "Missing command.");
	verb = find_verb(start, end - start);
	if (verb == VERBS_LEN)
		return plaintext_fail(
			request, "Unknown command: %.*s",
			end - start > 64 ? 64 : (int)(end - start), start);
	request->verb = verb;
	request->own.rest = end;
	return verbs[verb].read(request);
}

bool mc_plain_parse(struct mc_plain *request, char *line, size_t size,
		    const struct mc_plain_context *context)
{
	line[size] = '\0';
	request->type = NULL;
	request->glob = NULL;
	request->own.context = context;
	request->own.end = line + size;
	if (size < 7 || memcmp(line, "PUTVAL ", 7) != 0)
		return parse_any(request, line);
	request->verb = MC_PLAIN_PUTVAL; /* Nearly all are that. */
	request->own.rest = line + 7;
	return read_putval(request);
}
