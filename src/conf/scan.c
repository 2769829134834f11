/* SPDX-License-Identifier: MIT */
/* The words of the configuration language.  Its rules come from collectd.conf(5); where the manual
 * is silent, from what collectd 5.12 makes of a file:
 *
 * - a backslash in quotes is removed, whatever follows it;
 * - after backslash-newline in quotes, the blanks that start the next line are
 *   left out; a newline without backslash belongs to the string;
 * - characters that fit nowhere are dropped.  Here '=' after a name, ','
 *   between values, and brackets, single quotes, '^', '$', '%' and ';' around values
 *   and between them get a warning; all others are an error, because dropping
 *   them makes something else of the value. */
#include "conf/scan.h"

#include <arpa/inet.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "conf/value.h"

/* --- Characters ---------------------------------------------------------- */

struct place scan_place(const struct scan *s, const char *where)
{
	return (struct place){ .file = s->file,
			       .line = s->line,
			       .column = (unsigned)(where - s->line_start) + 1 };
}

/* Size of the line end at 'c': 1, 2, or 0 for another character. */
static size_t line_end(const struct scan *s, const char *c)
{
	if (c < s->end && *c == '\n')
		return 1;
	if (s->end - c >= 2 && c[0] == '\r' && c[1] == '\n')
		return 2;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void start_line(struct scan *s, const char *c)
{
	s->next = s->line_start = c;
	s->line++;
}

void scan_skip_line(struct scan *s)
{
	const char *c = memchr(s->next, '\n', (size_t)(s->end - s->next));

	if (c != NULL)
		start_line(s, c + 1);
	else
		s->next = s->end;
}

bool scan_blanks(struct scan *s)
{
	while (s->next < s->end) {
		if (is_blank(*s->next))
			s->next++;
		else if (*s->next == '\\' && line_end(s, s->next + 1) > 0)
			start_line(s, s->next + 1 + line_end(s, s->next + 1));
		else
			break;
	}
	if (s->next < s->end && *s->next == '#') {
		const char *c = memchr(s->next, '\n', (size_t)(s->end - s->next));

		s->next = c != NULL ? c : s->end;
	}
	return s->next < s->end && line_end(s, s->next) == 0;
}

/* Characters that collectd drops and published files have, as in Names ['a', 'b']. */
#define STRAYS "[]'^$%;"

/* --- Values -------------------------------------------------------------- */

static bool ends_word(const struct scan *s, const char *c)
{
	return c >= s->end || is_blank(*c) || line_end(s, c) > 0 || strchr("\"<>#=,\\", *c) != NULL;
}

const char *scan_word(struct scan *s)
{
	const char *start = s->next;

	while (!ends_word(s, s->next))
		s->next++;
	return arena_copy(s->arena, start, (size_t)(s->next - start));
}

bool scan_is_name(const char *word)
{
	static const char accepted[] = "abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_";

	return word[0] != '\0' && word[strspn(word, accepted)] == '\0';
}

static bool is_port(const char *text)
{
	size_t size = strspn(text, "0123456789");

	return size >= 1 && size <= 5 && text[size] == '\0' && strtoul(text, NULL, 10) <= 65535;
}

/* An IPv4 or IPv6 address, with a port or not: 10.0.0.1:80, ::1, [::1]:80. */
static bool is_address(const char *word)
{
	unsigned char binary[sizeof(struct in6_addr)];
	bool bracket = word[0] == '[';
	const char *host_end = strchr(word, bracket ? ']' : ':');
	char host[INET6_ADDRSTRLEN];
	size_t size;

	if (inet_pton(AF_INET6, word, binary) == 1 || inet_pton(AF_INET, word, binary) == 1)
		return true;
	if (host_end == NULL)
		return false;
	word += bracket;
	size = (size_t)(host_end - word);
	host_end += bracket;
	if (size >= sizeof(host) || (*host_end == ':' ? !is_port(host_end + 1) : *host_end != '\0'))
		return false;
	memcpy(host, word, size);
	host[size] = '\0';
	return inet_pton(bracket ? AF_INET6 : AF_INET, host, binary) == 1;
}

static void add_value(struct scan *s, struct conf_value value)
{
	value.is_number = value_number(value.text, &value.number);
	value.is_boolean = value_boolean(value.text, &value.boolean);
	if (s->values_len == s->values_room) {
		s->values_room = s->values_room * 2 + 8;
		s->values = alloc_resize(s->values, s->values_room, sizeof(*s->values));
	}
	s->values[s->values_len++] = value;
}

/* Whether it stands for itself without quotes. */
static bool is_bare(const char *word)
{
	double number;

	return scan_is_name(word) || value_number(word, &number) || is_address(word);
}

/* The word without what collectd drops around it, as in ['a'. */
static const char *without_strays(const struct scan *s, const char *word)
{
	size_t size;

	word += strspn(word, STRAYS);
	size = strlen(word);
	while (size > 0 && strchr(STRAYS, word[size - 1]) != NULL)
		size--;
	return arena_copy(s->arena, word, size);
}

static void say_wrong_word(struct scan *s, struct place place, const char *word)
{
	static const char *const marks[] = { "\u201c", "\u201d", "\u201e", "\u2018", "\u2019" };

	for (size_t i = 0; i < sizeof(marks) / sizeof(*marks); i++) {
		if (strstr(word, marks[i]) != NULL) {
			problem_error(s->problems, place,
				      "'%s' has typographic quotation marks: only '\"' is one",
				      word);
			return;
		}
	}
	problem_error(s->problems, place, "'%s' must be in quotes: \"%s\"", word, word);
}

/* Reads a word as collectd does, which drops the strays in it: a[b] is two values.  False and an
 * error if something of it must be in quotes. */
static bool split_word(struct scan *s, struct place place, const char *word)
{
	size_t values_len = s->values_len, used = 0;
	char read[160] = "";

	for (const char *c = word + strspn(word, STRAYS); *c != '\0'; c += strspn(c, STRAYS)) {
		size_t size = strcspn(c, STRAYS);
		const char *piece = arena_copy(s->arena, c, size);

		if (!is_bare(piece)) {
			s->values_len = values_len;
			say_wrong_word(s, place, word);
			return false;
		}
		add_value(s, (struct conf_value){ .text = piece, .place = place });
		if (used < sizeof(read))
			used += (size_t)snprintf(read + used, sizeof(read) - used, "%s'%s'",
						 used > 0 ? " " : "", piece);
		c += size;
	}
	problem_warn(s->problems, place, "'%s' is read as %s: to keep all of it, write \"%s\"",
		     word, read, word);
	return true;
}

static bool bare_value(struct scan *s)
{
	struct place place = scan_place(s, s->next);
	const char *word = scan_word(s), *core = word;

	if (!is_bare(word)) {
		core = without_strays(s, word);
		/* With a ':' it is rather an address that is wrong. */
		if (*core != '\0' && !is_bare(core) && strchr(word, ':') == NULL)
			return split_word(s, place, word);
		if (*core != '\0' && !is_bare(core)) {
			say_wrong_word(s, place, word);
			return false;
		}
		if (*core == '\0') {
			problem_warn(s->problems, place, "'%s' is ignored", word);
			return true;
		}
		problem_warn(s->problems, place,
			     "'%s' is read as '%s': to keep all of it, write \"%s\"", word, core,
			     word);
	}
	add_value(s, (struct conf_value){ .text = core, .place = place });
	return true;
}

/* Whether that may follow the closing quotation mark. */
static bool ends_quoted(const struct scan *s, const char *c)
{
	if (c < s->end && strchr(STRAYS, *c) != NULL)
		return true;
	return ends_word(s, c) && !(c < s->end && strchr("\"<", *c) != NULL);
}

/* The quotation mark that ends the string which starts at 'c', or NULL. */
static const char *closing_quote(const struct scan *s, const char *c)
{
	for (; c < s->end && *c != '"'; c++) {
		if (*c == '\\' && c + 1 < s->end)
			c++;
	}
	return c < s->end ? c : NULL;
}

/* Says once per string that a backslash was removed which does not protect
 * anything: the author of "loop\d" wanted to keep it. */
static void warn_backslash(struct scan *s, const char *c, bool *warned)
{
	const char *after = c;

	if (*warned || *c == '"' || *c == '\\')
		return;
	*warned = true;
	while (after < s->end && is_blank(*after))
		after++;
	if (line_end(s, after) > 0)
		problem_warn(s->problems, scan_place(s, c - 1),
			     "blanks after the '\\': the line is not continued,"
			     " the newline belongs to the value");
	else
		problem_warn(s->problems, scan_place(s, c - 1),
			     "'\\%c' in quotes means '%c': for a backslash, "
			     "write '\\\\'",
			     *c, *c);
}

/* Resolves the string between next and 'end', in place. */
static const char *take_quoted(struct scan *s, const char *end)
{
	char *text = arena_take(s->arena, (size_t)(end - s->next) + 1);
	char *out = text;
	bool warned = false;

	while (s->next < end) {
		size_t newline = line_end(s, s->next);
		size_t continued = *s->next == '\\' ? line_end(s, s->next + 1) : 0;

		if (newline > 0) {
			*out++ = '\n';
			start_line(s, s->next + newline);
			continue;
		}
		if (continued > 0) {
			start_line(s, s->next + 1 + continued);
			while (is_blank(*s->next))
				s->next++;
			continue;
		}
		if (*s->next == '\\')
			warn_backslash(s, ++s->next, &warned);
		*out++ = *s->next++;
	}
	*out = '\0';
	s->next = end + 1;
	return text;
}

static bool quoted_value(struct scan *s)
{
	const char *next = s->next, *line_start = s->line_start;
	unsigned line = s->line;
	struct conf_value value = { .quoted = true, .place = scan_place(s, s->next) };
	const char *end = closing_quote(s, s->next + 1);

	if (end == NULL) {
		problem_error(s->problems, value.place, "the quotation mark is not closed");
		return false;
	}
	s->next++;
	value.text = take_quoted(s, end);
	if (ends_quoted(s, s->next)) {
		add_value(s, value);
		return true;
	}
	if (s->line == line) {
		problem_error(s->problems, scan_place(s, s->next - 1),
			      "no blank after the closing quotation mark; "
			      "inside a value write '\\\"'");
		return false;
	}
	/* Most likely this was the first quotation mark of another value. */
	problem_error(s->problems, value.place,
		      "the quotation mark is not closed: the next one is in "
		      "line %u, in front of a value",
		      s->line);
	s->next = next;
	s->line = line;
	s->line_start = line_start;
	return false;
}

/* Text that collectd drops without a report. */
static bool stray(struct scan *s, const char *name)
{
	struct place place = scan_place(s, s->next);
	char c = *s->next++;

	if (c == '=' && s->values_len == 0)
		problem_warn(s->problems, place, "'=' is ignored: write '%s VALUE'", name);
	else if (c == ',' && s->values_len > 0)
		problem_warn(s->problems, place, "',' is ignored: values are separated by blanks");
	else if (c == '\\')
		problem_error(s->problems, place,
			      "'\\' outside of quotes continues a line only as "
			      "its last character");
	else
		problem_error(s->problems, place, "'%c' in a value: put the value in quotes", c);
	return (c == '=' && s->values_len == 0) || (c == ',' && s->values_len > 0);
}

bool scan_values(struct scan *s, const char *name, bool block)
{
	s->values_len = 0;
	while (scan_blanks(s)) {
		char c = *s->next;
		bool good;

		if (c == '>' && block)
			return true;
		if (c == '"')
			good = quoted_value(s);
		else if (strchr("<>=,\\", c) != NULL && c != '\0')
			good = stray(s, name);
		else
			good = bare_value(s);
		if (!good)
			return false;
	}
	return true;
}

bool scan_is_text(const struct scan *scan)
{
	struct scan copy = *scan, *s = &copy;

	for (const char *c = s->next; c < s->end; c++) {
		unsigned char byte = (unsigned char)*c;

		if (byte == '\n') {
			start_line(s, c + 1);
		} else if ((byte < ' ' && byte != '\t' && byte != '\r') || byte == 0x7f) {
			problem_error(s->problems, scan_place(s, c),
				      "control character 0x%02x: this is not "
				      "a text file",
				      byte);
			return false;
		}
	}
	return true;
}

void scan_init(struct scan *s, const char *text, size_t size, const char *file,
	       struct problems *problems, struct arena *arena)
{
	static const char mark[] = { '\xef', '\xbb', '\xbf' }; /* UTF-8's. */

	*s = (struct scan){ .problems = problems, .arena = arena };
	s->file = arena_copy(arena, file, strlen(file));
	if (size >= sizeof(mark) && memcmp(text, mark, sizeof(mark)) == 0) {
		text += sizeof(mark);
		size -= sizeof(mark);
	}
	s->end = text + size;
	start_line(s, text);
}

void scan_done(struct scan *s)
{
	free(s->values);
}
