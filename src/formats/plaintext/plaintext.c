/* SPDX-License-Identifier: MIT */
/* Requests of collectd's plain text protocol, as collectd-unixsock(5) describes them and collectd
 * 5.12 answers them.  Error texts are collectd's wherever it has one.  Differences, each on
 * purpose: text after a closing quote goes on with the word (collectd aborts), a value with letters
 * after it is refused (collectd warns and cuts), and so is a list with too few values (collectd
 * dispatches whatever was in memory). */
#include "formats/plaintext/plaintext_part.h"

#include <collector/serve.h>

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "formats/plaintext/plain_word.h"

/* Cuts the next word; at the end its text is NULL. */
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

/* Looks the type of the series up: a '\0' is put after it meanwhile. */
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
		snprintf(request->error, sizeof(request->error), error_format, type);
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
		return plaintext_fail(request, "Garbage after identifier: `%s'.", garbage.text);
	return plaintext_split_word(request, &word) && find_type(request, "Type `%s' is unknown.");
}

/* GETTHRESHOLD, DESCRIBE, EXPLAIN */
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
		return plaintext_fail(request, "Garbage after end of command: %s", garbage.text);
	return plaintext_split_word(request, &word);
}

/* TAP */
static bool read_glob(struct mc_plain *request)
{
	struct plain_word word, garbage;

	if (!cut(request, &word) || !cut(request, &garbage))
		return false;
	if (garbage.text != NULL)
		return plaintext_fail(request, "Garbage after end of command: `%s'.", garbage.text);
	request->glob = word.text;
	return true;
}

/* LISTVAL, LISTENDED, LISTKEEPERS */
static bool read_list(struct mc_plain *request)
{
	struct plain_word word, label, garbage;

	if (!cut(request, &word) || !cut(request, &label) || !cut(request, &garbage))
		return false;
	if (label.text != NULL && strchr(label.text, '=') == NULL)
		return plaintext_fail(request, "Cannot parse label `%s'.", label.text);
	if (garbage.text != NULL)
		return plaintext_fail(request, "Garbage after end of command: `%s'.", garbage.text);
	request->glob = word.text;
	request->label = label.text;
	return true;
}

static bool read_forget(struct mc_plain *request)
{
	struct plain_word word, option, garbage;

	if (!cut(request, &word) || !cut(request, &option) || !cut(request, &garbage))
		return false;
	if (word.text == NULL)
		return plaintext_fail(request, "Missing pattern of series.");
	request->glob = word.text;
	request->files = option.text != NULL && strcasecmp(option.text, "files=true") == 0;
	if (option.text != NULL && !request->files && strcasecmp(option.text, "files=false") != 0)
		return plaintext_fail(request, "Cannot parse option `%s'.", option.text);
	if (garbage.text != NULL)
		return plaintext_fail(request, "Garbage after end of command: `%s'.", garbage.text);
	return true;
}

static bool read_nothing(struct mc_plain *request)
{
	struct plain_word garbage;

	if (!cut(request, &garbage))
		return false;
	if (garbage.text != NULL)
		return plaintext_fail(request, "Garbage after end of command: `%s'.", garbage.text);
	return true;
}

/* Characters that may end a part of an identifier, or make it odd. */
static const bool special[256] = {
	['\0'] = true, ['\t'] = true, ['\n'] = true, ['\v'] = true, ['\f'] = true, ['\r'] = true,
	[' '] = true,  ['"'] = true,  ['\\'] = true, ['/'] = true,  ['-'] = true,
};

/* Goes to the next special character that is no '-', the first of which it notes: there the
 * instance starts.  Without one, the name ends with the part. */
static inline char *skip_part(char *at, char **name_end)
{
	while (!special[(unsigned char)*at])
		at++;
	*name_end = at;
	while (!special[(unsigned char)*at] || *at == '-')
		at++;
	return at;
}

/* Cuts the identifier of nearly all lines off in one pass: one without blanks, quoted as a whole or
 * not at all.  False, and nothing is changed, if it needs the long way, be it to find the error. */
static bool cut_plain_identifier(struct mc_plain *request)
{
	char *host = request->own.rest, *plugin, *plugin_end, *type, *type_end;
	char *end, *name_end;
	bool quoted = *host == '"';

	host += quoted;
	end = skip_part(host, &name_end);
	if (*end != '/' || end == host)
		return false;
	plugin = end + 1;
	end = skip_part(plugin, &plugin_end);
	if (*end != '/' || plugin_end == plugin || plugin_end + 1 == end)
		return false;
	type = end + 1;
	end = skip_part(type, &type_end);
	if (quoted && *end != '"')
		return false;
	if (end[quoted] != ' ' || type_end + 1 == end || end - host > PLAINTEXT_PART_MAX)
		return false;
	request->name = (struct mc_name_parts){
		.name = host,
		.host_size = plugin - host - 1,
		.plugin_size = plugin_end - plugin,
		.plugin_instance_size = type - plugin_end - 1,
		.type_size = type_end - type,
		.type_instance_size = end - type_end,
	};
	/* With an instance, its '-' was counted. */
	request->name.plugin_instance_size -= *plugin_end == '-';
	request->name.type_instance_size -= *type_end == '-';
	request->own.rest = end + quoted + 1;
	*end = '\0';
	return true;
}

