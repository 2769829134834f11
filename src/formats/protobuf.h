/* SPDX-License-Identifier: MIT */
/* The encoding of protobuf 3, as far as OTLP needs it.
 *
 * Writing goes backwards, from the end of a buffer to its begin: the size of a
 * message is known when it is to be written, so nothing is moved and no size is
 * counted beforehand.  The caller has made sure that there is room.
 *
 * Reading is by field: one is shown only when all its bytes are there, and each
 * call takes one byte at least.  Groups, which protobuf 3 has not, are faults.
 * Facts: protobuf.dev, "Encoding".  Pure functions. */
#pragma once

#include <endian.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "formats/otlp/otlp.h"

/* How the content of a field is written. */
enum protobuf_wire {
	PROTOBUF_VARINT,
	PROTOBUF_64BIT,
	PROTOBUF_BYTES,
	PROTOBUF_32BIT = 5,
};

#define PROTOBUF_TAG(field, wire) ((field) << 3 | (wire))
#define PROTOBUF_FIELD_MAX ((1 << 29) - 1)

/* All protobuf_put_ functions write what ends before 'at', and return where it begins. */
static inline unsigned char *protobuf_put_varint(unsigned char *at, uint64_t number)
{
	unsigned size = 1;

	if (number < 0x80) {
		*--at = (unsigned char)number;
		return at;
	}
	if (number < 0x4000) {
		*--at = (unsigned char)(number >> 7);
		*--at = (unsigned char)(number | 0x80);
		return at;
	}
	for (uint64_t rest = number; rest >= 0x80; rest >>= 7)
		size++;
	at -= size;
	for (unsigned i = 0; i + 1 < size; i++, number >>= 7)
		at[i] = (unsigned char)(number | 0x80);
	at[size - 1] = (unsigned char)number;
	return at;
}

static inline unsigned char *protobuf_put_raw(unsigned char *at, const void *bytes, size_t size)
{
	at -= size;
	memcpy(at, bytes, size);
	return at;
}

static inline unsigned char *protobuf_put_fixed64(unsigned char *at, unsigned field,
						  uint64_t number)
{
	number = htole64(number);
	at = protobuf_put_raw(at, &number, sizeof(number));
	*--at = PROTOBUF_TAG(field, PROTOBUF_64BIT);
	return at;
}

static inline unsigned char *protobuf_put_number(unsigned char *at, unsigned field, uint64_t number)
{
	at = protobuf_put_varint(at, number);
	*--at = PROTOBUF_TAG(field, PROTOBUF_VARINT);
	return at;
}

/* The head of a message, or of text, whose bytes are from 'at' to 'end'. */
static inline unsigned char *protobuf_put_head(unsigned char *at, unsigned field,
					       const unsigned char *end)
{
	at = protobuf_put_varint(at, end - at);
	*--at = PROTOBUF_TAG(field, PROTOBUF_BYTES);
	return at;
}

static inline unsigned char *protobuf_put_text(unsigned char *at, unsigned field, const char *text,
					       size_t size)
{
	return protobuf_put_head(protobuf_put_raw(at, text, size), field, at);
}

struct protobuf_field {
	uint32_t number;
	enum protobuf_wire wire;
	uint64_t value;           /* 0 of PROTOBUF_BYTES. */
	struct mc_otlp_span span; /* PROTOBUF_BYTES. */
};

static inline bool protobuf_take_varint(struct mc_otlp_span *span, uint64_t *number)
{
	uint64_t n = 0;

	if (span->at < span->end && *span->at < 0x80) { /* Most are short. */
		*number = *span->at++;
		return true;
	}
	for (unsigned shift = 0; shift < 64 && span->at < span->end; shift += 7) {
		unsigned char byte = *span->at++;

		n |= (uint64_t)(byte & 0x7f) << shift;
		if (byte < 0x80) {
			*number = n;
			return true;
		}
	}
	return false;
}

static inline bool protobuf_take_fixed64(struct mc_otlp_span *span, uint64_t *number)
{
	if (span->end - span->at < 8)
		return false;
	memcpy(number, span->at, 8);
	*number = le64toh(*number);
	span->at += 8;
	return true;
}

static inline bool protobuf_take_fixed32(struct mc_otlp_span *span, uint64_t *number)
{
	uint32_t half;

	if (span->end - span->at < 4)
		return false;
	memcpy(&half, span->at, 4);
	*number = le32toh(half);
	span->at += 4;
	return true;
}

static inline bool protobuf_take_span(struct mc_otlp_span *span, struct mc_otlp_span *taken)
{
	uint64_t size;

	if (!protobuf_take_varint(span, &size) || size > (size_t)(span->end - span->at))
		return false;
	taken->at = span->at;
	taken->end = span->at += size;
	return true;
}

/* For protobuf_take(): any field. */
bool protobuf_take_any(struct mc_otlp_span *span, struct protobuf_field *field, bool *broken);

/* Takes the next field; false at the end, and then *broken is whether it was invalid.  Nearly all
 * fields have a number below 16, and either less than 128 bytes or 64 bits: these are taken
 * here. */
static inline bool protobuf_take(struct mc_otlp_span *span, struct protobuf_field *field,
				 bool *broken)
{
	const unsigned char *at = span->at;
	size_t size = (size_t)(span->end - at);

	if (size < 2 || at[0] < 8 || at[0] >= 0x80)
		return protobuf_take_any(span, field, broken);
	if ((at[0] & 7) == PROTOBUF_BYTES && at[1] < 0x80 && at[1] <= size - 2) {
		field->span.at = at + 2;
		field->span.end = span->at = at + 2 + at[1];
		field->value = 0;
	} else if ((at[0] & 7) == PROTOBUF_64BIT && size >= 9) {
		memcpy(&field->value, at + 1, sizeof(field->value));
		field->value = le64toh(field->value);
		span->at = at + 9;
	} else {
		return protobuf_take_any(span, field, broken);
	}
	field->number = at[0] >> 3;
	field->wire = (enum protobuf_wire)(at[0] & 7);
	return true;
}
