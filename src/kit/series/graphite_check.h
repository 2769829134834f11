/* SPDX-License-Identifier: MIT */
/* Check of the options of a path of Graphite, inline, for writers that have them. */
#pragma once

#include <ctype.h>
#include <string.h>

#include <collector/check.h>

#include "formats/graphite/graphite_path.h"

/* Reports an error if 'path->escape' is no character of a path.  Thread: check()'s. */
static inline void mc_graphite_check(struct mc_ctx *ctx, const struct mc_graphite_options *path)
{
	const char *escape = path->escape;

	if (*escape == '\0' || strchr(MC_GRAPHITE_FORBIDDEN ";", *escape) != NULL ||
	    iscntrl((unsigned char)*escape))
		mc_check_error(ctx, &path->escape, "is nothing that a path can have");
	else if (escape[1] != '\0')
		mc_check_warn(ctx, &path->escape, "has more than one character: the first is used");
}