/* Cuts the identifier off if its text is that of a series which is known, so
 * that it need not be looked at letter by letter: the usual case by far. */
static bool cut_known_identifier(struct mc_plain *request)
{
	const struct mc_plain_context *context = request->own.context;
	bool quoted = *request->own.rest == '"';
	char *name = request->own.rest + quoted, *end;

	if (context->known == NULL)
		return false;
	end = memchr(name, quoted ? '"' : ' ', request->own.end - name);
	if (end == NULL || end[quoted] != ' ' ||
	    memchr(name, quoted ? '\\' : '"', end - name) != NULL)
		return false;
	request->type = context->known(context->argument, name, end - name);
	if (request->type == NULL)
		return false;
	*end = '\0';
	request->name.name = name;
	request->known = true;
	request->own.rest = end + quoted + 1;
	return true;
}

static bool read_putval(struct mc_plain *request)
{
	static const char missing[] = "Missing identifier and/or value-list.";
	struct plain_word word;

	request->own.rest = plain_word_start(request->own.rest);
	if (cut_known_identifier(request))
		return *plain_word_start(request->own.rest) != '\0'
			       ? plaintext_put(request)
			       : plaintext_fail(request, missing);
	if (!cut_plain_identifier(request)) {
		if (!cut(request, &word))
			return false;
		request->own.rest = plain_word_start(request->own.rest);
		if (word.text == NULL || *request->own.rest == '\0')
			return plaintext_fail(request, missing);
		if (!plaintext_split_word(request, &word))
			return false;
	} else if (*plain_word_start(request->own.rest) == '\0') {
		return plaintext_fail(request, missing);
	}
	/* The odd "1" is collectd's. */
	return find_type(request, "1 Type `%s' isn't defined.") && plaintext_put(request);
}

static const struct verb {
	char name[16];
	size_t size;
	bool (*read)(struct mc_plain *);
} verbs[] = {
	[MC_PLAIN_GETVAL] = { "GETVAL", 6, read_getval },
	[MC_PLAIN_GETTHRESHOLD] = { "GETTHRESHOLD", 12, read_series },
	[MC_PLAIN_LISTVAL] = { "LISTVAL", 7, read_list },
	[MC_PLAIN_LISTENDED] = { "LISTENDED", 9, read_list },
	[MC_PLAIN_LISTKEEPERS] = { "LISTKEEPERS", 11, read_list },
	[MC_PLAIN_FORGET] = { "FORGET", 6, read_forget },
	[MC_PLAIN_PUTVAL] = { "PUTVAL", 6, read_putval },
	[MC_PLAIN_PUTNOTIF] = { "PUTNOTIF", 8, plaintext_notify },
	[MC_PLAIN_FLUSH] = { "FLUSH", 5, plaintext_flush },
	[MC_PLAIN_HISTORY] = { "HISTORY", 7, plaintext_history },
	[MC_PLAIN_SCAN] = { "SCAN", 4, read_nothing },
	[MC_PLAIN_STATUS] = { "STATUS", 6, read_nothing },
	[MC_PLAIN_DESCRIBE] = { "DESCRIBE", 8, read_series },
	[MC_PLAIN_EXPLAIN] = { "EXPLAIN", 7, read_series },
	[MC_PLAIN_ALERTS] = { "ALERTS", 6, read_nothing },
	[MC_PLAIN_PASTALERTS] = { "PASTALERTS", 10, read_nothing },
	[MC_PLAIN_ACK] = { "ACK", 3, plaintext_alerts },
	[MC_PLAIN_SILENCE] = { "SILENCE", 7, plaintext_alerts },
	[MC_PLAIN_UNSILENCE] = { "UNSILENCE", 9, plaintext_alerts },
	[MC_PLAIN_SILENCES] = { "SILENCES", 8, read_nothing },
	[MC_PLAIN_TAP] = { "TAP", 3, read_glob },
	[MC_PLAIN_RELOAD] = { "RELOAD", 6, read_nothing },
	[MC_PLAIN_DUMP] = { "DUMP", 4, read_nothing },
};
#define VERBS_LEN (sizeof(verbs) / sizeof(*verbs))

/* The number of that verb, or VERBS_LEN. */
static size_t find_verb(const char *word, size_t size)
{
	size_t i;

	for (i = 0; i < VERBS_LEN; i++) {
		if (verbs[i].size == size && strncasecmp(verbs[i].name, word, size) == 0)
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
		return plaintext_fail(request, "Unknown command: %.*s",
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
	request->known = false;
	request->glob = NULL;
	request->label = NULL;
	request->own.context = context;
	request->own.end = line + size;
	if (size < 7 || memcmp(line, "PUTVAL ", 7) != 0)
		return parse_any(request, line);
	request->verb = MC_PLAIN_PUTVAL; /* Nearly all are that. */
	request->own.rest = line + 7;
	return read_putval(request);
}
