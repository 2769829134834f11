/* SPDX-License-Identifier: MIT */
/* Any text as the answer of hddtemp's daemon. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *at = text, *before;
	struct answer_disk disk;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	for (before = at; answer_next(&at, &disk); before = at) {
		assert(at > before && at <= text + size);
		assert(strpbrk(disk.name, "|/") == NULL);
		assert(isnan(disk.celsius) || isfinite(disk.celsius));
	}
	assert(at == before);
	free(text);
	return 0;
}
