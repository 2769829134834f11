/* SPDX-License-Identifier: MIT */
/* Metadata of what "config" says.  A pure function. */
#pragma once

#include <collector/metadata.h>

#include "formats/munin/munin_lines.h"

/* The metadata of a field and of its graph, '*size' bytes; freed by free(). */
struct mc_metadata *munin_metadata_new(const struct munin_line *graph,
				       const struct munin_line *field, size_t *size);
