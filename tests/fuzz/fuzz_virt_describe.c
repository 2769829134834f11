/* SPDX-License-Identifier: MIT */
/* Any text as the XML of a guest: its devices and its limits. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "describe.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_limits(struct limits *limits)
{
	struct limits copy;

	assert(limits->cpus >= 0 && limits->disks_len <= LIMITS_DISKS_MAX);
	guest_limits_keep(&copy, limits);
	guest_limits_done(limits);
	for (size_t i = 0; i < copy.disks_len; i++) {
		assert(strlen(copy.disks[i].name) < LIMITS_NAME_SIZE);
		assert(strlen(copy.disks[i].path) < LIMITS_PATH_SIZE);
	}
	guest_limits_done(&copy);
}

static void check(const char *xml)
{
	struct describe describe, copy;
	struct limits limits;

	if (!describe_parse(&describe, &limits, xml))
		return;
	assert(describe.disks_len <= DESCRIBE_DISKS_MAX && describe.nics_len <= DESCRIBE_NICS_MAX);
	describe_keep(&copy, &describe);
	describe_done(&describe);
	describe_done(&copy);
	check_limits(&limits);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *xml = malloc(size + 1);

	if (xml == NULL)
		abort();
	memcpy(xml, data, size);
	xml[size] = '\0';
	check(xml);
	free(xml);
	return 0;
}
