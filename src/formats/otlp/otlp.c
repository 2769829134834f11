/* SPDX-License-Identifier: MIT */
/* The common part of metrics and logs: attributes. */
#include "formats/otlp/otlp_message.h"

#include "formats/protobuf.h"

const char *const otlp_kind_names[4] = {
	[MC_COUNTER] = "COUNTER",
	[MC_GAUGE] = "GAUGE",
	[MC_DERIVE] = "DERIVE",
	[MC_ABSOLUTE] = "ABSOLUTE",
};

void otlp_any_read(struct otlp_pair *pair, struct mc_otlp_span span, bool *broken)
{
	struct protobuf_field field;

	while (protobuf_take(&span, &field, broken)) {
		pair->template = field.number;
		pair->number = field.value;
		if (field.wire == PROTOBUF_BYTES)
			pair->text = otlp_text(field.span);
		if ((field.wire == PROTOBUF_BYTES) != (field.number == OTLP_ANY_STRING) ||
		    (field.wire == PROTOBUF_64BIT) != (field.number == OTLP_ANY_DOUBLE))
			pair->template = 0;
	}
}

/* A key and a text of less than 124 bytes each, in this order, as everybody
 * writes them: 0x0a, size, key, 0x12, size, 0x0a, size, text. */
static bool read_plain_pair(struct otlp_pair *pair, struct mc_otlp_span span)
{
	const unsigned char *at = span.at;
	size_t size = (size_t)(span.end - at), key_size, text_size;

	if (size < 6 || at[0] != PROTOBUF_TAG(OTLP_PAIR_KEY, PROTOBUF_BYTES))
		return false;
	key_size = at[1];
	if (key_size > size - 6)
		return false;
	text_size = size - 6 - key_size;
	at += 2 + key_size;
	if (text_size >= 0x80 - 2 || at[0] != PROTOBUF_TAG(OTLP_PAIR_VALUE, PROTOBUF_BYTES) ||
	    at[1] != text_size + 2 || at[2] != PROTOBUF_TAG(OTLP_ANY_STRING, PROTOBUF_BYTES) ||
	    at[3] != text_size || key_size >= 0x80)
		return false;
	*pair = (struct otlp_pair){
		.key = { (const char *)span.at + 2, key_size },
		.template = OTLP_ANY_STRING,
		.text = { (const char *)at + 4, text_size },
	};
	return true;
}

void otlp_pair_split(struct mc_otlp_span span, struct mc_otlp_text *key, struct mc_otlp_span *value,
		     bool *broken)
{
	struct protobuf_field field;

	while (protobuf_take(&span, &field, broken)) {
		if (field.wire != PROTOBUF_BYTES)
			continue;
		if (field.number == OTLP_PAIR_KEY)
			*key = otlp_text(field.span);
		else if (field.number == OTLP_PAIR_VALUE)
			*value = field.span;
	}
}

bool otlp_pair_read(struct otlp_pair *pair, struct mc_otlp_span span, bool *broken)
{
	struct protobuf_field field;

	if (read_plain_pair(pair, span))
		return !*broken;
	*pair = (struct otlp_pair){ .key = { "", 0 }, .text = { "", 0 } };
	while (protobuf_take(&span, &field, broken)) {
		if (field.wire != PROTOBUF_BYTES)
			continue;
		if (field.number == OTLP_PAIR_KEY)
			pair->key = otlp_text(field.span);
		else if (field.number == OTLP_PAIR_VALUE)
			otlp_any_read(pair, field.span, broken);
	}
	return !*broken;
}

const char *otlp_part_fault(struct mc_otlp_text text)
{
	if (text.size > OTLP_PART_MAX)
		return OTLP_LONG_NAME;
	return memchr(text.at, '\0', text.size) != NULL ? "name with a zero byte" : NULL;
}
