/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of /proc/PID/, or an answer of the kernel's about delays,
 * sequence 0.  The first byte says which; a name lies in
 * the text, and what was not understood leaves the output alone. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "parse.h"
#include "taskstats.h"
#include "text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void stat_of(const char *text, size_t size)
{
	struct mc_process_stat stat = { .state = 1 };

	if (!mc_process_stat(text, &stat)) {
		assert(stat.state == 1 && stat.name.text == NULL);
		return;
	}
	assert(stat.state != '\0' && stat.name.text > text);
	assert(stat.name.text + stat.name.size < text + size);
	assert(stat.name.text[-1] == '(');
	assert(stat.name.text[stat.name.size] == ')');
	assert(stat.vm != UINT64_MAX && stat.start != UINT64_MAX);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct parse_status status = { .data = 1 };
	struct parse_switches switches = { .voluntary = 1 };
	struct parse_io io = { .reads = 1 };
	struct taskstats_delays delays = { .cpu = 9 };
	struct mc_word path = { NULL, 0 };
	uint64_t pages = 9;
	uint16_t family = 9;
	char *text;

	if (size < 1)
		return 0;
	text = fuzz_text(data, size);
	switch (data[0] % 8) {
	case 0:
		stat_of(text, size);
		break;
	case 1:
		assert(parse_status(text, &status) || status.data == 1);
		break;
	case 2:
		assert(parse_switches(text, &switches) || switches.voluntary == 1);
		break;
	case 3:
		assert(parse_io(text, &io) || io.reads == 1);
		break;
	case 4:
		assert(taskstats_family(text, size - 1, 0, &family) == 0 || family == 9);
		break;
	case 5:
		assert(taskstats_delays(text, size - 1, 0, &delays) == 0 || delays.cpu == 9);
		break;
	case 6:
		assert(parse_resident(text, &pages) || pages == 9);
		break;
	case 7:
		if (!parse_cgroup(text, &path))
			assert(path.text == NULL);
		else
			assert(path.size > 0 && path.text >= text &&
			       path.text + path.size < text + size && *path.text == '/');
		break;
	}
	free(text);
	return 0;
}
