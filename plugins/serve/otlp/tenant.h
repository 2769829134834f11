/* SPDX-License-Identifier: MIT */
/* Tenants: clients that share their limits, and whose hosts have a label that says so. */
#pragma once

#include <collector/plugin.h>
#include <collector/quota.h>

struct tenant_options {                /* A block. */
	const char *name;              /* Its value of the label. */
	struct mc_strings clients;     /* Globs of their names. */
	struct mc_quota_limits limits; /* Of all of them together, as the next. */
	int64_t values_max;            /* In a second; 0: no limit. */
};

extern const struct mc_block tenant_block;

/* The first tenant that a client is of; NULL: none. */
const struct tenant_options *tenant_find(const struct mc_blocks *, const char *client);
