/* SPDX-License-Identifier: MIT */
/* The configuration language.  Its rules come from collectd.conf(5); where the
 * manual is silent, from what collectd 5.12 makes of a file:
 *
 * - a backslash in quotes is removed, whatever follows it;
 * - after backslash-newline in quotes, the blanks that start the next line are
 *   left out; a newline without backslash belongs to the string;
 * - characters that fit nowhere are dropped.  Here '=' after a name and ','
 *   between values get a warning, and all others are an error, because
 *   dropping them makes something else of the value.
 *
 * After an error, reading goes on at the next line. */
#include "conf/parse.h"

#include <arpa/inet.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "conf/value.h"

struct parser {
	const char *next, *end;
	const char *line_start;
	unsigned line;
	const char *file;
	struct problems *problems;
	struct arena *arena;

	/* Blocks that are open, the file itself first; and where in nodes[]
	 * the children of each start. */
	struct conf_node *open[CONF_DEPTH_MAX + 1];
	size_t first_child[CONF_DEPTH_MAX + 1];
	unsigned depth, too_deep;

	/* What is not yet in the arena: children of open blocks, and values of
	 * the statement at hand. */
	struct conf_node **nodes;
	size_t nodes_len, nodes_room;
	struct conf_value *values;
	size_t values_len, values_room;
};

/* --- Characters ---------------------------------------------------------- */

static struct place place_of(const struct parser *p, const char *where)
{
	return (struct place){ .file = p->file,
			       .line = p->line,
			       .column =
				       (unsigned)(where - p->line_start) + 1 };
}

/* Size of the line end at 'c': 1, 2, or 0 if there is none. */
static size_t line_end(const struct parser *p, const char *c)
{
	if (c < p->end && *c == '\n')
		return 1;
	if (p->end - c >= 2 && c[0] == '\r' && c[1] == '\n')
		return 2;
	return 0;
}

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static void start_line(struct parser *p, const char *c)
{
	p->next = p->line_start = c;
	p->line++;
}

/* To the start of the next line, whatever stands before it. */
static void skip_line(struct parser *p)
{
	const char *c = memchr(p->next, '\n', (size_t)(p->end - p->next));

	if (c != NULL)
		start_line(p, c + 1);
	else
		p->next = p->end;
}

/* Over blanks, continued lines and a comment.  Returns whether something
 * follows on this line. */
static bool skip_blanks(struct parser *p)
{
	while (p->next < p->end) {
		if (is_blank(*p->next))
			p->next++;
		else if (*p->next == '\\' && line_end(p, p->next + 1) > 0)
			start_line(p, p->next + 1 + line_end(p, p->next + 1));
		else
			break;
	}
	if (p->next < p->end && *p->next == '#') {
		const char *c =
			memchr(p->next, '\n', (size_t)(p->end - p->next));

		p->next = c != NULL ? c : p->end;
	}
	return p->next < p->end && line_end(p, p->next) == 0;
}

/* --- Values -------------------------------------------------------------- */

static bool ends_word(const struct parser *p, const char *c)
{
	return c >= p->end || is_blank(*c) || line_end(p, c) > 0 ||
	       strchr("\"<>#=,\\", *c) != NULL;
}

/* The characters up to the next that cannot be in a word. */
static char *take_word(struct parser *p)
{
	const char *start = p->next;

	while (!ends_word(p, p->next))
		p->next++;
	return arena_copy(p->arena, start, (size_t)(p->next - start));
}

static bool is_name(const char *word)
{
	static const char accepted[] = "abcdefghijklmnopqrstuvwxyz"
				       "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
				       "0123456789_";

	return word[0] != '\0' && word[strspn(word, accepted)] == '\0';
}

static bool is_port(const char *text)
{
	size_t size = strspn(text, "0123456789");

	return size >= 1 && size <= 5 && text[size] == '\0' &&
	       strtoul(text, NULL, 10) <= 65535;
}

