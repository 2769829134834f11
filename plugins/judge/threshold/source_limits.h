/* SPDX-License-Identifier: MIT */
/* Rules from limits that come with a series, in its metadata (<collector/metadata.h>): from a node
 * of Munin, a check of Nagios. */
#pragma once

#include "verdict.h"

/* The rules of a series for which the config has 'config' (NULL: none): those of the config that
 * have bounds, and further ones for the warning and the failure bounds that it leaves open, with
 * the other options of its rules without bounds, or of all without such rules.  NULL: metadata
 * have nothing to add, and 'config' holds.  The caller frees it, with free(), before the series
 * and 'config' go. */
struct rules *source_limits_new(const struct rules *config, const struct mc_series *series);

/* Whether two of the same series are equal; each may be NULL. */
bool source_limits_equal(const struct rules *, const struct rules *);
