/* SPDX-License-Identifier: MIT */
/* Any bytes as a file of a control group, or as its name.  The first byte says
 * which; what was not understood leaves the output alone. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "guest.h"
#include "parse.h"
#include "text.h"

#define NAME_SIZE 16

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void cpu_of(const char *text)
{
	struct parse_cpu cpu = { .user = 1, .throttled = 2 };
	struct parse_cpuacct acct = { .user = 1 };

	if (!parse_cpu(text, &cpu))
		assert(cpu.user == 1 && cpu.throttled == 2);
	else
		assert(cpu.is_limited || cpu.throttled == 0);
	assert(parse_cpuacct(text, &acct) || acct.user == 1);
}

static void memory_of(const char *text)
{
	struct parse_events events = { .oom = 1 };
	uint64_t number = 1;
	bool is_limit = false;

	assert(parse_events(text, &events) || events.oom == 1);
	if (!parse_limit(text, &number, &is_limit) || !is_limit)
		assert(number == 1);
	else
		assert(number <= INT64_MAX);
}

static void device_of(const char *text)
{
	struct parse_device device = { .major = 1 };
	bool has_numbers = true;

	if (!parse_device(text, &device, &has_numbers))
		assert(device.major == 1 && has_numbers);
	else if (!has_numbers)
		assert(device.read == 0 && device.writes == 0);
}

static void mount_of(const char *text)
{
	char path[NAME_SIZE] = "?";
	unsigned version = 0;

	if (parse_mounts(text, path, sizeof(path), &version))
		assert((version == 1 || version == 2) && path[0] != '\0' &&
		       strpbrk(path, " \t\n") == NULL);
	else
		assert(version == 0 && strcmp(path, "?") == 0);
}

static void guest_of(const char *text)
{
	char name[NAME_SIZE];

	if (guest_of_group(text, name, sizeof(name)))
		assert(name[0] != '\0' && strlen(name) < sizeof(name) && strchr(name, '/') == NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text;

	if (size < 1)
		return 0;
	text = fuzz_text(data, size);
	switch (data[0] % 5) {
	case 0:
		cpu_of(text);
		break;
	case 1:
		memory_of(text);
		break;
	case 2:
		device_of(text);
		break;
	case 3:
		mount_of(text);
		break;
	case 4:
		guest_of(text);
		break;
	}
	free(text);
	return 0;
}
