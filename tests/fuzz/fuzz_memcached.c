/* SPDX-License-Identifier: MIT */
/* Any text as lines of memcached's answer to "stats". */
#include <assert.h>
#include <math.h>

#include "lines.h"
#include "stats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct stats_stat stat;
	struct lines lines;

	lines_open(&lines, data, size);
	while (*lines.next != '\0') {
		char *line = lines_take(&lines);

		if (stats_read(line, &stat) != STATS_VALUE)
			continue;
		assert(stat.name == line + 5 && *stat.name != '\0');
		assert(isfinite(stat.level));
	}
	lines_close(&lines);
	return 0;
}
