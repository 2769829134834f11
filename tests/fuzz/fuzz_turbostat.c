/* SPDX-License-Identifier: MIT */
/* Any text as /proc/cpuinfo, for the registers of the processor. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1);
	struct model model;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	text[size] = '\0';
	if (model_read(text, &model)) {
		assert(model.is_intel != model.is_amd);
		assert(model.numbers[MODEL_TSC] == 0x10);
	}
	free(text);
	return 0;
}
