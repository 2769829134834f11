/* SPDX-License-Identifier: MIT */
#include "sender.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "kit/base/tenant_text.h"

#define BACKOFF_LONGEST (10 * MC_SECOND)

static void on_answer(void *argument, void *message, enum producer_answer answer)
{
	struct sender *sender = argument;

	sender->answers++;
	if (answer == PRODUCER_FAILED) {
		sender->failed = true;
		return;
	}
	if (answer == PRODUCER_REFUSED)
		memcpy(sender->refusal, sender->producer.why, sizeof(sender->refusal));
	mc_backoff_done(&sender->backoff);
	unacked_done(&sender->unacked, message, answer == PRODUCER_REFUSED);
}

/* --- Life ------------------------------------------------------------------- */

static int open_producer(struct sender *sender)
{
	if (producer_open(&sender->producer, &sender->producer_options) < 0)
		return mc_fail(sender->ctx, 0, "cannot make a producer for topic '%s': %s",
			       sender->options->name, sender->producer.why);
	return 0;
}

int sender_start(struct sender *sender, struct mc_ctx *ctx, const struct sender_settings *settings)
{
	const struct topic_options *topic = settings->topic;
	bool by_tenant = mc_tenant_is_in(topic->name);

	sender->ctx = ctx;
	sender->options = topic;
	sender->unacked.topic = settings->number;
	sender->backoff.longest = BACKOFF_LONGEST;
	sender->stream = mc_alloc_printf("%s/%s", ctx->name, topic->name);
	sender->messages_options = topic->messages;
	sender->messages_options.stream = sender->stream;
	sender->messages_options.topic = by_tenant ? topic->name : NULL;
	sender->messages.options = &sender->messages_options;
	sender->messages.size_max = settings->size_max;
	messages_init(&sender->messages, ctx);
	sender->producer_options = (struct producer_options){
		.topic = by_tenant ? NULL : topic->name,
		.common = settings->properties,
		.own = &topic->properties,
		.compress = topic->messages.format == MESSAGES_OTLP,
		.wake = settings->wake,
		.answered = on_answer,
		.argument = sender,
	};
	return open_producer(sender);
}

void sender_stop(struct sender *sender)
{
	producer_close(&sender->producer);
	unacked_free(&sender->unacked);
	messages_done(&sender->messages);
	free(sender->stream);
}

/* --- Sending ---------------------------------------------------------------- */

/* Puts messages into the queue as long as that has room. */
static void send_unsent(struct sender *sender)
{
	struct unacked *unacked = &sender->unacked;
	struct unacked_message *message;
	int rc;

	while ((message = unacked->unsent) != NULL && !sender->failed) {
		rc = producer_send(&sender->producer, &(struct producer_message){
							      .topic = message->topic,
							      .key = message->key,
							      .key_size = message->key_size,
							      .bytes = message->bytes,
							      .size = message->size,
							      .stream = message->stream,
							      .number = message->number,
							      .message = message,
						      });
		if (rc == -EAGAIN)
			return;
		if (rc == 0)
			unacked_sent(unacked);
		else
			on_answer(sender, message, PRODUCER_REFUSED);
	}
}

void sender_begin(struct sender *sender, const struct mc_batch *batch)
{
	sender->made = false;
	sender->samples = 0;
	messages_begin(&sender->messages, batch);
}

bool sender_go_on(struct sender *sender, const struct mc_batch *batch,
		  struct unacked_batch *unacked)
{
	struct message message;

	send_unsent(sender);
	while (!sender->made && sender->unacked.unsent == NULL) {
		if (!messages_next(&sender->messages, sender->ctx, batch, &message)) {
			sender->made = true;
			break;
		}
		sender->samples += message.samples_len;
		unacked_add(&sender->unacked, unacked, &message);
		send_unsent(sender);
	}
	return sender->made;
}

/* --- Answers ---------------------------------------------------------------- */

/* After a failure, when nothing is under way any more: the receiver recognizes by their numbers
 * messages that it has. */
static void begin_again(struct sender *sender)
{
	if (producer_is_broken(&sender->producer)) {
		producer_close(&sender->producer);
		if (open_producer(sender) < 0)
			return;
	}
	sender->failed = false;
	unacked_again(&sender->unacked);
}

void sender_step(struct sender *sender)
{
	producer_poll(&sender->producer, 0);
	if (producer_is_broken(&sender->producer)) {
		sender->failed = true;
		producer_give_up(&sender->producer);
	}
	if (sender->failed && sender->producer.waiting == 0 && sender->backoff.until <= mc_now()) {
		mc_backoff_failed(&sender->backoff, mc_now(), 0);
		begin_again(sender);
	}
	send_unsent(sender);
}

bool sender_waits(struct sender *sender)
{
	bool waits = sender->unacked.first != NULL && sender->answers == sender->looked;

	sender->looked = sender->answers;
	return waits;
}
