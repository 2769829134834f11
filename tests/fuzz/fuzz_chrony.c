/* SPDX-License-Identifier: MIT */
/* Any bytes as a reply of chronyd to each of the questions. */
#include <assert.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "packet.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint32_t number_of(const uint8_t *bytes)
{
	return (uint32_t)bytes[0] << 24 | (uint32_t)bytes[1] << 16 | (uint32_t)bytes[2] << 8 |
	       bytes[3];
}

static void look_at(enum packet_topic topic, const struct packet_reply *reply)
{
	switch (topic) {
	case PACKET_COUNT:
		break;
	case PACKET_SOURCE:
		assert(memchr(reply->source.address, '\0', sizeof(reply->source.address)) != NULL);
		assert(reply->source.address[0] != '\0');
		assert(isfinite(reply->source.offset));
		break;
	case PACKET_TRACKING:
		assert(isfinite(reply->tracking.reference_time));
		assert(isfinite(reply->tracking.update_interval));
		break;
	case PACKET_STATISTICS:
		assert(isfinite(reply->statistics.frequency_error));
		assert(fabs(reply->statistics.skew) < 0x1p64);
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const enum packet_topic topics[] = { PACKET_COUNT, PACKET_SOURCE, PACKET_TRACKING,
						    PACKET_STATISTICS };
	uint8_t *bytes = malloc(size > 0 ? size : 1); /* So that no byte beyond it is read. */

	if (bytes == NULL)
		abort();
	if (size > 0)
		memcpy(bytes, data, size);
	for (size_t i = 0; i < sizeof(topics) / sizeof(topics[0]); i++) {
		const struct packet_question question = {
			.topic = topics[i],
			.number = size >= 20 ? number_of(bytes + 16) : 0,
		};
		struct packet_reply reply;

		if (packet_read(&question, bytes, size, &reply) == PACKET_REPLY)
			look_at(topics[i], &reply);
	}
	free(bytes);
	return 0;
}
