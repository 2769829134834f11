/* SPDX-License-Identifier: MIT */
/* Any bytes as an answer of mcelog. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct answer_errors *errors)
{
	assert(errors->total >= -1 && errors->recent >= -1);
	assert(memchr(errors->period, '\0', sizeof(errors->period)) != NULL);
	assert(errors->recent == -1 || errors->period[0] != '\0');
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct answer_module module;
	struct lines lines;

	lines_open(&lines, data, size);
	answer_begin(&module);
	while (*lines.next != '\0') {
		enum answer_line what = answer_read(&module, lines_take(&lines));

		assert(memchr(module.name, '\0', sizeof(module.name)) != NULL);
		assert(strchr(module.name, ' ') == NULL);
		look_at(&module.corrected);
		look_at(&module.uncorrected);
		assert(what != ANSWER_MODULE || module.name[0] != '\0');
		if (what != ANSWER_PART)
			answer_begin(&module);
	}
	lines_close(&lines);
	return 0;
}
