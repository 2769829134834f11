/* SPDX-License-Identifier: MIT */
/* The configuration language: statements and blocks; its words are scan.c's.
 * After an error, reading goes on at the next line. */
#include "conf/parse.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "conf/scan.h"

struct parser {
	struct scan scan;

	/* Blocks that are open, the file itself first; and where in nodes[]
	 * the children of each start. */
	struct conf_node *open[CONF_DEPTH_MAX + 1];
	size_t first_child[CONF_DEPTH_MAX + 1];
	unsigned depth, too_deep;

	/* Children of open blocks, which are not yet in the arena. */
	struct conf_node **nodes;
	size_t nodes_len, nodes_room;
};

/* --- Statements ---------------------------------------------------------- */

static struct conf_node *new_node(struct parser *p, const char *name, struct place place)
{
	struct conf_node *node = arena_zero(p->scan.arena, sizeof(*node));
	size_t size = p->scan.values_len * sizeof(*p->scan.values);

	node->name = name;
	node->place = place;
	node->values_len = p->scan.values_len;
	node->values = arena_take(p->scan.arena, size);
	if (size > 0)
		memcpy(node->values, p->scan.values, size);
	return node;
}

static void add_node(struct parser *p, struct conf_node *node)
{
	if (p->too_deep > 0)
		return;
	if (p->nodes_len == p->nodes_room) {
		p->nodes_room = p->nodes_room * 2 + 32;
		p->nodes = alloc_resize(p->nodes, p->nodes_room, sizeof(struct conf_node *));
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
	block->children = arena_take(p->scan.arena, size);
	if (size > 0)
		memcpy(block->children, p->nodes + first, size);
	p->nodes_len = first;
	p->depth--;
}

static void open_block(struct parser *p, struct conf_node *block)
{
	if (p->depth == CONF_DEPTH_MAX) {
		if (p->too_deep++ == 0)
			problem_error(p->scan.problems, block->place,
				      "blocks are nested deeper than %d", CONF_DEPTH_MAX);
		return;
	}
	p->open[++p->depth] = block;
	p->first_child[p->depth] = p->nodes_len;
}

static bool check_name(struct parser *p, const char *name, struct place place)
{
	if (scan_is_name(name))
		return true;
	if (name[0] != '\0')
		problem_error(p->scan.problems, place,
			      "'%s' is not a name: only letters, digits and "
			      "'_' are",
			      name);
	else
		problem_error(p->scan.problems, place, "'%c' where a name is expected",
			      p->scan.next < p->scan.end ? *p->scan.next : '>');
	return false;
}

/* The rest of the line after the name or the values of a block. */
static void end_of_tag(struct parser *p)
{
	if (!scan_blanks(&p->scan) || *p->scan.next != '>') {
		problem_error(p->scan.problems, scan_place(&p->scan, p->scan.next),
			      "'>' is missing");
		scan_skip_line(&p->scan);
		return;
	}
	p->scan.next++;
	if (scan_blanks(&p->scan)) {
		problem_error(p->scan.problems, scan_place(&p->scan, p->scan.next),
			      "nothing may follow '>' on its line");
		scan_skip_line(&p->scan);
	}
}

static void block_begin(struct parser *p, struct place place)
{
	struct place name_place;
	struct conf_node *block;
	const char *name;
	bool good;

	scan_blanks(&p->scan);
	name_place = scan_place(&p->scan, p->scan.next);
	name = scan_word(&p->scan);
	good = check_name(p, name, name_place);
	if (scan_values(&p->scan, name, true))
		end_of_tag(p);
	else
		scan_skip_line(&p->scan);
	if (name[0] == '\0')
		return;
	/* A block with a wrong name or argument is opened all the same: its content is checked,
	 * and its end belongs to it. */
	block = new_node(p, name, place);
	block->block = true;
	if (good)
		add_node(p, block);
	open_block(p, block);
}

/* An open block as its author wrote it: "<Plugin memory>". */
static const char *tag(const struct parser *p, unsigned depth)
{
	const struct conf_node *block = p->open[depth];
	bool argument = block->values_len > 0;
	char text[128];

	snprintf(text, sizeof(text), "<%.40s%s%.40s>", block->name, argument ? " " : "",
		 argument ? block->values[0].text : "");
	return arena_copy(p->scan.arena, text, strlen(text));
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

	p->scan.next++;
	scan_blanks(&p->scan);
	name = scan_word(&p->scan);
	end_of_tag(p);
	if (p->too_deep > 0) {
		p->too_deep--;
		return;
	}
	levels = levels_to(p, name);
	if (p->depth == 0) {
		problem_error(p->scan.problems, place, "'</%s>' closes nothing", name);
		return;
	}
	if (levels == 0)
		problem_error(p->scan.problems, place,
			      "'</%s>' where '</%s>' is expected: '%s' was "
			      "opened in line %u",
			      name, p->open[p->depth]->name, tag(p, p->depth),
			      p->open[p->depth]->place.line);
	for (; levels > 1; levels--) {
		problem_error(p->scan.problems, p->open[p->depth]->place,
			      "'%s' is not closed before '</%s>' in line %u", tag(p, p->depth),
			      name, place.line);
		close_block(p);
	}
	close_block(p);
}

static void option(struct parser *p, struct place place)
{
	const char *name = scan_word(&p->scan);

	if (!check_name(p, name, place) || !scan_values(&p->scan, name, false)) {
		scan_skip_line(&p->scan);
		return;
	}
	if (p->scan.values_len == 0) {
		problem_error(p->scan.problems, place, "option '%s' has no value", name);
		return;
	}
	add_node(p, new_node(p, name, place));
}

static void statement(struct parser *p)
{
	struct place place;

	if (!scan_blanks(&p->scan)) {
		scan_skip_line(&p->scan);
		return;
	}
	place = scan_place(&p->scan, p->scan.next);
	if (*p->scan.next != '<') {
		option(p, place);
		return;
	}
	p->scan.next++;
	if (scan_blanks(&p->scan) && *p->scan.next == '/')
		block_end(p, place);
	else
		block_begin(p, place);
}

/* --- The file ------------------------------------------------------------ */

struct conf_node *conf_parse(const char *text, size_t size, const char *file,
			     struct problems *problems, struct arena *arena)
{
	struct parser p = { 0 };

	scan_init(&p.scan, text, size, file, problems, arena);
	p.open[0] = new_node(&p, "", (struct place){ .file = p.scan.file });
	p.open[0]->block = true;
	if (size > CONF_SIZE_MAX) {
		problem_error(problems, p.open[0]->place, "the file is larger than %zu MiB",
			      CONF_SIZE_MAX >> 20);
		return p.open[0];
	}
	if (!scan_is_text(&p.scan))
		return p.open[0];
	while (p.scan.next < p.scan.end)
		statement(&p);
	for (; p.depth > 0; close_block(&p))
		problem_error(problems, p.open[p.depth]->place, "'%s' is never closed",
			      tag(&p, p.depth));
	close_block(&p);
	free(p.nodes);
	scan_done(&p.scan);
	return p.open[0];
}
