/* SPDX-License-Identifier: MIT */
/* Messages of an instance: a binary body with a text of collectd's in each. */
#include "transport.h"

#include <string.h>

#include "kit/series/alert_json.h"

static const char *content_type(const struct instance_options *options)
{
	switch (options->text.format) {
	case MC_SAMPLE_COMMAND:
		return "text/collectd";
	case MC_SAMPLE_GRAPHITE:
		return "text/graphite";
	default:
		return "application/json";
	}
}

/* Adds the text of the transport as a message. */
static void add_message(struct sender *sender)
{
	struct transport *transport = sender->transport;
	pn_message_t *message = transport->message;
	const struct mc_buffer *text = &transport->text;
	ssize_t size;

	pn_message_clear(message);
	pn_message_set_address(message, sender->address);
	pn_message_set_content_type(message, content_type(sender->options));
	pn_data_put_binary(pn_message_body(message), pn_bytes(text->size, text->at));
	size = pn_message_encode2(message, &transport->encoded);
	if (size > 0)
		outbox_add(&sender->outbox, transport->encoded.start, (size_t)size);
	else
		mc_drop(transport->ctx, 1, 0, "cannot encode a message for '%s'", sender->address);
}

bool sender_write(struct sender *sender, const struct mc_batch *batch)
{
	struct mc_buffer *text = &sender->transport->text;
	const struct mc_sample *next = NULL;

	/* At the stop another batch may be offered. */
	if (!sender->begun || mc_stopping(sender->transport->ctx))
		sender->last = NULL;
	sender->begun = true;
	while (!outbox_is_full(&sender->outbox) && (next = mc_next(batch, sender->last)) != NULL) {
		mc_buffer_clear(text);
		mc_sample_text(text, &sender->options->text, next);
		if (text->size > 0)
			add_message(sender);
		sender->last = next;
	}
	return sender->outbox.len == 0 && mc_next(batch, sender->last) == NULL;
}

bool sender_notify(struct sender *sender, const struct mc_notification *notification)
{
	struct mc_buffer *text = &sender->transport->text;

	if (!sender->begun && outbox_is_full(&sender->outbox))
		return false;
	if (!sender->begun) {
		mc_buffer_clear(text);
		mc_alert_json(text, notification, mc_wall());
		add_message(sender);
		sender->begun = true;
	}
	return sender->outbox.len == 0;
}

void sender_end(struct sender *sender, bool notification)
{
	if (sender->options->notify != notification)
		return;
	sender->begun = false;
	sender->last = NULL;
}
