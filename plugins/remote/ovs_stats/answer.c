/* SPDX-License-Identifier: MIT */
/* A row has its columns as "name": "br0", as a reference ["uuid", "36d2..."], as a set of them
 * ["set", [["uuid", "36d2..."], ...]], and as a map ["map", [["rx_bytes", 5], ...]]. */
#include "answer.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/json.h>
#include <collector/kit/number.h>

/* How many maps and lists are open inside of what: the message, the item of a table, a row, the
 * list of a column, and a pair in the list of that. */
enum {
	IN_MESSAGE = 1,
	IN_RESULTS,
	IN_ITEM,
	IN_ROWS,
	IN_ROW,
	IN_COLUMN,
	IN_SET,
	IN_PAIR,
	DEPTH_MAX
};

enum key {
	KEY_OTHER,
	KEY_METHOD,
	KEY_ID,
	KEY_ERROR,
	KEY_RESULT,
	KEY_DETAILS,
	KEY_ROWS,
	KEY_NAME,
	KEY_UUID,
	KEY_REFERENCES,
	KEY_COUNTERS,
};

const char answer_question[] = "{\"method\":\"transact\",\"id\":0,\"params\":[\"Open_vSwitch\","
			       "{\"op\":\"select\",\"table\":\"Bridge\",\"where\":[],"
			       "\"columns\":[\"_uuid\",\"name\",\"ports\"]},"
			       "{\"op\":\"select\",\"table\":\"Port\",\"where\":[],"
			       "\"columns\":[\"_uuid\",\"name\",\"interfaces\"]},"
			       "{\"op\":\"select\",\"table\":\"Interface\",\"where\":[],"
			       "\"columns\":[\"_uuid\",\"name\",\"statistics\"]}]}";

struct reading {
	struct answer *answer;
	unsigned depth;                 /* Maps and lists that are open. */
	size_t number[DEPTH_MAX];       /* Items before this one, in each. */
	enum key message, item, column; /* The keys at these depths. */
	struct answer_row *row;         /* That is being read; NULL: none. */
	bool is_echo, has_rows;
	bool refers;      /* The pair or the column is a reference. */
	char counter[64]; /* The name in a pair. */
	size_t counter_size;
};

/* --- Pieces ---------------------------------------------------------------------------- */

static bool is(const char *text, size_t size, const char *known)
{
	return strlen(known) == size && memcmp(text, known, size) == 0;
}

static void copy(char *out, size_t out_size, const char *text, size_t size)
{
	if (size >= out_size)
		size = out_size - 1;
	memcpy(out, text, size);
	out[size] = '\0';
}

static void refuse(struct reading *reading, const char *text, size_t size)
{
	struct answer *answer = reading->answer;
	size_t used = strlen(answer->why);

	answer->kind = ANSWER_ERROR;
	if (used > 0 && used + 3 < sizeof(answer->why)) {
		memcpy(answer->why + used, ": ", 3);
		used += 2;
	}
	copy(answer->why + used, sizeof(answer->why) - used, text, size);
}

static enum answer_table table_of(const struct reading *reading)
{
	return (enum answer_table)reading->number[IN_RESULTS];
}

static bool is_in_row(const struct reading *reading)
{
	return reading->row != NULL && reading->depth >= IN_ROW;
}

static void refer(struct reading *reading, const char *text, size_t size)
{
	struct answer_row *row = reading->row;
	struct answer_uuids *uuids = &row->uuids;

	if (size != ANSWER_UUID_SIZE)
		return;
	if (reading->column == KEY_UUID) {
		copy(row->uuid, sizeof(row->uuid), text, size);
	} else if (reading->column == KEY_REFERENCES) {
		if ((uuids->len & (uuids->len - 1)) == 0) /* Doubled. */
			uuids->items =
				mc_alloc_resize(uuids->items, uuids->len > 0 ? 2 * uuids->len : 1,
						sizeof(uuids->items[0]));
		copy(uuids->items[uuids->len++], ANSWER_UUID_SIZE + 1, text, size);
	}
}