/* An IPv4 or IPv6 address, with a port or not: 10.0.0.1:80, ::1, [::1]:80. */
static bool is_address(const char *word)
{
	unsigned char binary[sizeof(struct in6_addr)];
	bool bracket = word[0] == '[';
	const char *host_end = strchr(word, bracket ? ']' : ':');
	char host[INET6_ADDRSTRLEN];
	size_t size;

	if (inet_pton(AF_INET6, word, binary) == 1 ||
	    inet_pton(AF_INET, word, binary) == 1)
		return true;
	if (host_end == NULL)
		return false;
	word += bracket;
	size = (size_t)(host_end - word);
	host_end += bracket;
	if (size >= sizeof(host) ||
	    (*host_end == ':' ? !is_port(host_end + 1) : *host_end != '\0'))
		return false;
	memcpy(host, word, size);
	host[size] = '\0';
	return inet_pton(bracket ? AF_INET6 : AF_INET, host, binary) == 1;
}

static void add_value(struct parser *p, struct conf_value value)
{
	value.is_number = value_number(value.text, &value.number);
	value.is_boolean = value_boolean(value.text, &value.boolean);
	if (p->values_len == p->values_room) {
		p->values_room = p->values_room * 2 + 8;
		p->values = alloc_resize(p->values, p->values_room,
					 sizeof(*p->values));
	}
	p->values[p->values_len++] = value;
}

static bool bare_value(struct parser *p)
{
	struct place place = place_of(p, p->next);
	const char *word = take_word(p);
	double number;

	if (!is_name(word) && !value_number(word, &number) &&
	    !is_address(word)) {
		problem_error(p->problems, place,
			      "'%s' must be in quotes: \"%s\"", word, word);
		return false;
	}
	add_value(p, (struct conf_value){ .text = word, .place = place });
	return true;
}

/* The quotation mark that ends the string which starts at 'c', or NULL. */
static const char *closing_quote(const struct parser *p, const char *c)
{
	for (; c < p->end && *c != '"'; c++) {
		if (*c == '\\' && c + 1 < p->end)
			c++;
	}
	return c < p->end ? c : NULL;
}

/* Says once per string that a backslash was removed which does not protect
 * anything: the author of "loop\d" wanted to keep it. */
static void warn_backslash(struct parser *p, const char *c, bool *warned)
{
	const char *after = c;

	if (*warned || *c == '"' || *c == '\\')
		return;
	*warned = true;
	while (after < p->end && is_blank(*after))
		after++;
	if (line_end(p, after) > 0)
		problem_warn(p->problems, place_of(p, c - 1),
			     "blanks after the '\\': the line is not continued,"
			     " the newline belongs to the value");
	else
		problem_warn(p->problems, place_of(p, c - 1),
			     "'\\%c' in quotes means '%c': for a backslash, "
			     "write '\\\\'",
			     *c, *c);
}

/* What is meant by the string between next and 'end', and over it. */
static const char *take_quoted(struct parser *p, const char *end)
{
	char *text = arena_take(p->arena, (size_t)(end - p->next) + 1);
	char *out = text;
	bool warned = false;

	while (p->next < end) {
		size_t newline = line_end(p, p->next);
		size_t continued =
			*p->next == '\\' ? line_end(p, p->next + 1) : 0;

		if (newline > 0) {
			*out++ = '\n';
			start_line(p, p->next + newline);
			continue;
		}
		if (continued > 0) {
			start_line(p, p->next + 1 + continued);
			while (is_blank(*p->next))
				p->next++;
			continue;
		}
		if (*p->next == '\\')
			warn_backslash(p, ++p->next, &warned);
		*out++ = *p->next++;
	}
	*out = '\0';
	p->next = end + 1;
	return text;
}

static bool quoted_value(struct parser *p)
{
	const char *next = p->next, *line_start = p->line_start;
	unsigned line = p->line;
	struct conf_value value = { .quoted = true,
				    .place = place_of(p, p->next) };
	const char *end = closing_quote(p, p->next + 1);

	if (end == NULL) {
		problem_error(p->problems, value.place,
			      "the quotation mark is not closed");
		return false;
	}
	p->next++;
	value.text = take_quoted(p, end);
	if (ends_word(p, p->next) &&
	    !(p->next < p->end && strchr("\"<", *p->next) != NULL)) {
		add_value(p, value);
		return true;
	}
	if (p->line == line) {
		problem_error(p->problems, place_of(p, p->next - 1),
			      "no blank after the closing quotation mark; "
			      "inside a value write '\\\"'");
		return false;
	}
	/* Most likely this was the first quotation mark of another value. */
	problem_error(p->problems, value.place,
		      "the quotation mark is not closed: the next one is in "
		      "line %u, in front of a value",
		      p->line);
	p->next = next;
	p->line = line;
	p->line_start = line_start;
	return false;
}

