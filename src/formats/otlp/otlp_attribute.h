/* SPDX-License-Identifier: MIT */
/* Attributes with a text, as they are written: a pair of key and value. */
#pragma once

#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"

struct otlp_key { /* The field "key" of an attribute. */
	const char *bytes;
	size_t size;
};

/* 'size_escape' is the size of 'text' as a string of one byte: "\x04". */
#define OTLP_KEY(size_escape, text)                                                                \
	{                                                                                          \
		"\x0a" size_escape text, 2 + sizeof(text) - 1                                      \
	}

#define OTLP_FIELD_HEADS 16     /* Bytes of an attribute's heads, at most. */
#define OTLP_ATTRIBUTE_SHORT 96 /* Text with which every size is one byte. */

/* Writes what ends before 'at', and returns where it begins, as protobuf.h. */
unsigned char *otlp_attribute_put_long(unsigned char *at, unsigned field,
				       const struct otlp_key *key, const char *text, size_t size);

/* The same.  Nearly all that is written is this; so it is inlined for every key. */
static inline unsigned char *otlp_attribute_put(unsigned char *at, unsigned field,
						const struct otlp_key *key, const char *text,
						size_t size)
{
	unsigned char sizes[] = {
		PROTOBUF_TAG(OTLP_PAIR_VALUE, PROTOBUF_BYTES),
		(unsigned char)(size + 2),
		PROTOBUF_TAG(OTLP_ANY_STRING, PROTOBUF_BYTES),
		(unsigned char)size,
	};

	if (size > OTLP_ATTRIBUTE_SHORT)
		return otlp_attribute_put_long(at, field, key, text, size);
	at = protobuf_put_raw(at, text, size);
	at = protobuf_put_raw(at, sizes, sizeof(sizes));
	at = protobuf_put_raw(at, key->bytes, key->size);
	*--at = (unsigned char)(key->size + sizeof(sizes) + size);
	*--at = (unsigned char)PROTOBUF_TAG(field, PROTOBUF_BYTES);
	return at;
}
