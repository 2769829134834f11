/* SPDX-License-Identifier: MIT */
/* A time and a duration as a person writes them, each a line, then an answer to HISTORY. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "ctl/answer/curves.h"
#include "ctl/answer/peer.h"
#include "ctl/answer/when.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#define LINES_MAX 64

static void use(struct curves *curves)
{
	struct curves_range known = curves_known(curves);

	assert(known.begin <= known.end && known.end <= curves->len);
	for (unsigned i = 0; i < curves->sources_len; i++) {
		struct curves_summary summary = curves_summary(curves, &curves->sources[i]);

		assert(isnan(summary.minimum) == isnan(summary.last));
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size + 1), *rest = text, *lines[LINES_MAX], *line;
	struct answer answer = { .lines = lines };
	struct curves curves = { 0 };
	mc_time time;

	memcpy(text, data, size);
	text[size] = '\0';
	line = strsep(&rest, "\n");
	if (when_time(line, 1800000000 * MC_SECOND, &time))
		assert(time >= 0);
	line = strsep(&rest, "\n");
	if (line != NULL && when_duration(line, &time))
		assert(time > 0);
	while (answer.len < LINES_MAX && (line = strsep(&rest, "\n")) != NULL)
		lines[answer.len++] = line;
	if (curves_add(&curves, &answer) == 0)
		use(&curves);
	curves_done(&curves);
	free(text);
	return 0;
}
