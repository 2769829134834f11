/* SPDX-License-Identifier: MIT */
#include "kit/series/rrd_files.h"

#include <errno.h>
#include <stdio.h>
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

int mc_rrd_unremoved(const char *path, int rc, char *why)
{
	switch (rc) {
	case -ENOTSUP:
		snprintf(why, MC_HISTORY_WHY, "'%.200s' has other series, too", path);
		break;
	case -EBUSY:
		snprintf(why, MC_HISTORY_WHY, "updates of '%.200s' wait for the disk", path);
		break;
	default:
		snprintf(why, MC_HISTORY_WHY, "cannot remove '%.150s': %s", path,
			 rc == -EINVAL ? "it is no file" : strerror(-rc));
		break;
	}
	return rc;
}
