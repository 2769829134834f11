/* SPDX-License-Identifier: MIT */
/* Facts: yajl_gen.h. */
#include <collector/kit/json.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <yajl/yajl_gen.h>

#include <collector/kit/alloc.h>
#include <collector/print.h>

struct mc_json {
	yajl_gen gen;
};

struct mc_json *mc_json_new(bool pretty)
{
	struct mc_json *json = mc_alloc_zero(sizeof(*json));

	json->gen = mc_alloc_checked(yajl_gen_alloc(NULL), sizeof(*json));
	yajl_gen_config(json->gen, yajl_gen_beautify, pretty);
	yajl_gen_config(json->gen, yajl_gen_indent_string, "  ");
	yajl_gen_config(json->gen, yajl_gen_validate_utf8, 1);
	return json;
}

void mc_json_free(struct mc_json *json)
{
	if (json == NULL)
		return;
	yajl_gen_free(json->gen);
	free(json);
}

const char *mc_json_bytes(const struct mc_json *json, size_t *size)
{
	const unsigned char *bytes;

	yajl_gen_get_buf(json->gen, &bytes, size);
	return (const char *)bytes;
}

static yajl_gen_status put(struct mc_json *json, const char *text)
{
	return yajl_gen_string(json->gen, (const unsigned char *)text, strlen(text));
}

static void string(struct mc_json *json, const char *text)
{
	char *clean;

	if (put(json, text) != yajl_gen_invalid_string)
		return;
	clean = mc_alloc_copy(text);
	for (char *c = clean; *c != '\0'; c++)
		if ((unsigned char)*c >= 0x80)
			*c = '?';
	put(json, clean);
	free(clean);
}

static void key_of(struct mc_json *json, const char *key)
{
	if (key != NULL)
		string(json, key);
}

void mc_json_map(struct mc_json *json, const char *key)
{
	key_of(json, key);
	yajl_gen_map_open(json->gen);
}

void mc_json_map_end(struct mc_json *json)
{
	yajl_gen_map_close(json->gen);
}

void mc_json_list(struct mc_json *json, const char *key)
{
	key_of(json, key);
	yajl_gen_array_open(json->gen);
}

void mc_json_list_end(struct mc_json *json)
{
	yajl_gen_array_close(json->gen);
}

void mc_json_text(struct mc_json *json, const char *key, const char *text)
{
	key_of(json, key);
	string(json, text);
}

void mc_json_number(struct mc_json *json, const char *key, double number)
{
	char text[MC_PRINT_DOUBLE_SIZE];

	key_of(json, key);
	if (!isfinite(number)) {
		yajl_gen_null(json->gen);
		return;
	}
	yajl_gen_number(json->gen, text, mc_print_double(text, number));
}

void mc_json_seconds(struct mc_json *json, const char *key, int64_t nanoseconds)
{
	mc_json_number(json, key, (double)nanoseconds / 1e9);
}

void mc_json_signed(struct mc_json *json, const char *key, int64_t number)
{
	char text[MC_PRINT_SIZE];

	key_of(json, key);
	yajl_gen_number(json->gen, text, mc_print_i64(text, number));
}

void mc_json_unsigned(struct mc_json *json, const char *key, uint64_t number)
{
	char text[MC_PRINT_SIZE];

	key_of(json, key);
	yajl_gen_number(json->gen, text, mc_print_u64(text, number));
}

void mc_json_digits(struct mc_json *json, const char *key, const char *text)
{
	key_of(json, key);
	yajl_gen_number(json->gen, text, strlen(text));
}

void mc_json_bool(struct mc_json *json, const char *key, bool value)
{
	key_of(json, key);
	yajl_gen_bool(json->gen, value);
}

void mc_json_null(struct mc_json *json, const char *key)
{
	key_of(json, key);
	yajl_gen_null(json->gen);
}
