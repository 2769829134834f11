/* SPDX-License-Identifier: MIT */
/* Any bytes as a packet with a message of DNS. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "message.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t *packet = malloc(size + 1); /* Of its own, so that no byte beyond it is read. */
	struct message message;

	if (packet == NULL)
		abort();
	if (size > 0)
		memcpy(packet, data, size);
	packet = realloc(packet, size > 0 ? size : 1);
	if (message_read(packet, size, &message)) {
		assert(message.size >= 12 + 5 && message.size <= size - 28);
		assert(message.opcode < 16 && message.rcode < 16);
	}
	free(packet);
	return 0;
}
