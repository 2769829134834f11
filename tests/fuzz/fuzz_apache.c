/* SPDX-License-Identifier: MIT */
/* Any text as a page of mod_status. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "status.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1);
	struct status status;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	if (status_read(text, &status)) {
		assert(!status.requests.known || status.requests.value <= INT64_MAX);
		assert(!status.bytes.known ||
		       (status.bytes.value <= INT64_MAX && status.bytes.value % 1024 == 0));
		assert(status.slots[0] == 0 && status.slots[10] == 0);
	}
	free(text);
	return 0;
}
