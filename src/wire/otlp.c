/* SPDX-License-Identifier: MIT */
/* What metrics and logs have in common: attributes. */
#include "wire/otlp.h"

#include "wire/protobuf.h"

const char *const otlp_kind_names[4] = {
	[MC_COUNTER] = "COUNTER",
	[MC_GAUGE] = "GAUGE",
	[MC_DERIVE] = "DERIVE",
	[MC_ABSOLUTE] = "ABSOLUTE",
};

void otlp_any_read(struct otlp_pair *pair, struct mc_otlp_span span,
		   bool *broken)
{
	struct protobuf_field field;

	while (protobuf_take(&span, &field, broken)) {
		pair->form = field.number;
		pair->number = field.value;
		if (field.wire == OTLP_BYTES)
			pair->text = otlp_text(field.span);
		if ((field.wire == OTLP_BYTES) !=
			    (field.number == OTLP_ANY_STRING) ||
		    (field.wire == OTLP_64BIT) !=
			    (field.number == OTLP_ANY_DOUBLE))
			pair->form = 0;
	}
}

bool otlp_pair_read(struct otlp_pair *pair, struct mc_otlp_span span,
		    bool *broken)
{
	struct protobuf_field field;

	*pair = (struct otlp_pair){ .key = { "", 0 }, .text = { "", 0 } };
	while (protobuf_take(&span, &field, broken)) {
		if (field.wire != OTLP_BYTES)
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
		return "name of more than 127 bytes";
	return memchr(text.at, '\0', text.size) != NULL
		       ? "name with a zero byte"
		       : NULL;
}
