/* SPDX-License-Identifier: MIT */
/* JSON for scripts. */
#include "ctl/print/json.h"

#include <stdlib.h>
#include <string.h>

void json_write(struct mc_json *json, FILE *out)
{
	size_t size;
	const char *text = mc_json_bytes(json, &size);

	/* A pretty one brings its newline. */
	fwrite(text, 1, size, out);
	if (size == 0 || text[size - 1] != '\n')
		fputc('\n', out);
	mc_json_free(json);
}

struct mc_json *json_open(bool pretty)
{
	struct mc_json *json = mc_json_new(pretty);

	mc_json_map(json, NULL);
	mc_json_signed(json, "v", JSON_VERSION);
	return json;
}

void json_close(struct mc_json *json, FILE *out)
{
	mc_json_map_end(json);
	json_write(json, out);
}

void json_value(struct mc_json *json, const char *key, enum mc_kind kind,
		const union mc_value *value)
{
	switch (kind) {
	case MC_GAUGE:
		mc_json_number(json, key, value->gauge);
		return;
	case MC_DERIVE:
		mc_json_signed(json, key, value->derive);
		return;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		mc_json_unsigned(json, key, value->counter);
		return;
	}
}

/* Keys whose values are text even if they look like something else. */
static bool is_text(const char *about, const char *key)
{
	static const char *const keys[] = { "name",   "version", "host",   "failure",
					    "unit",   "help",    "kind",   "made_by",
					    "writer", "where",   "text",   "judge",
					    "reason", "label",   "source", "plugin" };

	for (size_t i = 0; i < sizeof(keys) / sizeof(*keys); i++)
		if (strcmp(keys[i], key) == 0)
			return true;
	/* A name, or how many there are. */
	return strcmp(key, "series") == 0 && strcmp(about, "alert") == 0;
}

/* Whether the text is a whole number, and as JSON writes one: without zeros in front. */
static bool is_whole(const char *text)
{
	size_t digits;

	text += *text == '-';
	digits = strspn(text, "0123456789");
	return digits > 0 && text[digits] == '\0' && (digits == 1 || *text != '0');
}

void json_numeral(struct mc_json *json, const char *key, const char *text)
{
	char *end;
	double number = strtod(text, &end);

	if (is_whole(text)) /* As it is: 64 bits do not fit a double. */
		mc_json_digits(json, key, text);
	else if (*text == '\0' || *end != '\0')
		mc_json_null(json, key);
	else
		mc_json_number(json, key, number);
}

static void pair(struct mc_json *json, const char *about, const char *key, const char *value)
{
	char *end;

	strtod(value, &end);
	if (is_text(about, key) || *value == '\0')
		mc_json_text(json, key, value);
	else if (strcmp(value, "true") == 0 || strcmp(value, "false") == 0)
		mc_json_bool(json, key, value[0] == 't');
	else if (*end != '\0')
		mc_json_text(json, key, value);
	else
		json_numeral(json, key, value);
}

void json_record(struct mc_json *json, const struct record *record)
{
	bool texts = strcmp(record->about, "label") == 0;

	for (size_t i = 0; i < record->len; i++) {
		const char *value = record->pairs[i].value;

		if (texts)
			mc_json_text(json, record->pairs[i].key, value);
		else
			pair(json, record->about, record->pairs[i].key, value);
	}
}
