/* SPDX-License-Identifier: MIT */
#include "formats/graphite/pickle.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/graphite/items.h"

struct pickle {
	struct items stack, arena, memo;

	/* About the pickle that is being read. */
	const unsigned char *at, *end;
	const struct pickle_taker *taker;
	const char *why;
};

struct pickle *pickle_new(void)
{
	return mc_alloc_zero(sizeof(struct pickle));
}

void pickle_free(struct pickle *pickle)
{
	if (pickle == NULL)
		return;
	free(pickle->stack.at);
	free(pickle->arena.at);
	free(pickle->memo.at);
	free(pickle);
}

/* --- The machine ---------------------------------------------------------- */

static bool fail(struct pickle *pickle, const char *why)
{
	pickle->why = why;
	return false;
}

static bool add(struct pickle *pickle, struct items *items, struct item item)
{
	return items_add(items, item) || fail(pickle, "it has more items than its bytes allow");
}

static bool push(struct pickle *pickle, struct item item)
{
	return add(pickle, &pickle->stack, item);
}

static bool underflow(struct pickle *pickle)
{
	return fail(pickle, "it takes what is not there");
}

/* The number of the item after the last mark; SIZE_MAX without a mark. */
static size_t find_mark(const struct pickle *pickle)
{
	for (size_t i = pickle->stack.len; i > 0; i--)
		if (pickle->stack.at[i - 1].kind == MARK)
			return i;
	return SIZE_MAX;
}

/* --- Points --------------------------------------------------------------- */

static enum line_fault set_value(const struct item *item, struct mc_point *point)
{
	point->is_whole = false;
	switch (item->kind) {
	case WHOLE:
		point->is_whole = true;
		point->whole = item->of.whole;
		point->number = (double)item->of.whole;
		return LINE_GOOD;
	case NUMBER:
		point->number = item->of.number;
		return isfinite(point->number) ? LINE_GOOD : LINE_UNKNOWN;
	case TEXT:
		return line_read_value(item->of.text, item->size, point);
	case OTHER: /* None */
		return LINE_UNKNOWN;
	default:
		return LINE_VALUE;
	}
}

static enum line_fault set_time(const struct item *item, struct mc_point *point)
{
	double seconds;

	if (item->kind == TEXT)
		return line_read_time(item->of.text, item->size, &point->time);
	if (item->kind != WHOLE && item->kind != NUMBER)
		return LINE_TIME;
	seconds = item->kind == WHOLE ? (double)item->of.whole : item->of.number;
	if (seconds == -1) {
		point->time = 0;
		return LINE_GOOD;
	}
	if (!(seconds > 0 && seconds < 4e9))
		return LINE_TIME;
	point->time = item->kind == WHOLE ? item->of.whole * MC_SECOND
					  : (mc_time)(seconds * (double)MC_SECOND);
	return LINE_GOOD;
}

static const struct item *pair(const struct pickle *pickle, const struct item *item)
{
	return item->kind == TUPLE && item->size == 2 ? &pickle->arena.at[item->of.first] : NULL;
}

static void emit(struct pickle *pickle, const struct item *item)
{
	const struct item *outer = pair(pickle, item), *inner = NULL;
	struct mc_point point = { .path = "" };
	enum line_fault fault = LINE_FORM;

	if (outer != NULL && outer[0].kind == TEXT)
		inner = pair(pickle, &outer[1]);
	if (inner != NULL) {
		fault = set_value(&inner[1], &point);
		if (fault == LINE_GOOD)
			fault = set_time(&inner[0], &point);
	}
	if (fault == LINE_GOOD) {
		point.path = outer[0].of.text;
		point.size = outer[0].size;
	}
	pickle->taker->take(pickle->taker->argument, fault, &point);
}

/* --- Instructions: tuples and lists --------------------------------------- */

