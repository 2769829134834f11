/* SPDX-License-Identifier: MIT */
#include "formats/otlp/otlp_notices.h"

#include <string.h>

#include "formats/protobuf.h"

#define FIELD 1002

size_t otlp_notices_head(unsigned char out[OTLP_NOTICES_HEAD_MAX], size_t size)
{
	unsigned char *end = out + OTLP_NOTICES_HEAD_MAX;
	unsigned char *at = protobuf_put_varint(end, size);

	at = protobuf_put_varint(at, PROTOBUF_TAG(FIELD, PROTOBUF_BYTES));
	memmove(out, at, (size_t)(end - at));
	return (size_t)(end - at);
}

bool otlp_notices_next(struct mc_otlp_span *rest, struct mc_otlp_span *logs)
{
	struct protobuf_field field = { 0 };
	bool broken = false;

	while (protobuf_take(rest, &field, &broken)) {
		if (field.number != FIELD || field.wire != PROTOBUF_BYTES)
			continue;
		*logs = field.span;
		return true;
	}
	return false;
}