/* What collectd drops without a word. */
static bool stray(struct parser *p, const char *name)
{
	struct place place = place_of(p, p->next);
	char c = *p->next++;

	if (c == '=' && p->values_len == 0)
		problem_warn(p->problems, place,
			     "'=' is ignored: write '%s VALUE'", name);
	else if (c == ',' && p->values_len > 0)
		problem_warn(p->problems, place,
			     "',' is ignored: values are separated by blanks");
	else if (c == '\\')
		problem_error(p->problems, place,
			      "'\\' outside of quotes continues a line only as "
			      "its last character");
	else
		problem_error(p->problems, place,
			      "'%c' in a value: put the value in quotes", c);
	return (c == '=' && p->values_len == 0) ||
	       (c == ',' && p->values_len > 0);
}

/* All values up to the end of the line or to the '>' of a block. */
static bool take_values(struct parser *p, const char *name, bool block)
{
	p->values_len = 0;
	while (skip_blanks(p)) {
		char c = *p->next;
		bool good;

		if (c == '>' && block)
			return true;
		if (c == '"')
			good = quoted_value(p);
		else if (strchr("<>=,\\", c) != NULL && c != '\0')
			good = stray(p, name);
		else
			good = bare_value(p);
		if (!good)
			return false;
	}
	return true;
}

/* --- Statements ---------------------------------------------------------- */

static struct conf_node *new_node(struct parser *p, const char *name,
				  struct place place)
{
	struct conf_node *node = arena_zero(p->arena, sizeof(*node));
	size_t size = p->values_len * sizeof(*p->values);

	node->name = name;
	node->place = place;
	node->values_len = p->values_len;
	node->values = arena_take(p->arena, size);
	if (size > 0)
		memcpy(node->values, p->values, size);
	return node;
}

static void add_node(struct parser *p, struct conf_node *node)
{
	if (p->too_deep > 0)
		return;
	if (p->nodes_len == p->nodes_room) {
		p->nodes_room = p->nodes_room * 2 + 32;
		p->nodes = alloc_resize(p->nodes, p->nodes_room,
					sizeof(struct conf_node *));
	}
	p->nodes[p->nodes_len++] = node;
}

/* Gives the innermost block its children. */
static void close_block(struct parser *p)
{
	struct conf_node *block = p->open[p->depth];
	size_t first = p->first_child[p->depth];
	size_t size;

	block->children_len = p->nodes_len - first;
	size = block->children_len * sizeof(struct conf_node *);
	block->children = arena_take(p->arena, size);
	if (size > 0)
		memcpy(block->children, p->nodes + first, size);
	p->nodes_len = first;
	p->depth--;
}

static void open_block(struct parser *p, struct conf_node *block)
{
	if (p->depth == CONF_DEPTH_MAX) {
		if (p->too_deep++ == 0)
			problem_error(p->problems, block->place,
				      "blocks are nested deeper than %d",
				      CONF_DEPTH_MAX);
		return;
	}
	p->open[++p->depth] = block;
	p->first_child[p->depth] = p->nodes_len;
}

static bool check_name(struct parser *p, const char *name, struct place place)
{
	if (is_name(name))
		return true;
	if (name[0] != '\0')
		problem_error(p->problems, place,
			      "'%s' is not a name: only letters, digits and "
			      "'_' are",
			      name);
	else
		problem_error(p->problems, place,
			      "'%c' where a name is expected",
			      p->next < p->end ? *p->next : '>');
	return false;
}

/* What stands after the name or the values of a block, up to the line end. */
static void end_of_tag(struct parser *p)
{
	if (!skip_blanks(p) || *p->next != '>') {
		problem_error(p->problems, place_of(p, p->next),
			      "'>' is missing");
		skip_line(p);
		return;
	}
	p->next++;
	if (skip_blanks(p)) {
		problem_error(p->problems, place_of(p, p->next),
			      "nothing may follow '>' on its line");
		skip_line(p);
	}
}

