/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stdio.h>
#include <string.h>

/* UNKNOWN, DOWN and UNREACHABLE are failures, as CRITICAL is. */
static enum mc_severity severity_of(const char *state)
{
	if (strcmp(state, "OK") == 0 || strcmp(state, "UP") == 0)
		return MC_OKAY;
	return strcmp(state, "WARNING") == 0 ? MC_WARNING : MC_FAILURE;
}

void state_take(struct mc_ctx *ctx, const char *plugin, struct service *service,
		const struct event *event)
{
	enum mc_severity severity = severity_of(event->state);
	const struct mc_field fields[] = { { "State", event->state },
					   { "Command", event->command } };
	char message[320];
	bool first = service->state[0] == '\0';

	if (event->soft || event->state[0] == '\0' || event->time < service->interval.last ||
	    strcmp(event->state, service->state) == 0)
		return;
	snprintf(service->state, sizeof(service->state), "%s", event->state);
	if (first && severity == MC_OKAY)
		return;
	snprintf(message, sizeof(message), "%.120s of %.120s is %s", service->name, service->host,
		 service->state);
	mc_notify(ctx, &(struct mc_notification){
			       .severity = severity,
			       .time = event->time,
			       .id = { .host = service->host,
				       .plugin = plugin,
				       .plugin_instance = service->name },
			       .message = message,
			       .fields = fields,
			       .fields_len = 2,
		       });
}
