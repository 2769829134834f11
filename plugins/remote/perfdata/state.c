/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stdio.h>
#include <string.h>

#include "kit/series/check_state.h"

enum mc_severity state_of_check(const char *state)
{
	return strcmp(state, "UP") == 0 ? MC_WARNING : mc_check_state_severity(state);
}

static void notify_of(struct mc_ctx *ctx, const struct mc_id *id, enum mc_severity severity,
		      const struct event *event, const char *message)
{
	const struct mc_field fields[] = { { "State", event->state },
					   { "Command", event->command } };

	mc_notify(ctx, &(struct mc_notification){
			       .severity = severity,
			       .time = event->time,
			       .id = *id,
			       .message = message,
			       .fields = fields,
			       .fields_len = 2,
		       });
}

void state_take(struct mc_ctx *ctx, const char *plugin, struct service *service,
		const struct event *event, bool notify)
{
	enum mc_severity severity = mc_check_state_severity(event->state);
	const struct mc_id id = { .host = service->host,
				  .plugin = plugin,
				  .plugin_instance = service->name };
	const struct mc_check_state check = {
		.host = service->host,
		.plugin = plugin,
		.service = service->name,
		.state = event->state,
		.of_host = strcmp(service->name, EVENT_OF_HOST) == 0,
		.since = event->time,
	};
	char message[MC_CHECK_STATE_TEXT_SIZE];
	bool first = service->state[0] == '\0', same = strcmp(event->state, service->state) == 0;

	if (event->soft || event->state[0] == '\0' || event->time < service->interval.last ||
	    (same && severity == MC_OKAY))
		return;
	snprintf(service->state, sizeof(service->state), "%s", event->state);
	if (notify && !same && !(first && severity == MC_OKAY))
		notify_of(ctx, &id, severity, event, mc_check_state_text(&check, message));
	mc_check_state_stand(ctx, &check);
}
