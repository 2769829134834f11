/* SPDX-License-Identifier: MIT */
/* Facts: collectd.conf(5), "Plugin curl_json". */
#include "document.h"

#include <stdio.h>
#include <string.h>

#include <collector/kit/json.h>
#include <collector/kit/number.h>

#define NUMBER_SIZE 64 /* A longer text is not a number of ours. */

struct level { /* A map or a list that is being read, and where in it we are. */
	const struct keys_node *node; /* Of the item; NULL: of no interest. */
	bool in_list;
	uint64_t index;  /* Of an item of a list. */
	size_t name_end; /* Of the item's name in the reader's 'name'. */
};

struct reader {
	struct document_taker *taker;
	unsigned depth;
	struct level levels[DOCUMENT_DEPTH_MAX + 1]; /* The first is the root.
						      */
	char name[DOCUMENT_NAME_SIZE];
};

/* The item of the level has that name. */
static void enter(struct reader *reader, const char *name, size_t size)
{
	struct level *level = &reader->levels[reader->depth];
	const struct level *above = level - 1;
	size_t start = above->name_end, dash = reader->depth > 1;

	level->node = above->node != NULL ? keys_child(above->node, name, size) : NULL;
	level->name_end = start;
	if (level->node == NULL)
		return;
	/* A name that has no room is too long for all that is below it. */
	if (start >= DOCUMENT_NAME_SIZE || size + dash >= DOCUMENT_NAME_SIZE - start) {
		level->name_end = DOCUMENT_NAME_SIZE;
		return;
	}
	if (dash)
		reader->name[start] = '-';
	memcpy(reader->name + start + dash, name, size);
	level->name_end = start + dash + size;
}

static void enter_item(struct reader *reader)
{
	char text[24];
	int size = snprintf(text, sizeof(text), "%llu",
			    (unsigned long long)reader->levels[reader->depth].index);

	enter(reader, text, (size_t)size);
}

/* The next item of a list; in a map its key comes first. */
static void next(struct reader *reader)
{
	struct level *level = &reader->levels[reader->depth];

	if (reader->depth == 0 || !level->in_list)
		return;
	level->index++;
	enter_item(reader);
}

static bool take(void *argument, const char *text, size_t size)
{
	struct reader *reader = argument;
	const struct level *level = &reader->levels[reader->depth];
	const struct key *key = level->node != NULL ? level->node->key : NULL;
	struct document_value value = { key, reader->name, text, size };

	if (key != NULL && key->instance == NULL && level->name_end == DOCUMENT_NAME_SIZE) {
		reader->taker->lost++;
	} else if (key != NULL) {
		reader->name[level->name_end < DOCUMENT_NAME_SIZE ? level->name_end : 0] = '\0';
		reader->taker->take(reader->taker->argument, &value);
	}
	next(reader);
	return true;
}

static bool take_boolean(void *argument, bool value)
{
	return take(argument, value ? "1" : "0", 1);
}

static bool take_null(void *argument)
{
	next(argument);
	return true;
}

static bool take_key(void *argument, const char *text, size_t size)
{
	enter(argument, text, size);
	return true;
}

static bool begin(struct reader *reader, bool in_list)
{
	reader->depth++;
	reader->levels[reader->depth] = (struct level){ .in_list = in_list };
	if (in_list)
		enter_item(reader);
	return true;
}

static bool begin_map(void *argument)
{
	return begin(argument, false);
}

static bool begin_list(void *argument)
{
	return begin(argument, true);
}

static bool end(void *argument)
{
	struct reader *reader = argument;

	reader->depth--;
	next(reader);
	return true;
}

static const struct mc_json_calls calls = {
	.null = take_null,
	.boolean = take_boolean,
	.number = take,
	.string = take,
	.key = take_key,
	.begin_map = begin_map,
	.end_map = end,
	.begin_list = begin_list,
	.end_list = end,
};

int document_read(const char *text, size_t size, const struct keys_node *keys,
		  struct document_taker *taker)
{
	struct reader reader = {
		.taker = taker,
		.levels = { { .node = keys } },
	};

	static const struct mc_json_calls nothing = { 0 };
	/* A document that was cut off may end in the middle of a number, which is another number
	 * then: no value counts before all of it is valid. */
	int rc = mc_json_read(text, size, DOCUMENT_DEPTH_MAX, &nothing, NULL);

	return rc < 0 ? rc : mc_json_read(text, size, DOCUMENT_DEPTH_MAX, &calls, &reader);
}

/* --- Numbers -------------------------------------------------------------- */

static bool take_fraction(const char *text, enum mc_kind kind, union mc_value *out)
{
	double number;

	if (!mc_number_take_double(&text, &number))
		return false;
	if (kind == MC_GAUGE)
		out->gauge = number;
	else if (kind == MC_DERIVE && fabs(number) < 0x1p63)
		out->derive = (int64_t)number;
	else if (kind != MC_DERIVE && number >= 0 && number < 0x1p64)
		out->counter = (uint64_t)number;
	else
		return false;
	return true;
}

/* Whole numbers, with all their digits. */
static bool take_whole(const char *text, enum mc_kind kind, union mc_value *out)
{
	uint64_t number;
	bool negative;

	if (!mc_number_take_integer(&text, &negative, &number) || *text == '.' || *text == 'e' ||
	    *text == 'E')
		return false;
	if (kind == MC_DERIVE && number <= (uint64_t)INT64_MAX)
		out->derive = negative ? -(int64_t)number : (int64_t)number;
	else if (kind != MC_DERIVE && !negative)
		out->counter = number;
	else
		return false;
	return true;
}

bool document_number(const struct document_value *value, enum mc_kind kind, union mc_value *out)
{
	char text[NUMBER_SIZE];
	size_t blanks = 0;

	while (blanks < value->size && strchr(" \t\r\n", value->text[blanks]) != NULL)
		blanks++;
	snprintf(text, sizeof(text), "%.*s", (int)(value->size - blanks), value->text + blanks);
	if (value->size - blanks >= sizeof(text))
		return false;
	if (kind != MC_GAUGE && take_whole(text, kind, out))
		return true;
	return take_fraction(text, kind, out);
}
