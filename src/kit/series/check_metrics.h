/* SPDX-License-Identifier: MIT */
/* States of checks that come as values: Icinga's writers for Graphite and InfluxDB send "state" and
 * then "state_type" of each check, where they send metadata.  A bad state stands among the alerts
 * when it is hard, that is, when the check has been tried again.
 *
 * The caller locks, where several threads use one. */
#pragma once

#include <collector/kit/map.h>
#include <collector/plugin.h>

#include "formats/names/name_template.h"

#define MC_CHECK_METRICS_MAX 10000 /* Bad ones; then that which came longest ago is forgotten. */

struct mc_check_metrics { /* All zero: none. */
	struct mc_lru checks;
};

struct mc_check_metric {
	const struct mc_series *series; /* Its own; the state stands beside it. */
	enum mc_name_check check;
	mc_time time;
	double value; /* 0 OK, 1 WARNING, 2 CRITICAL, 3 UNKNOWN; of a host 1 is DOWN. */
	bool first;   /* Of its series, as far as the caller knows. */
};

void mc_check_metrics_take(struct mc_check_metrics *, struct mc_ctx *,
			   const struct mc_check_metric *);
void mc_check_metrics_done(struct mc_check_metrics *);