/* Makes a tuple of the items from 'first' on. */
static bool make_tuple(struct pickle *pickle, size_t first)
{
	struct items *stack = &pickle->stack;
	struct item tuple = { .kind = TUPLE,
			      .size = (uint32_t)(stack->len - first),
			      .of.first = pickle->arena.len };

	for (size_t i = first; i < stack->len; i++) {
		if (stack->at[i].kind == MARK)
			return underflow(pickle);
		if (!add(pickle, &pickle->arena, stack->at[i]))
			return false;
	}
	stack->len = first;
	return push(pickle, tuple);
}

static bool make_short_tuple(struct pickle *pickle, size_t len)
{
	if (pickle->stack.len < len)
		return underflow(pickle);
	return make_tuple(pickle, pickle->stack.len - len);
}

static bool make_marked_tuple(struct pickle *pickle)
{
	size_t first = find_mark(pickle);

	if (first == SIZE_MAX || !make_tuple(pickle, first))
		return first == SIZE_MAX ? underflow(pickle) : false;
	pickle->stack.at[first - 1] = pickle->stack.at[first];
	pickle->stack.len--;
	return true;
}

/* The items from 'first' on go into the list that is 'below' them: of the one
 * list that carbon sends these are points. */
static bool append_from(struct pickle *pickle, size_t first, size_t list)
{
	struct items *stack = &pickle->stack;

	if (list != 0 || stack->at[0].kind != LIST)
		return fail(pickle, "it is not a list of points");
	for (size_t i = first; i < stack->len; i++)
		emit(pickle, &stack->at[i]);
	stack->len = 1;
	return true;
}

static bool append_one(struct pickle *pickle)
{
	size_t len = pickle->stack.len;

	return len >= 2 ? append_from(pickle, len - 1, len - 2) : underflow(pickle);
}

static bool append_marked(struct pickle *pickle)
{
	size_t first = find_mark(pickle);

	return first != SIZE_MAX && first >= 2 ? append_from(pickle, first, first - 2)
					       : underflow(pickle);
}

/* "(lp0": a list of the items after the mark. */
static bool make_marked_list(struct pickle *pickle)
{
	size_t first = find_mark(pickle);

	if (first != 1)
		return fail(pickle, "it is not a list of points");
	pickle->stack.at[0].kind = LIST;
	return append_from(pickle, first, 0);
}

/* --- Instructions: the bytes of a pickle ----------------------------------- */

static uint64_t get(const unsigned char *at, size_t size)
{
	uint64_t sum = 0;

	while (size > 0)
		sum = sum << 8 | at[--size];
	return sum;
}

/* That many bytes, which are skipped; NULL if fewer are left. */
static const unsigned char *skip(struct pickle *pickle, uint64_t size)
{
	const unsigned char *at = pickle->at;

	if (size > (uint64_t)(pickle->end - at)) {
		fail(pickle, "it ends too early");
		return NULL;
	}
	pickle->at += size;
	return at;
}

static bool push_whole(struct pickle *pickle, int64_t whole)
{
	return push(pickle, (struct item){ .kind = WHOLE, .of.whole = whole });
}

static bool push_text(struct pickle *pickle, const void *text, size_t size)
{
	return push(pickle, (struct item){ .kind = TEXT, .size = (uint32_t)size, .of.text = text });
}

/* A text after its size, which has that many bytes. */
static bool read_text(struct pickle *pickle, size_t size_size)
{
	const unsigned char *size = skip(pickle, size_size), *text;
	uint64_t bytes = size != NULL ? get(size, size_size) : 0;

	text = size != NULL ? skip(pickle, bytes) : NULL;
	return text != NULL && push_text(pickle, text, (size_t)bytes);
}

/* A whole number of that many bytes; 'is_signed': two's complement. */
static bool read_whole(struct pickle *pickle, size_t size, bool is_signed)
{
	const unsigned char *at = skip(pickle, size);
	uint64_t bits;

	if (at == NULL)
		return false;
	bits = get(at, size);
	if (is_signed && size > 0 && size < 8 && (at[size - 1] & 0x80) != 0)
		bits |= UINT64_MAX << (8 * size);
	return push_whole(pickle, (int64_t)bits);
}

