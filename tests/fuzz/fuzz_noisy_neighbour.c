/* SPDX-License-Identifier: MIT */
/* Any bytes as what the kernel says of a thread, a CPU or a group, of a network device or of
 * memory, or as a command line and name of a thread of QEMU, or as a label.  The first byte says
 * which; what was not understood leaves the output alone. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/base/qemu.h"
#include "parse.h"
#include "places.h"
#include "text.h"

#define NAME_SIZE 16
#define WORDS 2

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void thread_of(const char *text)
{
	struct parse_schedstat schedstat = { .slices = 1 };
	uint64_t words[WORDS] = { 1, 2 }, read = 1, written = 1;
	unsigned cpu = UINT16_MAX + 1;
	int status = -1;

	assert(parse_schedstat(text, &schedstat) || schedstat.slices == 1);
	assert(parse_io(text, &read, &written) || (read == 1 && written == 1));
	assert(parse_last_cpu(text, &cpu) == (cpu <= UINT16_MAX));
	assert(parse_exit_code(text, &status) == (status >= 0));
	assert(parse_allowed(text, words, WORDS) || (words[0] == 1 && words[1] == 2));
}

static void cpu_of(const char *text)
{
	struct parse_cpu cpu = { .number = UINT16_MAX + 1 };

	assert(parse_cpu(text, &cpu) == (cpu.number <= UINT16_MAX));
}

static void group_of(const char *text)
{
	for (unsigned version = 1; version <= 2; version++) {
		uint64_t usage = 1;
		char path[NAME_SIZE] = "?";

		assert(parse_usage(text, version, &usage) || usage == 1);
		assert(parse_group(text, version, path, sizeof(path)) || strcmp(path, "?") == 0);
		assert(strlen(path) < sizeof(path) && strchr(path, '\n') == NULL);
	}
}

static void command_of(const char *text, size_t size)
{
	char name[NAME_SIZE];

	mc_qemu_runs(text, size);
	if (mc_qemu_name(text, size, name, sizeof(name)))
		assert(name[0] != '\0' && strlen(name) < sizeof(name));
	mc_qemu_is_incoming(text, size);
	if (mc_qemu_has_uuid(text, size, "ab"))
		assert(memmem(text, size, "-uuid\0ab", 9) != NULL);
}

static void device_of(const char *text)
{
	char tap[NAME_SIZE] = "?", macvtap[NAME_SIZE] = "?";
	uint64_t count = 1;

	assert(parse_iff(text, tap, sizeof(tap)) || strcmp(tap, "?") == 0);
	assert(parse_net_path(text, macvtap, sizeof(macvtap)) || strcmp(macvtap, "?") == 0);
	assert(strlen(tap) < sizeof(tap) && strchr(tap, '/') == NULL);
	assert(strlen(macvtap) < sizeof(macvtap) && strchr(macvtap, '/') == NULL);
	assert(parse_count(text, &count) || count == 1);
}

static void memory_of(const char *text)
{
	uint64_t stalled = 1, bytes = 1;

	assert(parse_pressure(text, &stalled) || stalled == 1);
	assert(parse_group_memory(text, &bytes) || bytes == 1);
	bytes = 1;
	assert(parse_swapped(text, &bytes) || bytes == 1);
}

static void name_of(const char *text)
{
	unsigned number = UINT16_MAX + 1;

	assert(mc_qemu_vcpu(text, &number) == (number <= UINT16_MAX));
}

/* A label, and after a line break the name of a disk. */
static void label_of(char *text)
{
	char *line = strchr(text, '\n'), storage[MC_STORAGE_SIZE] = "";

	if (line != NULL)
		*line++ = '\0';
	if (places_find(text, line != NULL ? line : "vda", storage)) {
		assert(storage[0] != '\0' && strlen(storage) < sizeof(storage));
		assert(strstr(text, storage) != NULL && strchr(storage, ';') == NULL);
	} else {
		assert(storage[0] == '\0');
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size < 1)
		return 0;
	text = fuzz_text(data, size);
	switch (data[0] % 6) {
	case 0:
		thread_of(text);
		break;
	case 1:
		cpu_of(text);
		break;
	case 2:
		group_of(text);
		break;
	case 3:
		command_of(text, size - 1);
		break;
	case 4:
		name_of(text);
		device_of(text);
		memory_of(text);
		break;
	case 5:
		label_of(text);
		break;
	}
	free(text);
	return 0;
}
