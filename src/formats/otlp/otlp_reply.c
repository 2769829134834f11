/* SPDX-License-Identifier: MIT */
/* Answers of a receiver of OTLP: ExportMetricsServiceResponse, which for logs has the same form,
 * and google.rpc.Status for a refusal. */
#include <stdio.h>

#include "formats/crc32c.h"
#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"

enum {
	REPLY_PARTIAL = 1,
	PARTIAL_REJECTED = 1,
	PARTIAL_MESSAGE = 2,
	STATUS_MESSAGE = 2,
};

/* Moves what was written to the end of the buffer to its begin. */
static size_t finish(unsigned char *out, const unsigned char *at)
{
	size_t size = out + MC_OTLP_REPLY_SIZE - at;

	memmove(out, at, size);
	return size;
}

static unsigned char *put_why(unsigned char *at, unsigned field, const char *why)
{
	return protobuf_put_text(at, field, why, strnlen(why, MC_OTLP_WHY_SIZE - 1));
}

size_t mc_otlp_reply(unsigned char out[MC_OTLP_REPLY_SIZE], uint64_t rejected, const char *why)
{
	unsigned char *end = out + MC_OTLP_REPLY_SIZE, *at = end;

	if (rejected == 0)
		return 0;
	at = put_why(at, PARTIAL_MESSAGE, why);
	at = protobuf_put_number(at, PARTIAL_REJECTED, rejected);
	return finish(out, protobuf_put_head(at, REPLY_PARTIAL, end));
}

size_t mc_otlp_error(unsigned char out[MC_OTLP_REPLY_SIZE], const char *why)
{
	return finish(out, put_why(out + MC_OTLP_REPLY_SIZE, STATUS_MESSAGE, why));
}

static void copy_why(char why[MC_OTLP_WHY_SIZE], struct mc_otlp_text text)
{
	snprintf(why, MC_OTLP_WHY_SIZE, "%.*s",
		 (int)(text.size < MC_OTLP_WHY_SIZE ? text.size : MC_OTLP_WHY_SIZE - 1), text.at);
	for (; *why != '\0'; why++) /* It goes into a log. */
		if ((unsigned char)*why < ' ' || (unsigned char)*why >= 0x7f)
			*why = '?';
}

static void read_partial(struct mc_otlp_span span, uint64_t *rejected, char why[MC_OTLP_WHY_SIZE],
			 bool *broken)
{
	struct protobuf_field field = { 0 };

	while (protobuf_take(&span, &field, broken)) {
		if (field.number == PARTIAL_REJECTED && field.wire == PROTOBUF_VARINT)
			*rejected = field.value;
		else if (field.number == PARTIAL_MESSAGE && field.wire == PROTOBUF_BYTES)
			copy_why(why, otlp_text(field.span));
	}
}

bool mc_otlp_reply_read(const void *bytes, size_t size, bool taken, uint64_t *rejected,
			char why[MC_OTLP_WHY_SIZE])
{
	struct mc_otlp_span span = { bytes, (const unsigned char *)bytes + size };
	struct protobuf_field field = { 0 };
	bool broken = false;

	*rejected = 0;
	*why = '\0';
	while (protobuf_take(&span, &field, &broken)) {
		if (field.wire != PROTOBUF_BYTES)
			continue;
		if (taken && field.number == REPLY_PARTIAL)
			read_partial(field.span, rejected, why, &broken);
		else if (!taken && field.number == STATUS_MESSAGE)
			copy_why(why, otlp_text(field.span));
	}
	return !broken;
}

uint32_t mc_otlp_crc(const void *bytes, size_t size)
{
	return crc32c(0, bytes, size);
}