static bool read_long(struct pickle *pickle)
{
	const unsigned char *size = skip(pickle, 1);

	if (size == NULL)
		return false;
	return *size <= 8 ? read_whole(pickle, *size, true) : fail(pickle, "a number is too large");
}

static bool read_double(struct pickle *pickle)
{
	const unsigned char *at = skip(pickle, 8);
	struct item item = { .kind = NUMBER };
	uint64_t bits = 0;

	for (size_t i = 0; at != NULL && i < 8; i++)
		bits = bits << 8 | at[i];
	memcpy(&item.of.number, &bits, sizeof(bits));
	return at != NULL && push(pickle, item);
}

/* Up to the newline, which is moved over. */
static const char *read_line(struct pickle *pickle, size_t *size)
{
	const unsigned char *at = pickle->at;
	const unsigned char *end = memchr(at, '\n', (size_t)(pickle->end - at));

	if (end == NULL) {
		fail(pickle, "it ends too early");
		return NULL;
	}
	*size = (size_t)(end - at);
	pickle->at = end + 1;
	return (const char *)at;
}

/* "I42\n", "L42L\n", "F4.2\n". */
static bool read_decimal(struct pickle *pickle)
{
	struct mc_point point;
	size_t size;
	const char *line = read_line(pickle, &size);

	if (line == NULL)
		return false;
	if (size > 0 && line[size - 1] == 'L')
		size--;
	switch (line_read_value(line, size, &point)) {
	case LINE_GOOD:
		break;
	case LINE_UNKNOWN:
		return push(pickle, (struct item){ .kind = OTHER });
	default:
		return fail(pickle, "a number is invalid");
	}
	if (point.is_whole)
		return push_whole(pickle, point.whole);
	return push(pickle, (struct item){ .kind = NUMBER, .of.number = point.number });
}

/* "S'text'\n", "Vtext\n"; escapes in one have no place in a path. */
static bool read_quoted(struct pickle *pickle, bool has_quotes)
{
	size_t size;
	const char *line = read_line(pickle, &size);

	if (line == NULL)
		return false;
	if (has_quotes) {
		if (size < 2 || (line[0] != '\'' && line[0] != '"') || line[size - 1] != line[0])
			return fail(pickle, "a text has no quotes");
		line++;
		size -= 2;
	}
	if (memchr(line, '\\', size) != NULL)
		return fail(pickle, "a text has escapes");
	return push_text(pickle, line, size);
}

/* --- Instructions: the memo ----------------------------------------------- */

static bool put(struct pickle *pickle, uint64_t number)
{
	struct items *memo = &pickle->memo;

	if (pickle->stack.len == 0)
		return underflow(pickle);
	while (memo->len <= number)
		if (!add(pickle, memo, (struct item){ .kind = MARK }))
			return false;
	memo->at[number] = pickle->stack.at[pickle->stack.len - 1];
	return true;
}

static bool recall(struct pickle *pickle, uint64_t number)
{
	const struct items *memo = &pickle->memo;

	if (number >= memo->len || memo->at[number].kind == MARK || memo->at[number].kind == LIST)
		return underflow(pickle);
	return push(pickle, memo->at[number]);
}

/* With a number of that many bytes; 0: as text, with a newline. */
static bool use_memo(struct pickle *pickle, size_t size,
		     bool (*use)(struct pickle *, uint64_t number))
{
	const unsigned char *at;
	struct mc_point point = { 0 };
	const char *line;

	if (size > 0) {
		at = skip(pickle, size);
		return at != NULL && use(pickle, get(at, size));
	}
	line = read_line(pickle, &size);
	if (line == NULL)
		return false;
	if (line_read_value(line, size, &point) != LINE_GOOD || !point.is_whole || point.whole < 0)
		return fail(pickle, "a number is invalid");
	return use(pickle, (uint64_t)point.whole);
}

/* --- All of it ------------------------------------------------------------ */

