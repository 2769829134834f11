/* SPDX-License-Identifier: MIT */
#include "kit/series/check_state.h"

#include <stdio.h>
#include <string.h>

#include <collector/private/alerts.h>

#define LASTING (24 * 3600 * MC_SECOND)

enum mc_severity mc_check_state_severity(const char *state)
{
	if (strcmp(state, "OK") == 0 || strcmp(state, "UP") == 0)
		return MC_OKAY;
	return strcmp(state, "WARNING") == 0 ? MC_WARNING : MC_FAILURE;
}

const char *mc_check_state_text(const struct mc_check_state *check,
				char out[MC_CHECK_STATE_TEXT_SIZE])
{
	if (check->of_host)
		snprintf(out, MC_CHECK_STATE_TEXT_SIZE, "%.120s is %s", check->host, check->state);
	else
		snprintf(out, MC_CHECK_STATE_TEXT_SIZE, "%.120s of %.120s is %s", check->service,
			 check->host, check->state);
	return out;
}

void mc_check_state_stand(struct mc_ctx *ctx, const struct mc_check_state *check)
{
	char text[MC_CHECK_STATE_TEXT_SIZE];

	mc_stand(ctx, &(struct mc_standing){
			      .id = { .host = check->host,
				      .plugin = check->plugin,
				      .plugin_instance = check->service,
				      .type = "gauge",
				      .type_instance = "state" },
			      .severity = mc_check_state_severity(check->state),
			      .reason = mc_check_state_text(check, text),
			      .since = check->since,
			      .lasting = LASTING,
			      .quiet = true,
		      });
}
