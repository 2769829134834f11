/* SPDX-License-Identifier: MIT */
/* Names of writers in records of the journal. */
#include "formats/journal/recipients.h"

#include <assert.h>

#include "formats/protobuf.h"

#define FIELD 1001
#define TAG (FIELD << 3 | PROTOBUF_BYTES)

/* The size takes two bytes always, so that all is as long as it says. */
void recipients_write(uint8_t out[RECIPIENTS_HEAD_SIZE], size_t size)
{
	assert(size <= RECIPIENTS_MAX);
	out[0] = (uint8_t)(TAG | 0x80);
	out[1] = TAG >> 7;
	out[2] = (uint8_t)(size | 0x80);
	out[3] = (uint8_t)(size >> 7);
}

const char *recipients_read(const void *request, size_t request_size, size_t *size)
{
	struct mc_otlp_span span = { request, (const unsigned char *)request + request_size };
	struct protobuf_field field = { 0 };
	bool broken = false;

	if (!protobuf_take(&span, &field, &broken) || field.number != FIELD ||
	    field.wire != PROTOBUF_BYTES)
		return NULL;
	*size = (size_t)(field.span.end - field.span.at);
	return (const char *)field.span.at;
}