static bool read_number(struct pickle *pickle, unsigned char code)
{
	switch (code) {
	case 'I':
	case 'L':
	case 'F':
		return read_decimal(pickle);
	case 'J':
		return read_whole(pickle, 4, true);
	case 'K':
		return read_whole(pickle, 1, false);
	case 'M':
		return read_whole(pickle, 2, false);
	case 0x8a: /* LONG1 */
		return read_long(pickle);
	case 'G':
		return read_double(pickle);
	case 'N':
		return push(pickle, (struct item){ .kind = OTHER });
	case 0x88: /* True, False */
	case 0x89:
		return push_whole(pickle, code == 0x88);
	default:
		return fail(pickle, "it does what no list of points needs");
	}
}

static bool read_string(struct pickle *pickle, unsigned char code)
{
	switch (code) {
	case 'S':
		return read_quoted(pickle, true);
	case 'V':
		return read_quoted(pickle, false);
	case 'U':
	case 'C':
	case 0x8c: /* SHORT_BINUNICODE */
		return read_text(pickle, 1);
	case 'T':
	case 'X':
	case 'B':
		return read_text(pickle, 4);
	case 0x8d: /* BINUNICODE8 */
		return read_text(pickle, 8);
	default:
		return read_number(pickle, code);
	}
}

static bool use_stack(struct pickle *pickle, unsigned char code)
{
	switch (code) {
	case '(':
		return push(pickle, (struct item){ .kind = MARK });
	case ']':
		return push(pickle, (struct item){ .kind = LIST });
	case 'l':
		return make_marked_list(pickle);
	case 'a':
		return append_one(pickle);
	case 'e':
		return append_marked(pickle);
	case ')':
		return make_short_tuple(pickle, 0);
	case 't':
		return make_marked_tuple(pickle);
	case 0x85: /* TUPLE1 to TUPLE3 */
	case 0x86:
	case 0x87:
		return make_short_tuple(pickle, code - 0x84u);
	default:
		return read_string(pickle, code);
	}
}

static bool step(struct pickle *pickle, unsigned char code)
{
	switch (code) {
	case 0x80: /* PROTO */
		return skip(pickle, 1) != NULL;
	case 0x95: /* FRAME */
		return skip(pickle, 8) != NULL;
	case 'p':
		return use_memo(pickle, 0, put);
	case 'q':
		return use_memo(pickle, 1, put);
	case 'r':
		return use_memo(pickle, 4, put);
	case 0x94: /* MEMOIZE */
		return put(pickle, pickle->memo.len);
	case 'g':
		return use_memo(pickle, 0, recall);
	case 'h':
		return use_memo(pickle, 1, recall);
	case 'j':
		return use_memo(pickle, 4, recall);
	default:
		return use_stack(pickle, code);
	}
}

/* Up to the instruction that ends it. */
static bool run(struct pickle *pickle)
{
	while (pickle->at < pickle->end) {
		unsigned char code = *pickle->at++;

		if (code == '.')
			return (pickle->stack.len == 1 && pickle->stack.at[0].kind == LIST) ||
			       fail(pickle, "it is not a list of points");
		if (!step(pickle, code))
			return false;
	}
	return fail(pickle, "it ends too early");
}

bool pickle_read(struct pickle *pickle, const unsigned char *bytes, size_t size,
		 const struct pickle_taker *taker, const char **why)
{
	bool fine;

	/* A point takes a dozen bytes at least.  It is one item on the stack
	 * and four in tuples; a memo has its path and its tuples. */
	items_begin(&pickle->stack, size / 8);
	items_begin(&pickle->arena, size / 2);
	items_begin(&pickle->memo, size / 4);
	pickle->at = bytes;
	pickle->end = bytes + size;
	pickle->taker = taker;
	fine = run(pickle);
	if (!fine)
		*why = pickle->why;
	items_end(&pickle->stack);
	items_end(&pickle->arena);
	items_end(&pickle->memo);
	return fine;
}

size_t pickle_memory(const struct pickle *pickle)
{
	return (pickle->stack.room + pickle->arena.room + pickle->memo.room) * sizeof(struct item);
}
