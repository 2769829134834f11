/* SPDX-License-Identifier: MIT */
#include "formats/protobuf.h"

bool protobuf_take_any(struct mc_otlp_span *span, struct protobuf_field *field, bool *broken)
{
	uint64_t tag;
	bool got = false;

	if (span->at == span->end)
		return false;
	if (protobuf_take_varint(span, &tag) && tag >> 3 > 0 && tag >> 3 <= PROTOBUF_FIELD_MAX) {
		field->number = (uint32_t)(tag >> 3);
		field->wire = (enum protobuf_wire)(tag & 7);
		field->value = 0;
		if (field->wire == PROTOBUF_BYTES)
			got = protobuf_take_span(span, &field->span);
		else if (field->wire == PROTOBUF_64BIT)
			got = protobuf_take_fixed64(span, &field->value);
		else if (field->wire == PROTOBUF_VARINT)
			got = protobuf_take_varint(span, &field->value);
		else if (field->wire == PROTOBUF_32BIT)
			got = protobuf_take_fixed32(span, &field->value);
	}
	if (!got)
		*broken = true;
	return got;
}
