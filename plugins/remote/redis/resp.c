/* SPDX-License-Identifier: MIT */
/* Facts: "Redis serialization protocol specification", RESP2. */
#include "resp.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/number.h>

#define ELEMENTS_MAX 1000000 /* Of arrays that are not complete. */
#define LINE_MAX_SIZE 65536

/* --- Replies ---------------------------------------------------------------- */

/* The size of the line at 'at', with its "\r\n"; 0: it is not complete; -EINVAL. */
static ssize_t line_size(const char *at, size_t size)
{
	const char *end = memchr(at, '\n', size);

	if (end == NULL)
		return size < LINE_MAX_SIZE ? 0 : -EINVAL;
	if (end == at || end[-1] != '\r')
		return -EINVAL;
	return end - at + 1;
}

/* The number of a line such as "$12\r\n". */
static bool number_of(const char *line, size_t size, int64_t *number)
{
	char digits[24];

	if (size < 4 || size - 3 >= sizeof(digits))
		return false;
	memcpy(digits, line + 1, size - 3);
	digits[size - 3] = '\0';
	return mc_number_signed(digits, INT64_MIN, INT64_MAX, number);
}

/* A text and its size, which the line says. */
static ssize_t take_text(const char *at, size_t size, size_t line, struct resp_reply *reply)
{
	int64_t length;

	if (!number_of(at, line, &length) || length < -1 || length > INT32_MAX)
		return -EINVAL;
	if (length == -1) {
		reply->type = RESP_NULL;
		return (ssize_t)line;
	}
	if (size - line < (size_t)length + 2)
		return 0;
	reply->type = RESP_TEXT;
	reply->text = at + line;
	reply->size = (size_t)length;
	if (memcmp(reply->text + length, "\r\n", 2) != 0)
		return -EINVAL;
	return (ssize_t)(line + (size_t)length + 2);
}

/* One reply, or the head of an array, which has 'elements' more. */
static ssize_t take_one(const char *at, size_t size, struct resp_reply *reply, int64_t *elements)
{
	ssize_t line = line_size(at, size);
	int64_t number;

	*elements = 0;
	if (line <= 0)
		return line;
	reply->text = at + 1;
	reply->size = (size_t)line - 3;
	switch (*at) {
	case '+':
		reply->type = RESP_STATUS;
		return line;
	case '-':
		reply->type = RESP_ERROR;
		return line;
	case ':':
		reply->type = RESP_INTEGER;
		return number_of(at, (size_t)line, &number) ? line : -EINVAL;
	case '$':
		return take_text(at, size, (size_t)line, reply);
	case '*':
		if (!number_of(at, (size_t)line, &number) || number < -1 || number > ELEMENTS_MAX)
			return -EINVAL;
		reply->type = number < 0 ? RESP_NULL : RESP_ARRAY;
		*elements = number < 0 ? 0 : number;
		return line;
	default:
		return -EINVAL;
	}
}

ssize_t resp_take(const char *bytes, size_t size, struct resp_reply *reply)
{
	struct resp_reply found = { 0 }, element = { 0 };
	int64_t lacking = 0, elements;
	size_t done = 0;
	ssize_t taken;

	do {
		if (done == size)
			return 0;
		taken = take_one(bytes + done, size - done, done == 0 ? &found : &element,
				 &elements);
		if (taken <= 0)
			return taken;
		lacking += elements - (done > 0);
		done += (size_t)taken;
		if (lacking > ELEMENTS_MAX)
			return -EINVAL;
	} while (lacking > 0);
	*reply = found;
	return (ssize_t)done;
}

/* --- Requests --------------------------------------------------------------- */

static void add_head(struct mc_buffer *out, char letter, size_t number)
{
	char head[32];
	int size = snprintf(head, sizeof(head), "%c%zu\r\n", letter, number);

	mc_buffer_add(out, head, (size_t)size);
}

static void add_word(struct mc_buffer *out, const char *word, size_t size)
{
	add_head(out, '$', size);
	mc_buffer_add(out, word, size);
	mc_buffer_add(out, "\r\n", 2);
}

void resp_ask(struct mc_buffer *out, const char *const *words, size_t len)
{
	add_head(out, '*', len);
	for (size_t i = 0; i < len; i++)
		add_word(out, words[i], strlen(words[i]));
}

/* The size of the next word, to which '*at' moves. */
static size_t next_word(const char **at)
{
	*at += strspn(*at, " ");
	return strcspn(*at, " ");
}

void resp_ask_text(struct mc_buffer *out, const char *text)
{
	const char *at = text;
	size_t size, len = 0;

	for (; (size = next_word(&at)) > 0; at += size)
		len++;
	add_head(out, '*', len);
	for (at = text; (size = next_word(&at)) > 0; at += size)
		add_word(out, at, size);
}