static void free_row(struct answer_row *row)
{
	if (row == NULL)
		return;
	free(row->name);
	free(row->uuids.items);
	free(row->counters);
	free(row);
}

/* The row is complete.  One without name or UUID, or with that of another, is dropped. */
static void end_row(struct reading *reading)
{
	enum answer_table table = table_of(reading);
	struct answer *answer = reading->answer;
	struct answer_row *row = reading->row;

	reading->row = NULL;
	if (row->name == NULL || row->uuid[0] == '\0' ||
	    answer_find(answer, table, row->uuid) != NULL) {
		free_row(row);
		return;
	}
	row->node.key = row->uuid;
	row->node.key_size = ANSWER_UUID_SIZE;
	mc_map_add(&answer->by_uuid[table], &row->node);
	row->next = answer->rows[table];
	answer->rows[table] = row;
}

/* --- Items of the text ----------------------------------------------------------------- */

static bool on_key(void *argument, const char *text, size_t size)
{
	static const struct {
		unsigned depth;
		const char *name;
		enum key key;
	} keys[] = {
		{ IN_MESSAGE, "method", KEY_METHOD },
		{ IN_MESSAGE, "id", KEY_ID },
		{ IN_MESSAGE, "error", KEY_ERROR },
		{ IN_MESSAGE, "result", KEY_RESULT },
		{ IN_ITEM, "rows", KEY_ROWS },
		{ IN_ITEM, "error", KEY_ERROR },
		{ IN_ITEM, "details", KEY_DETAILS },
		{ IN_ROW, "name", KEY_NAME },
		{ IN_ROW, "_uuid", KEY_UUID },
		{ IN_ROW, "ports", KEY_REFERENCES },
		{ IN_ROW, "interfaces", KEY_REFERENCES },
		{ IN_ROW, "statistics", KEY_COUNTERS },
	};
	struct reading *reading = argument;
	enum key found = KEY_OTHER;

	for (size_t i = 0; i < sizeof(keys) / sizeof(keys[0]); i++)
		if (keys[i].depth == reading->depth && is(text, size, keys[i].name))
			found = keys[i].key;
	if (reading->depth == IN_MESSAGE)
		reading->message = found;
	else if (reading->depth == IN_ITEM)
		reading->item = found;
	else if (reading->depth == IN_ROW)
		reading->column = found;
	return true;
}

static void take_pair_text(struct reading *reading, const char *text, size_t size)
{
	if (reading->number[IN_PAIR] == 0) {
		reading->refers = is(text, size, "uuid");
		reading->counter_size = size < sizeof(reading->counter) ? size : 0;
		memcpy(reading->counter, text, reading->counter_size);
	} else if (reading->number[IN_PAIR] == 1 && reading->refers) {
		refer(reading, text, size);
	}
}

static void take_row_text(struct reading *reading, const char *text, size_t size)
{
	switch (reading->depth) {
	case IN_ROW:
		if (reading->column == KEY_NAME && reading->row->name == NULL && size > 0 &&
		    memchr(text, '\0', size) == NULL) {
			reading->row->name = mc_alloc(size + 1);
			copy(reading->row->name, size + 1, text, size);
		}
		break;
	case IN_COLUMN:
		if (reading->number[IN_COLUMN] == 0)
			reading->refers = is(text, size, "uuid");
		else if (reading->number[IN_COLUMN] == 1 && reading->refers)
			refer(reading, text, size);
		break;
	case IN_PAIR:
		take_pair_text(reading, text, size);
		break;
	default:
		break;
	}
}

static bool on_string(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;

	if (is_in_row(reading))
		take_row_text(reading, text, size);
	else if (reading->depth == IN_MESSAGE && reading->message == KEY_METHOD)
		reading->is_echo = is(text, size, "echo");
	else if (reading->depth == IN_MESSAGE && reading->message == KEY_ID)
		copy(reading->answer->id, sizeof(reading->answer->id), text, size);
	else if (reading->depth == IN_MESSAGE && reading->message == KEY_ERROR)
		refuse(reading, text, size);
	else if (reading->depth == IN_ITEM && reading->message == KEY_RESULT &&
		 (reading->item == KEY_ERROR || reading->item == KEY_DETAILS))
		refuse(reading, text, size);
	reading->number[reading->depth]++;
	return true;
}

