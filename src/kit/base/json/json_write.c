/* SPDX-License-Identifier: MIT */
/* Facts: RFC 8259. */
#include <collector/kit/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/print.h>

struct mc_json {
	struct mc_buffer text;
	unsigned depth; /* Of maps and lists that are open. */
	bool pretty;
	bool follows; /* Something stands before in this map or list. */
	bool has_key; /* The next is its value. */
};

struct mc_json *mc_json_new(bool pretty)
{
	struct mc_json *json = mc_alloc_zero(sizeof(*json));

	json->pretty = pretty;
	mc_buffer_add(&json->text, "", 0);
	return json;
}

void mc_json_free(struct mc_json *json)
{
	if (json == NULL)
		return;
	mc_buffer_free(&json->text);
	free(json);
}

const char *mc_json_bytes(const struct mc_json *json, size_t *size)
{
	*size = json->text.size;
	return json->text.at;
}

static void add(struct mc_json *json, const char *text)
{
	mc_buffer_add(&json->text, text, strlen(text));
}

static void indent(struct mc_json *json)
{
	for (unsigned i = 0; json->pretty && i < json->depth; i++)
		mc_buffer_add(&json->text, "  ", 2);
}

/* Separator of an item from the one before, and its indentation. */
static void separate(struct mc_json *json)
{
	if (json->has_key) {
		add(json, json->pretty ? ": " : ":");
		json->has_key = false;
		return;
	}
	if (json->follows)
		add(json, json->pretty ? ",\n" : ",");
	indent(json);
}

/* An item has ended. */
static void ended(struct mc_json *json)
{
	json->follows = true;
	if (json->pretty && json->depth == 0)
		mc_buffer_add(&json->text, "\n", 1);
}

/* --- Strings -------------------------------------------------------------- */

/* Bytes of a character of UTF-8 that begins here; 0: none does. */
static unsigned character(const unsigned char *at)
{
	const unsigned size = *at < 0x80 ? 1 : *at >> 5 == 0x6 ? 2 : *at >> 4 == 0xe ? 3 : 4;

	if (size == 4 && *at >> 3 != 0x1e)
		return 0;
	for (unsigned i = 1; i < size; i++)
		if (at[i] >> 6 != 0x2) /* Nor the '\0' at the end. */
			return 0;
	return size;
}

static bool is_utf8(const char *text)
{
	const unsigned char *at = (const unsigned char *)text;

	while (*at != '\0') {
		const unsigned size = character(at);

		if (size == 0)
			return false;
		at += size;
	}
	return true;
}

/* The letter that stands for a byte after '\'; '\0': it needs none. */
static char letter_of(unsigned char byte)
{
	switch (byte) {
	case '"':
	case '\\':
		return (char)byte;
	case '\b':
		return 'b';
	case '\f':
		return 'f';
	case '\n':
		return 'n';
	case '\r':
		return 'r';
	case '\t':
		return 't';
	default:
		return byte < ' ' ? 'u' : '\0';
	}
}

static void escape(struct mc_json *json, unsigned char byte, char letter)
{
	static const char digits[] = "0123456789ABCDEF";
	const char escaped[] = { '\\', letter, '0', '0', digits[byte >> 4], digits[byte & 15] };

	mc_buffer_add(&json->text, escaped, letter == 'u' ? sizeof(escaped) : 2);
}

static void string(struct mc_json *json, const char *text)
{
	const bool clean = is_utf8(text);
	const char *plain = text; /* From here to 'at' nothing was escaped. */
	const char *at = text;

	separate(json);
	mc_buffer_add(&json->text, "\"", 1);
	for (; *at != '\0'; at++) {
		const unsigned char byte = (unsigned char)*at;
		const char letter = letter_of(byte);

		if (letter == '\0' && (clean || byte < 0x80))
			continue;
		mc_buffer_add(&json->text, plain, (size_t)(at - plain));
		plain = at + 1;
		if (letter != '\0')
			escape(json, byte, letter);
		else
			mc_buffer_add(&json->text, "?", 1);
	}
	mc_buffer_add(&json->text, plain, (size_t)(at - plain));
	mc_buffer_add(&json->text, "\"", 1);
}

static void key_of(struct mc_json *json, const char *key)
{
	if (key == NULL)
		return;
	string(json, key);
	json->has_key = true;
}

/* --- Items ---------------------------------------------------------------- */

static void item(struct mc_json *json, const char *key, const char *text, size_t size)
{
	key_of(json, key);
	separate(json);
	mc_buffer_add(&json->text, text, size);
	ended(json);
}

static void open_item(struct mc_json *json, const char *key, const char *bracket)
{
	key_of(json, key);
	separate(json);
	add(json, bracket);
	if (json->pretty)
		mc_buffer_add(&json->text, "\n", 1);
	json->depth++;
	json->follows = false;
}

static void close_item(struct mc_json *json, const char *bracket)
{
	json->depth--;
	if (json->pretty)
		mc_buffer_add(&json->text, "\n", 1);
	indent(json);
	add(json, bracket);
	ended(json);
}

void mc_json_map(struct mc_json *json, const char *key)
{
	open_item(json, key, "{");
}

void mc_json_map_end(struct mc_json *json)
{
	close_item(json, "}");
}

void mc_json_list(struct mc_json *json, const char *key)
{
	open_item(json, key, "[");
}

void mc_json_list_end(struct mc_json *json)
{
	close_item(json, "]");
}

void mc_json_text(struct mc_json *json, const char *key, const char *text)
{
	key_of(json, key);
	string(json, text);
	ended(json);
}

void mc_json_number(struct mc_json *json, const char *key, double number)
{
	char text[MC_PRINT_DOUBLE_SIZE];

	if (isfinite(number))
		item(json, key, text, mc_print_double(text, number));
	else
		mc_json_null(json, key);
}

void mc_json_seconds(struct mc_json *json, const char *key, int64_t nanoseconds)
{
	mc_json_number(json, key, (double)nanoseconds / 1e9);
}

void mc_json_signed(struct mc_json *json, const char *key, int64_t number)
{
	char text[MC_PRINT_SIZE];

	item(json, key, text, mc_print_i64(text, number));
}

void mc_json_unsigned(struct mc_json *json, const char *key, uint64_t number)
{
	char text[MC_PRINT_SIZE];

	item(json, key, text, mc_print_u64(text, number));
}

void mc_json_digits(struct mc_json *json, const char *key, const char *text)
{
	item(json, key, text, strlen(text));
}

void mc_json_bool(struct mc_json *json, const char *key, bool value)
{
	const char *text = value ? "true" : "false";

	item(json, key, text, strlen(text));
}

void mc_json_null(struct mc_json *json, const char *key)
{
	item(json, key, "null", 4);
}
