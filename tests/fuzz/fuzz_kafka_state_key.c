/* SPDX-License-Identifier: MIT */
/* Any bytes as the key of a state: one of ours is what would have been written. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "state_key.h"

#define GROUP "judges"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char written[STATE_KEY_SIZE];
	struct state_key key;

	if (state_key_read(data, size, GROUP, &key) != STATE_KEY_OURS)
		return 0;
	assert(*key.judge != '\0' && strchr(key.series, '/') != NULL);
	assert(state_key_write(written, GROUP, key.judge, key.series) == size);
	assert(memcmp(written, data, size) == 0);
	return 0;
}