static bool on_number(void *argument, const char *text, size_t size)
{
	struct reading *reading = argument;
	char digits[32];
	int64_t value;

	if (is_in_row(reading) && reading->depth == IN_PAIR && reading->column == KEY_COUNTERS &&
	    reading->number[IN_PAIR] == 1 && reading->row->counters != NULL &&
	    size < sizeof(digits)) {
		copy(digits, sizeof(digits), text, size);
		if (mc_number_signed(digits, 0, INT64_MAX, &value))
			counters_set(reading->row->counters, reading->counter,
				     reading->counter_size, value);
	}
	reading->number[reading->depth]++;
	return true;
}

static bool on_other(void *argument)
{
	struct reading *reading = argument;

	reading->number[reading->depth]++;
	return true;
}

static bool on_boolean(void *argument, bool value)
{
	(void)value;
	return on_other(argument);
}

static bool begin(struct reading *reading)
{
	if (reading->depth + 1 == DEPTH_MAX)
		return false;
	reading->depth++;
	reading->number[reading->depth] = 0;
	return true;
}

static bool on_begin_map(void *argument)
{
	struct reading *reading = argument;

	if (!begin(reading))
		return false;
	if (reading->depth == IN_RESULTS && reading->message == KEY_ERROR)
		refuse(reading, "error", 5);
	if (reading->depth != IN_ROW || reading->message != KEY_RESULT ||
	    reading->item != KEY_ROWS || table_of(reading) >= ANSWER_TABLES)
		return true;
	reading->has_rows = true;
	reading->row = mc_alloc_zero(sizeof(*reading->row));
	if (table_of(reading) == ANSWER_INTERFACES) {
		reading->row->counters = mc_alloc(sizeof(struct counters));
		counters_clear(reading->row->counters);
	}
	return true;
}

static bool on_begin_list(void *argument)
{
	struct reading *reading = argument;

	if (reading->depth == IN_ITEM && reading->item == KEY_ROWS)
		reading->has_rows = true; /* Or none. */
	return begin(reading);
}

static bool on_end(void *argument)
{
	struct reading *reading = argument;

	if (reading->depth == IN_ROW && reading->row != NULL)
		end_row(reading);
	reading->depth--;
	reading->number[reading->depth]++;
	return true;
}

/* --- The whole ------------------------------------------------------------------------- */

void answer_read(struct answer *answer, const char *text, size_t size)
{
	static const struct mc_json_calls calls = {
		.null = on_other,
		.boolean = on_boolean,
		.number = on_number,
		.string = on_string,
		.key = on_key,
		.begin_map = on_begin_map,
		.end_map = on_end,
		.begin_list = on_begin_list,
		.end_list = on_end,
	};
	struct reading reading = { .answer = answer };

	*answer = (struct answer){ .kind = ANSWER_OTHER };
	if (mc_json_read(text, size, DEPTH_MAX, &calls, &reading) != 0)
		answer->kind = ANSWER_BAD;
	else if (answer->kind == ANSWER_ERROR)
		return;
	else if (reading.is_echo)
		answer->kind = ANSWER_ECHO;
	else if (reading.has_rows)
		answer->kind = ANSWER_ROWS;
	free_row(reading.row);
}

void answer_free(struct answer *answer)
{
	for (size_t i = 0; i < ANSWER_TABLES; i++) {
		struct answer_row *row = answer->rows[i], *next;

		mc_map_done(&answer->by_uuid[i]);
		for (; row != NULL; row = next) {
			next = row->next;
			free_row(row);
		}
	}
}

const struct answer_row *answer_find(const struct answer *answer, enum answer_table table,
				     const char *uuid)
{
	return (const struct answer_row *)mc_map_find(&answer->by_uuid[table], uuid,
						      ANSWER_UUID_SIZE);
}