static void block_begin(struct parser *p, struct place place)
{
	struct place name_place;
	struct conf_node *block;
	const char *name;
	bool good;

	skip_blanks(p);
	name_place = place_of(p, p->next);
	name = take_word(p);
	good = check_name(p, name, name_place);
	if (take_values(p, name, true))
		end_of_tag(p);
	else
		skip_line(p);
	if (name[0] == '\0')
		return;
	/* A block with a wrong name or argument is opened all the same: what
	 * is in it is checked, and its end belongs to it. */
	block = new_node(p, name, place);
	block->block = true;
	if (good)
		add_node(p, block);
	open_block(p, block);
}

/* How many blocks </name> closes: usually one. */
static unsigned levels_to(const struct parser *p, const char *name)
{
	for (unsigned depth = p->depth; depth > 0; depth--) {
		if (strcasecmp(p->open[depth]->name, name) == 0)
			return p->depth - depth + 1;
	}
	return 0;
}

static void block_end(struct parser *p, struct place place)
{
	const char *name;
	unsigned levels;

	p->next++;
	skip_blanks(p);
	name = take_word(p);
	end_of_tag(p);
	if (p->too_deep > 0) {
		p->too_deep--;
		return;
	}
	levels = levels_to(p, name);
	if (p->depth == 0) {
		problem_error(p->problems, place, "'</%s>' closes nothing",
			      name);
		return;
	}
	if (levels == 0)
		problem_error(p->problems, place,
			      "'</%s>' where '</%s>' is expected: '<%s>' was "
			      "opened in line %u",
			      name, p->open[p->depth]->name,
			      p->open[p->depth]->name,
			      p->open[p->depth]->place.line);
	for (; levels > 1; levels--) {
		problem_error(p->problems, p->open[p->depth]->place,
			      "'<%s>' is not closed before '</%s>' in line %u",
			      p->open[p->depth]->name, name, place.line);
		close_block(p);
	}
	close_block(p);
}

static void option(struct parser *p, struct place place)
{
	const char *name = take_word(p);

	if (!check_name(p, name, place) || !take_values(p, name, false)) {
		skip_line(p);
		return;
	}
	if (p->values_len == 0) {
		problem_error(p->problems, place, "option '%s' has no value",
			      name);
		return;
	}
	add_node(p, new_node(p, name, place));
}

static void statement(struct parser *p)
{
	struct place place;

	if (!skip_blanks(p)) {
		skip_line(p);
		return;
	}
	place = place_of(p, p->next);
	if (*p->next != '<') {
		option(p, place);
		return;
	}
	p->next++;
	if (skip_blanks(p) && *p->next == '/')
		block_end(p, place);
	else
		block_begin(p, place);
}

/* --- The file ------------------------------------------------------------ */

/* Text has no control characters; one means another kind of file. */
static bool is_text(struct parser *p)
{
	for (const char *c = p->next; c < p->end; c++) {
		unsigned char byte = (unsigned char)*c;

		if (byte == '\n') {
			start_line(p, c + 1);
		} else if ((byte < ' ' && byte != '\t' && byte != '\r') ||
			   byte == 0x7f) {
			problem_error(p->problems, place_of(p, c),
				      "control character 0x%02x: this is not "
				      "a text file",
				      byte);
			return false;
		}
	}
	return true;
}

struct conf_node *conf_parse(const char *text, size_t size, const char *file,
			     struct problems *problems, struct arena *arena)
{
	static const char mark[] = { '\xef', '\xbb', '\xbf' };
	struct parser p = { .problems = problems, .arena = arena };

	p.file = arena_copy(arena, file, strlen(file));
	p.open[0] = new_node(&p, "", (struct place){ .file = p.file });
	p.open[0]->block = true;
	if (size > CONF_SIZE_MAX) {
		problem_error(problems, p.open[0]->place,
			      "the file is larger than %zu MiB",
			      CONF_SIZE_MAX >> 20);
		return p.open[0];
	}
	if (size >= sizeof(mark) && memcmp(text, mark, sizeof(mark)) == 0) {
		text += sizeof(mark);
		size -= sizeof(mark);
	}
	p.end = text + size;
	p.line = 1;
	p.next = p.line_start = text;
	if (!is_text(&p))
		return p.open[0];
	p.line = 1;
	p.next = p.line_start = text;
	while (p.next < p.end)
		statement(&p);
	for (; p.depth > 0; close_block(&p))
		problem_error(problems, p.open[p.depth]->place,
			      "'<%s>' is never closed", p.open[p.depth]->name);
	close_block(&p);
	free(p.nodes);
	free(p.values);
	return p.open[0];
}
