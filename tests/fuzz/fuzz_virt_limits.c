/* SPDX-License-Identifier: MIT */
/* Any text as the XML of a guest: its devices and its limits. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"
#include "guest_limits.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_limits(const char *xml)
{
	struct limits limits, copy;

	if (!guest_limits_parse(&limits, xml))
		return;
	assert(limits.cpus >= 0 && limits.disks_len <= LIMITS_DISKS_MAX);
	guest_limits_keep(&copy, &limits);
	guest_limits_done(&limits);
	for (size_t i = 0; i < copy.disks_len; i++) {
		assert(strlen(copy.disks[i].name) < LIMITS_NAME_SIZE);
		assert(strlen(copy.disks[i].path) < LIMITS_PATH_SIZE);
	}
	guest_limits_done(&copy);
}

static void check_description(const char *xml)
{
	struct describe describe, copy;

	if (!describe_parse(&describe, xml))
		return;
	assert(describe.disks_len <= DESCRIBE_DISKS_MAX && describe.nics_len <= DESCRIBE_NICS_MAX);
	describe_keep(&copy, &describe);
	describe_done(&describe);
	describe_done(&copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *xml = malloc(size + 1);

	if (xml == NULL)
		abort();
	memcpy(xml, data, size);
	xml[size] = '\0';
	check_limits(xml);
	check_description(xml);
	free(xml);
	return 0;
}
