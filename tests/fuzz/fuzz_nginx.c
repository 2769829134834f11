/* SPDX-License-Identifier: MIT */
/* Any text as a page of stub_status. */
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
		assert(status.active <= INT64_MAX);
		assert(status.requests <= INT64_MAX);
	}
	free(text);
	return 0;
}
