/* SPDX-License-Identifier: MIT */
/* JSON for scripts. */
#include "ctl/print/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <yajl/yajl_gen.h>

#include "base/alloc.h"
#include "base/text.h"

struct json {
	yajl_gen gen;
};

struct json *json_new(bool pretty)
{
	struct json *json = alloc_zero(sizeof(*json));

	json->gen = yajl_gen_alloc(NULL);
	if (json->gen == NULL)
		abort();
	yajl_gen_config(json->gen, yajl_gen_beautify, pretty);
	yajl_gen_config(json->gen, yajl_gen_indent_string, "  ");
	return json;
}

void json_write(struct json *json, FILE *out)
{
	const unsigned char *text;
	size_t size;

	yajl_gen_get_buf(json->gen, &text, &size);
	/* A pretty one brings its newline. */
	fwrite(text, 1, size, out);
	if (size == 0 || text[size - 1] != '\n')
		fputc('\n', out);
	yajl_gen_free(json->gen);
	free(json);
}

struct json *json_open(bool pretty)
{
	struct json *json = json_new(pretty);

	json_map(json, NULL);
	json_integer(json, "v", JSON_VERSION);
	return json;
}

void json_close(struct json *json, FILE *out)
{
	json_map_end(json);
	json_write(json, out);
}

static void put(struct json *json, const char *text)
{
	yajl_gen_string(json->gen, (const unsigned char *)text, strlen(text));
}

static void string(struct json *json, const char *text)
{
	char *clean;

	if (text_printable(text, strlen(text))) {
		put(json, text);
		return;
	}
	clean = alloc_copy(text);
	for (char *c = clean; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80 || *c < ' ' || *c == 0x7f)
			*c = '?';
	put(json, clean);
	free(clean);
}

static void key_of(struct json *json, const char *key)
{
	if (key != NULL)
		string(json, key);
}

void json_map(struct json *json, const char *key)
{
	key_of(json, key);
	yajl_gen_map_open(json->gen);
}

void json_list(struct json *json, const char *key)
{
	key_of(json, key);
	yajl_gen_array_open(json->gen);
}

void json_map_end(struct json *json)
{
	yajl_gen_map_close(json->gen);
}

void json_list_end(struct json *json)
{
	yajl_gen_array_close(json->gen);
}

void json_text(struct json *json, const char *key, const char *text)
{
	key_of(json, key);
	string(json, text);
}

/* The shortest text that reads back as the same number. */
static int shortest(char *out, size_t size, double number)
{
	int n = 0;

	for (int digits = 15; digits <= 17; digits++) {
		n = snprintf(out, size, "%.*g", digits, number);
		if (strtod(out, NULL) == number)
			break;
	}
	return n;
}

void json_number(struct json *json, const char *key, double number)
{
	char text[64];

	key_of(json, key);
	if (!isfinite(number)) {
		yajl_gen_null(json->gen);
		return;
	}
	yajl_gen_number(json->gen, text,
			(size_t)shortest(text, sizeof(text), number));
}

void json_integer(struct json *json, const char *key, int64_t number)
{
	char text[24];
	int size = snprintf(text, sizeof(text), "%" PRId64, number);

	key_of(json, key);
	yajl_gen_number(json->gen, text, (size_t)size);
}

void json_unsigned(struct json *json, const char *key, uint64_t number)
{
	char text[24];
	int size = snprintf(text, sizeof(text), "%" PRIu64, number);

	key_of(json, key);
	yajl_gen_number(json->gen, text, (size_t)size);
}

void json_bool(struct json *json, const char *key, bool value)
{
	key_of(json, key);
	yajl_gen_bool(json->gen, value);
}

void json_value(struct json *json, const char *key, enum mc_kind kind,
		const union mc_value *value)
{
	switch (kind) {
	case MC_GAUGE:
		json_number(json, key, value->gauge);
		return;
	case MC_DERIVE:
		json_integer(json, key, value->derive);
		return;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		json_unsigned(json, key, value->counter);
		return;
	}
}

/* Keys whose values are text even if they look like something else. */
static bool is_text(const char *key)
{
	static const char *const keys[] = { "name",    "version", "host",
					    "failure", "unit",    "help",
					    "kind",    "made_by", "writer",
					    "where" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	return false;
}

/* Whether the text is a whole number, and as JSON writes one: without zeros in
 * front. */
static bool is_whole(const char *text)
{
	size_t digits;

	text += *text == '-';
	digits = strspn(text, "0123456789");
	return digits > 0 && text[digits] == '\0' &&
	       (digits == 1 || *text != '0');
}

void json_numeral(struct json *json, const char *key, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (is_whole(text)) {
		/* As it is: 64 bits do not fit a double. */
		key_of(json, key);
		yajl_gen_number(json->gen, text, strlen(text));
	} else {
		json_number(json, key,
			    *text == '\0' || *end != '\0' ? (double)NAN
							  : number);
	}
}

static void pair(struct json *json, const char *key, const char *value)
{
	char *end;

	strtod(value, &end);
	if (is_text(key) || *value == '\0')
		json_text(json, key, value);
	else if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
		json_bool(json, key, value[0] == 't');
	else if (*end != '\0')
		json_text(json, key, value);
	else
		json_numeral(json, key, value);
}

void json_record(struct json *json, const struct record *record)
{
	bool texts = strcmp(record->about, "label") == 0;

	for (size_t i = 0; i < record->len; i++) {
		const char *value = record->pairs[i].value;

		if (texts)
			json_text(json, record->pairs[i].key, value);
		else
			pair(json, record->pairs[i].key, value);
	}
}
