/* SPDX-License-Identifier: MIT */
#include "engine/otlp/otlp_interval.h"

#include "formats/otlp/otlp_attribute.h"
#include "formats/otlp/otlp_message.h"
#include "formats/protobuf.h"

static const struct otlp_key key_interval = OTLP_KEY("\x12", OTLP_KEY_INTERVAL);

unsigned char *otlp_interval_put(unsigned char *at, struct otlp_interval *last, mc_time interval)
{
	unsigned char *end = last->bytes + OTLP_INTERVAL_SIZE, *begin = end;

	if (last->size == 0 || interval != last->interval) {
		begin = protobuf_put_number(begin, OTLP_ANY_INT, (uint64_t)interval);
		begin = protobuf_put_head(begin, OTLP_PAIR_VALUE, end);
		begin = protobuf_put_raw(begin, key_interval.bytes, key_interval.size);
		begin = protobuf_put_head(begin, OTLP_METRIC_METADATA, end);
		last->interval = interval;
		last->size = (size_t)(end - begin);
	}
	return protobuf_put_raw(at, end - last->size, last->size);
}
