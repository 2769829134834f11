/* SPDX-License-Identifier: MIT */
/* One JSON text a run: each number in it, and each truth value as 0 or 1,
 * becomes a series of its path, "pool.0.used". */
#include "format.h"

#include <errno.h>
#include <fnmatch.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/buffer.h>
#include <collector/kit/json.h>
#include <collector/kit/number.h>

#include "programs.h"

#define TEXT_MAX ((size_t)4 << 20)
#define DEPTH_MAX 32
#define PATH_SIZE 512
#define VALUES_MAX 10000 /* Of a run. */

struct document {
	struct mc_buffer text;
	bool cut; /* It is longer than TEXT_MAX. */
};

struct level {                  /* A map or a list. */
	size_t size;            /* Of the path to it. */
	bool is_list, too_long; /* The latter: its content has no path. */
	unsigned index;         /* Of the next item. */
};

struct walk { /* Through one text. */
	struct program *program;
	struct level levels[DEPTH_MAX + 1];
	unsigned depth;
	char path[PATH_SIZE]; /* "pool/0/used" */
	bool too_long;        /* The path of the present item is. */
	unsigned values, refused;
};

static void begin(struct program *program)
{
	struct document *document = program->own;

	if (document == NULL)
		program->own = document = mc_alloc_zero(sizeof(*document));
	mc_buffer_clear(&document->text);
	document->cut = false;
}

static void take_line(struct program *program, const struct mc_child_line *line)
{
	struct document *document = program->own;

	if (document->text.size + line->size + 1 > TEXT_MAX) {
		document->cut = true;
		return;
	}
	mc_buffer_add(&document->text, line->text, line->size);
	mc_buffer_add(&document->text, "\n", 1);
}

/* --- Paths ---------------------------------------------------------------- */

/* Appends a part to the path of the innermost map or list. */
static void set_part(struct walk *walk, const char *part, size_t size)
{
	size_t at = walk->levels[walk->depth].size;
	size_t gap = at > 0;

	walk->too_long = walk->levels[walk->depth].too_long || at + gap + size >= PATH_SIZE ||
			 memchr(part, '\0', size) != NULL;
	if (walk->too_long)
		size = gap = 0;
	if (gap > 0)
		walk->path[at] = '/';
	memcpy(walk->path + at + gap, part, size);
	walk->path[at + gap + size] = '\0';
}

/* The key of an item of a list is its number. */
static void begin_item(struct walk *walk)
{
	struct level *level = &walk->levels[walk->depth];
	char number[16];

	if (walk->depth == 0 || !level->is_list)
		return;
	snprintf(number, sizeof(number), "%u", level->index++);
	set_part(walk, number, strlen(number));
}

static bool begin_level(struct walk *walk, bool is_list)
{
	begin_item(walk);
	walk->depth++;
	walk->levels[walk->depth] = (struct level){ .size = strlen(walk->path),
						    .is_list = is_list,
						    .too_long = walk->too_long };
	return true;
}

static bool begin_map(void *argument)
{
	return begin_level(argument, false);
}

static bool begin_list(void *argument)
{
	return begin_level(argument, true);
}

static bool end_level(void *argument)
{
	struct walk *walk = argument;

	walk->path[walk->levels[walk->depth].size] = '\0';
	walk->depth--;
	return true;
}

static bool take_key(void *argument, const char *text, size_t size)
{
	set_part(argument, text, size);
	return true;
}

/* --- Values --------------------------------------------------------------- */

static bool is_wanted(const struct walk *walk)
{
	const struct mc_strings *keys = &walk->program->keys;

	for (size_t i = 0; i < keys->len; i++)
		if (fnmatch(keys->items[i], walk->path, FNM_PATHNAME) == 0)
			return true;
	return keys->len == 0;
}

static void put(struct walk *walk, double number, const char *digits)
{
	char label[PATH_SIZE];

	if (walk->too_long || walk->values >= VALUES_MAX) {
		walk->refused++;
		return;
	}
	if (!is_wanted(walk))
		return;
	snprintf(label, sizeof(label), "%s", walk->path);
	for (char *at = label; *at != '\0'; at++)
		if (*at == '/')
			*at = '.';
	walk->values++;
	walk->refused += !format_put(
		walk->program, &(struct format_value){ .type = "gauge",
						       .label = label[0] != '\0' ? label : NULL,
						       .number = { number, digits } });
}

static bool take_number(void *argument, const char *text, size_t size)
{
	struct walk *walk = argument;
	char digits[64];
	double number;

	begin_item(walk);
	if (size >= sizeof(digits)) {
		walk->refused++;
		return true;
	}
	memcpy(digits, text, size);
	digits[size] = '\0';
	if (mc_number_double(digits, &number))
		put(walk, number, digits);
	else
		walk->refused++;
	return true;
}

static bool take_bool(void *argument, bool truth)
{
	begin_item(argument);
	put(argument, truth, NULL);
	return true;
}

static bool take_string(void *argument, const char *text, size_t size)
{
	(void)text;
	(void)size;
	begin_item(argument);
	return true;
}

static bool take_null(void *argument)
{
	begin_item(argument);
	return true;
}

/* A text counts as a whole: it is looked through before any of it is put. */
static void take_end(struct program *program, const struct mc_child_end *end)
{
	static const struct mc_json_calls nothing = { 0 };
	static const struct mc_json_calls calls = {
		.null = take_null,
		.boolean = take_bool,
		.number = take_number,
		.string = take_string,
		.key = take_key,
		.begin_map = begin_map,
		.end_map = end_level,
		.begin_list = begin_list,
		.end_list = end_level,
	};
	const struct document *document = program->own;
	const struct mc_buffer *text = &document->text;
	struct walk walk = { .program = program };
	char fault[96];

	if (!format_ended_well(end) || (text->size == 0 && !document->cut))
		return;
	if (document->cut || end->lines_skipped > 0) {
		mc_command_say(&program->command, "prints more JSON than 4 MiB", "");
		return;
	}
	if (mc_json_read(text->at, text->size, DEPTH_MAX, &nothing, NULL) < 0) {
		mc_command_say(&program->command, "prints what is no JSON", text->at);
		return;
	}
	mc_json_read(text->at, text->size, DEPTH_MAX, &calls, &walk);
	if (walk.refused == 0)
		return;
	snprintf(fault, sizeof(fault), "prints %u numbers that cannot be values", walk.refused);
	mc_command_say(&program->command, fault, "");
}

static void done(struct program *program)
{
	struct document *document = program->own;

	if (document == NULL)
		return;
	mc_buffer_free(&document->text);
	free(document);
}

const struct format format_json = {
	.plugin = "exec",
	.line_max = TEXT_MAX,
	.begin = begin,
	.line = take_line,
	.end = take_end,
	.done = done,
};
