/* SPDX-License-Identifier: MIT */
/* Any bytes as lines of /proc/self/mountstats. */
#include <assert.h>
#include <string.h>

#include "lines.h"
#include "mountstats.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct mountstats stats;
	struct lines lines;

	memset(&stats, 0, sizeof(stats));
	lines_open(&lines, data, size);
	while (*lines.next != '\0') {
		const char *line = lines_take(&lines);
		size_t before = stats.operations_len;
		bool fine = mountstats_take(&stats, line);

		assert(strnlen(stats.point, sizeof(stats.point)) < sizeof(stats.point));
		assert(stats.point[0] == '\0' || stats.point[0] == '/');
		assert(stats.operations_len <= MOUNTSTATS_OPERATIONS_MAX);
		assert(fine || mountstats_begins(line) || stats.operations_len == before);
		for (size_t i = before; i < stats.operations_len; i++)
			for (size_t j = 0; j < MOUNTSTATS_COUNTS; j++)
				assert(stats.operations[i].counts[j] <= INT64_MAX);
	}
	lines_close(&lines);
	return 0;
}
