/* SPDX-License-Identifier: MIT */
/* Notifications of what has become of a series. */
#include <stdio.h>

#include "threshold.h"

static void notify(struct mc_ctx *ctx, enum mc_state state, const struct mc_id *id,
		   const struct mc_notification *what)
{
	static const enum mc_severity severities[MC_STATES] = {
		[MC_STATE_OKAY] = MC_OKAY,
		[MC_STATE_WARNING] = MC_WARNING,
		[MC_STATE_FAILURE] = MC_FAILURE,
	};
	struct mc_notification notification = *what;

	notification.severity = severities[state];
	notification.id = *id;
	mc_notify(ctx, &notification);
}

void notifications_state(struct threshold *self, const struct mc_sample *sample,
			 const struct verdict *verdict, bool flaps) MC_REQUIRES(self->lock)
{
	struct story story = {
		.id = threshold_id(sample->series),
		.state = verdict->state,
		.verdict = verdict,
		.source = mc_type(sample->series)->sources[verdict->source].name,
		.current = mc_rate(sample, verdict->source),
		.unit = mc_type(sample->series)->unit,
		.reading = self->reading,
	};
	struct message_fields fields;
	char message[MESSAGE_SIZE];

	if (flaps)
		message_of_flapping(&story, message);
	else
		message_write(&story, message);
	message_fields(&story, &fields);
	notify(self->ctx, story.state, &story.id,
	       &(struct mc_notification){ .time = sample->time,
					  .message = message,
					  .fields = fields.items,
					  .fields_len = MESSAGE_FIELDS });
	self->reported++;
}

void notifications_missing(struct threshold *self, const struct alert *alert)
	MC_REQUIRES(self->lock)
{
	char message[MESSAGE_SIZE];

	snprintf(message, sizeof(message), "%s has not been updated for %.3f seconds.", alert->text,
		 alert->value);
	notify(self->ctx, MC_STATE_FAILURE, &alert->id,
	       &(struct mc_notification){ .message = message });
	self->reported++;
}

void notifications_end(struct threshold *self, const struct alert *alert, const char *why)
	MC_REQUIRES(self->lock)
{
	char message[MESSAGE_SIZE];

	message_of_end(&alert->id, why, message);
	notify(self->ctx, MC_STATE_OKAY, &alert->id,
	       &(struct mc_notification){ .message = message });
	self->reported++;
}
