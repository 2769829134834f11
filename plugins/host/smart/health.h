/* SPDX-License-Identifier: MIT */
/* health: the log page "SMART / Health Information" of an NVMe drive (NVM Express base
 * specification, "Get Log Page").  Pure. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define HEALTH_SIZE 512
#define HEALTH_VALUES_MAX 32

struct health_value {
	const char *type, *instance; /* Those of collectd; 'instance' may be NULL. */
	double number;
};

struct health {
	struct health_value values[HEALTH_VALUES_MAX];
	size_t len;
};

/* Sensors that the drive does not have are left out. */
void health_parse(const uint8_t page[HEALTH_SIZE], struct health *health);
