/* SPDX-License-Identifier: MIT */
/* mc_json_read() by json-c, which knows a text only as a whole: calls begin when all of it is
 * valid.  Of equal keys in a map the last counts, and a key ends at a '\0'.
 * Facts: json_tokener.h, json_object.h. */
#include <collector/kit/json.h>

#include <errno.h>
#include <limits.h>
#include <string.h>

#include <json-c/json.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

struct reader {
	const struct mc_json_calls *calls;
	void *argument;
	unsigned depth_max;
};

static int walk(const struct reader *, struct json_object *, unsigned depth);

static int call(const struct reader *reader, bool (*function)(void *))
{
	return function == NULL || function(reader->argument) ? 0 : -ECANCELED;
}

/* A whole number of which json-c would make the nearest that has 64 bits: LARGE comes after it, so
 * that it keeps all of it as a text. */
#define LARGE "e0"
#define LARGE_SIZE (sizeof(LARGE) - 1)

static bool is_too_large(const char *number, size_t size)
{
	const bool negative = *number == '-';
	const char *limit = negative ? "9223372036854775808" : "18446744073709551615";
	const size_t digits = size - negative;

	for (size_t i = negative; i < size; i++)
		if (number[i] < '0' || number[i] > '9')
			return false;
	return digits > strlen(limit) ||
	       (digits == strlen(limit) && memcmp(number + negative, limit, digits) > 0);
}

/* A number is as it stood there. */
static int walk_number(const struct reader *reader, struct json_object *object)
{
	const char *text = json_object_to_json_string_ext(object, JSON_C_TO_STRING_PLAIN);
	size_t size = strlen(text);

	if (size > LARGE_SIZE && strcmp(text + size - LARGE_SIZE, LARGE) == 0 &&
	    is_too_large(text, size - LARGE_SIZE))
		size -= LARGE_SIZE;
	return reader->calls->number == NULL || reader->calls->number(reader->argument, text, size)
		       ? 0
		       : -ECANCELED;
}

static int walk_string(const struct reader *reader, struct json_object *object)
{
	return reader->calls->string == NULL ||
			       reader->calls->string(reader->argument,
						     json_object_get_string(object),
						     (size_t)json_object_get_string_len(object))
		       ? 0
		       : -ECANCELED;
}

static int walk_map(const struct reader *reader, struct json_object *object, unsigned depth)
{
	struct json_object_iterator at = json_object_iter_begin(object);
	const struct json_object_iterator end = json_object_iter_end(object);
	int result = call(reader, reader->calls->begin_map);

	for (; result == 0 && !json_object_iter_equal(&at, &end); json_object_iter_next(&at)) {
		const char *key = json_object_iter_peek_name(&at);

		if (reader->calls->key != NULL &&
		    !reader->calls->key(reader->argument, key, strlen(key)))
			return -ECANCELED;
		result = walk(reader, json_object_iter_peek_value(&at), depth);
	}
	return result != 0 ? result : call(reader, reader->calls->end_map);
}

static int walk_list(const struct reader *reader, struct json_object *object, unsigned depth)
{
	const size_t length = json_object_array_length(object);
	int result = call(reader, reader->calls->begin_list);

	for (size_t i = 0; result == 0 && i < length; i++)
		result = walk(reader, json_object_array_get_idx(object, i), depth);
	return result != 0 ? result : call(reader, reader->calls->end_list);
}

/* 'depth' is that of maps and lists around the object. */
static int walk(const struct reader *reader, struct json_object *object, unsigned depth)
{
	switch (json_object_get_type(object)) {
	case json_type_null:
		return call(reader, reader->calls->null);
	case json_type_boolean:
		return reader->calls->boolean == NULL ||
				       reader->calls->boolean(reader->argument,
							      json_object_get_boolean(object) != 0)
			       ? 0
			       : -ECANCELED;
	case json_type_int:
	case json_type_double:
		return walk_number(reader, object);
	case json_type_string:
		return walk_string(reader, object);
	case json_type_object:
		return depth == reader->depth_max ? -ELOOP : walk_map(reader, object, depth + 1);
	case json_type_array:
		return depth == reader->depth_max ? -ELOOP : walk_list(reader, object, depth + 1);
	}
	return -EINVAL;
}

/* Input that json-c takes beside JSON: strings in ', control characters in strings, NaN and
 * infinities.
 */
static bool is_foreign(char c, bool in_string)
{
	return in_string ? (unsigned char)c < ' ' : c == '\'' || c == 'N' || c == 'I' || c == '\0';
}

/* Bytes of the text of a number that begins here. */
static size_t number_size(const char *text, size_t size)
{
	size_t used = 0;

	while (used < size && text[used] != '\0' && strchr("0123456789+-.eE", text[used]) != NULL)
		used++;
	return used;
}

/* Puts a text with marked large numbers into 'marked', which stays empty without any.  False:
 * json-c would take what is no JSON. */
static bool prepare(const char *text, size_t size, struct mc_buffer *marked)
{
	bool in_string = false;
	size_t done = 0;

	for (size_t i = 0; i < size; i++) {
		if (is_foreign(text[i], in_string))
			return false;
		if (text[i] == '"') {
			in_string = !in_string;
		} else if (in_string && text[i] == '\\') {
			i++;
		} else if (!in_string && (text[i] == '-' || (text[i] >= '0' && text[i] <= '9'))) {
			const size_t end = i + number_size(text + i, size - i);

			if (is_too_large(text + i, end - i)) {
				mc_buffer_add(marked, text + done, end - done);
				mc_buffer_add(marked, LARGE, LARGE_SIZE);
				done = end;
			}
			i = end - 1;
		}
	}
	if (done > 0)
		mc_buffer_add(marked, text + done, size - done);
	return true;
}

/* parse: the object of a whole text, or NULL and why. */
static struct json_object *parse(struct json_tokener *parser, const char *text, size_t size,
				 enum json_tokener_error *error)
{
	struct json_object *object = json_tokener_parse_ex(parser, text, (int)size);

	*error = json_tokener_get_error(parser);
	if (*error == json_tokener_continue) { /* A number may go on until something else comes. */
		object = json_tokener_parse_ex(parser, "", 1);
		*error = json_tokener_get_error(parser);
	}
	return object;
}

int mc_json_read(const void *text, size_t size, unsigned depth_max,
		 const struct mc_json_calls *calls, void *argument)
{
	const struct reader reader = { calls, argument, depth_max };
	struct mc_buffer marked = { 0 };
	enum json_tokener_error error;
	struct json_tokener *parser;
	struct json_object *object;
	int result = -EINVAL;

	if (size >= INT_MAX / 2 || !prepare(text, size, &marked)) {
		mc_buffer_free(&marked);
		return -EINVAL;
	}
	parser = mc_alloc_checked(json_tokener_new_ex((int)depth_max + 2), sizeof(reader));
	json_tokener_set_flags(parser, JSON_TOKENER_STRICT | JSON_TOKENER_VALIDATE_UTF8);
	object = marked.size > 0 ? parse(parser, marked.at, marked.size, &error)
				 : parse(parser, text, size, &error);
	if (error == json_tokener_success)
		result = walk(&reader, object, 0);
	else if (error == json_tokener_error_depth)
		result = -ELOOP;
	json_object_put(object);
	json_tokener_free(parser);
	mc_buffer_free(&marked);
	return result;
}
