/* SPDX-License-Identifier: MIT */
#include "kit/series/rrd_files.h"

#include <string.h>

#include <collector/kit/alloc.h>

bool mc_rrd_may_have(const struct mc_rrd_owner *owner, const struct mc_pnp_row *row,
		     const char *series)
{
	return owner->series != NULL ? strcmp(owner->series, series) == 0 : row == NULL;
}

bool mc_rrd_claim(struct mc_rrd_owner *owner, const struct mc_pnp_row *row, const char *series)
{
	if (!mc_rrd_may_have(owner, row, series))
		return false;
	if (owner->series == NULL)
		owner->series = mc_alloc_copy(series);
	return true;
}
