/* SPDX-License-Identifier: MIT */
#include "formats/otlp/otlp_attribute.h"

unsigned char *otlp_attribute_put_long(unsigned char *at, unsigned field,
				       const struct otlp_key *key, const char *text, size_t size)
{
	unsigned char *end = at;

	at = protobuf_put_text(at, OTLP_ANY_STRING, text, size);
	at = protobuf_put_head(at, OTLP_PAIR_VALUE, end);
	at = protobuf_put_raw(at, key->bytes, key->size);
	return protobuf_put_head(at, field, end);
}
