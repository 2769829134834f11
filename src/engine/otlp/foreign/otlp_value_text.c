/* SPDX-License-Identifier: MIT */
/* Facts: common.proto of opentelemetry-proto 1.x; RFC 8259 for JSON, RFC 4648 for Base64. */
#include "engine/otlp/foreign/otlp_value_text.h"

#include <collector/metric.h>
#include <collector/print.h>

#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"

#define DEPTH_MAX 8 /* Of lists in lists; deeper ones are "null". */

enum {
	ANY_LIST = 5,
	ANY_MAP = 6,
	ANY_BYTES = 7,
	VALUES = 1, /* Of a list, and of a map. */
};

struct text { /* Bytes without room are left out. */
	char *bytes;
	size_t size;
};

static void add_char(struct text *text, char c)
{
	if (text->size < MC_METRIC_VALUE_SIZE)
		text->bytes[text->size++] = c;
}

static void add(struct text *text, const char *bytes, size_t size)
{
	for (size_t i = 0; i < size; i++)
		add_char(text, bytes[i]);
}

static void add_quoted(struct text *text, struct mc_otlp_text quoted)
{
	static const char hex[] = "0123456789abcdef";

	add_char(text, '"');
	for (size_t i = 0; i < quoted.size; i++) {
		unsigned char c = (unsigned char)quoted.at[i];

		if (c < 0x20) {
			add(text, "\\u00", 4);
			add_char(text, hex[c >> 4]);
			add_char(text, hex[c & 15]);
			continue;
		}
		if (c == '"' || c == '\\')
			add_char(text, '\\');
		add_char(text, (char)c);
	}
	add_char(text, '"');
}

static void add_base64(struct text *text, struct mc_otlp_text bytes)
{
	static const char digits[] =
		"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

	for (size_t i = 0; i < bytes.size; i += 3) {
		uint32_t group = 0;

		for (size_t n = 0; n < 3; n++)
			group = group << 8 |
				(i + n < bytes.size ? (unsigned char)bytes.at[i + n] : 0);
		for (size_t n = 0; n < 4; n++)
			add_char(text,
				 i + n > bytes.size ? '=' : digits[group >> (18 - 6 * n) & 63]);
	}
}

static void add_number(struct text *text, const struct otlp_pair *value)
{
	char digits[MC_PRINT_DOUBLE_SIZE + 1];
	double number;

	if (value->template == OTLP_ANY_INT) {
		add(text, digits, mc_print_i64(digits, (int64_t)value->number));
		return;
	}
	memcpy(&number, &value->number, sizeof(number));
	add(text, digits, mc_print_double(digits, number));
}

/* One that is no list and no map. */
static void add_single(struct text *text, struct mc_otlp_span span, bool quote)
{
	struct otlp_pair value = { .text = { "", 0 } };
	bool broken = false;

	otlp_any_read(&value, span, &broken);
	switch (value.template) {
	case OTLP_ANY_STRING:
		if (quote)
			add_quoted(text, value.text);
		else
			add(text, value.text.at, value.text.size);
		break;
	case OTLP_ANY_BOOL:
		if (value.number != 0)
			add(text, "true", 4);
		else
			add(text, "false", 5);
		break;
	case OTLP_ANY_INT:
	case OTLP_ANY_DOUBLE:
		add_number(text, &value);
		break;
	default:
		if (quote)
			add(text, "null", 4);
	}
}

static void add_any(struct text *text, struct mc_otlp_span span, unsigned depth);

static void add_pair(struct text *text, struct mc_otlp_span span, unsigned depth)
{
	struct mc_otlp_text key = { "", 0 };
	struct mc_otlp_span value = { 0 };
	bool broken = false;

	otlp_pair_split(span, &key, &value, &broken);
	add_quoted(text, key);
	add_char(text, ':');
	add_any(text, value, depth);
}

static void add_all(struct text *text, struct mc_otlp_span span, bool map, unsigned depth)
{
	struct protobuf_field field;
	bool broken = false, first = true;

	add_char(text, map ? '{' : '[');
	while (protobuf_take(&span, &field, &broken)) {
		if (field.number != VALUES || field.wire != PROTOBUF_BYTES)
			continue;
		if (!first)
			add_char(text, ',');
		first = false;
		if (map)
			add_pair(text, field.span, depth + 1);
		else
			add_any(text, field.span, depth + 1);
	}
	add_char(text, map ? '}' : ']');
}

/* 'depth' 0: the value itself, whose text is not quoted. */
static void add_any(struct text *text, struct mc_otlp_span span, unsigned depth)
{
	struct mc_otlp_span rest = span;
	struct protobuf_field field;
	bool broken = false;

	while (span.at != NULL && protobuf_take(&rest, &field, &broken)) {
		if (field.wire != PROTOBUF_BYTES)
			continue;
		if (field.number == ANY_BYTES) {
			if (depth > 0)
				add_char(text, '"');
			add_base64(text, otlp_text(field.span));
			if (depth > 0)
				add_char(text, '"');
			return;
		}
		if ((field.number == ANY_LIST || field.number == ANY_MAP) && depth < DEPTH_MAX) {
			add_all(text, field.span, field.number == ANY_MAP, depth);
			return;
		}
	}
	add_single(text, span, depth > 0);
}

const char *otlp_value_text(struct arena *arena, struct mc_otlp_span span)
{
	struct text text = { .bytes = arena_take(arena, MC_METRIC_VALUE_SIZE + 1) };

	add_any(&text, span, 0);
	for (size_t i = 0; i < text.size; i++)
		if (text.bytes[i] == '\0')
			text.bytes[i] = ' ';
	text.bytes[text.size] = '\0';
	return text.bytes;
}
