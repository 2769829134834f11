/* SPDX-License-Identifier: MIT */
/* The state that a check of Nagios or Icinga has come to: a bad one stands among the alerts. */
#pragma once

#include <collector/plugin.h>

#define MC_CHECK_STATE_TEXT_SIZE 320

struct mc_check_state {
	const char *host, *plugin;
	const char *service; /* The plugin instance of its series; may be "". */
	const char *state;   /* "OK", "WARNING", "CRITICAL", "UNKNOWN", "UP", "DOWN", ... */
	bool of_host;        /* It is that of the host itself. */
	mc_time since;
};

/* UNKNOWN, DOWN and UNREACHABLE are failures, as CRITICAL is. */
enum mc_severity mc_check_state_severity(const char *state);

/* "disk of web is CRITICAL", "web is DOWN"; returns 'out'. */
const char *mc_check_state_text(const struct mc_check_state *, char out[MC_CHECK_STATE_TEXT_SIZE]);

/* Has it stand as HOST/PLUGIN-SERVICE/gauge-state, or ends that.  A service that is checked no more
 * stands for a day.  Nothing is notified of.  Thread: any. */
void mc_check_state_stand(struct mc_ctx *, const struct mc_check_state *);
