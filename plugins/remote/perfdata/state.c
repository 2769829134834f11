/* SPDX-License-Identifier: MIT */
#include "state.h"

#include <stdio.h>
#include <string.h>

#include <collector/private/alerts.h>

#define LASTING (24 * 3600 * MC_SECOND) /* Of a service that is checked no more. */

/* UNKNOWN, DOWN and UNREACHABLE are failures, as CRITICAL is. */
static enum mc_severity severity_of(const char *state)
{
	if (strcmp(state, "OK") == 0 || strcmp(state, "UP") == 0)
		return MC_OKAY;
	return strcmp(state, "WARNING") == 0 ? MC_WARNING : MC_FAILURE;
}

static void stand(struct mc_ctx *ctx, const struct mc_id *id, enum mc_severity severity,
		  const struct event *event, const char *message)
{
	mc_stand(ctx, &(struct mc_standing){
			      .id = *id,
			      .severity = severity,
			      .reason = message,
			      .since = event->time,
			      .lasting = LASTING,
			      .quiet = true,
		      });
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
	enum mc_severity severity = severity_of(event->state);
	struct mc_id id = { .host = service->host,
			    .plugin = plugin,
			    .plugin_instance = service->name };
	char message[320];
	bool first = service->state[0] == '\0', same = strcmp(event->state, service->state) == 0;

	if (event->soft || event->state[0] == '\0' || event->time < service->interval.last ||
	    (same && severity == MC_OKAY))
		return;
	snprintf(service->state, sizeof(service->state), "%s", event->state);
	snprintf(message, sizeof(message), "%.120s of %.120s is %s", service->name, service->host,
		 service->state);
	if (notify && !same && !(first && severity == MC_OKAY))
		notify_of(ctx, &id, severity, event, message);
	id.type = "gauge";
	id.type_instance = "state";
	stand(ctx, &id, severity, event, message);
}
