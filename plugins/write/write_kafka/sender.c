/* SPDX-License-Identifier: MIT */
#include "sender.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "kit/base/tenant_text.h"

#define BACKOFF_LONGEST (10 * MC_SECOND)
#define HELD_MAX ((size_t)16 << 20) /* Bytes of messages whose topics do not take them. */
#define LOOK_PAUSE (MC_SECOND / 2)  /* Between two looks at topics of tenants. */

/* --- Answers ---------------------------------------------------------------- */

static void refuse(struct sender *sender, struct unacked_message *message, const char *why)
{
	snprintf(sender->refusal, sizeof(sender->refusal), "%s", why);
	unacked_done(&sender->unacked, message, true);
}

/* Has a message wait for the topic of its tenant, as long as that has time and there is room. */
static void put_aside(struct sender *sender, struct unacked_message *message)
{
	struct unacked *unacked = &sender->unacked;

	if (tenant_topic_is_given_up(&sender->tenants, message->tenant, mc_now()) ||
	    unacked->held_size + message->size > HELD_MAX)
		refuse(sender, message, "topics of tenants are missing, or not allowed");
	else
		unacked_hold(unacked, message);
}

static void complain(struct sender *sender, struct tenant_topic *tenant, const char *why)
{
	bool given_up = tenant_topic_is_given_up(&sender->tenants, tenant, mc_now());

	tenant_topic_failed(&sender->tenants, tenant, mc_now());
	mc_complain(sender->ctx, &tenant->once, 0, "values for topic '%s' %s: %s", tenant->name,
		    given_up ? "are refused" : "wait", why);
}

/* Of messages that fail together the first says so. */
static void topic_failed(struct sender *sender, struct unacked_message *message)
{
	if (message->tenant->again <= mc_now())
		complain(sender, message->tenant, sender->producer.why);
	put_aside(sender, message);
}

static void topic_works(struct sender *sender, struct tenant_topic *tenant)
{
	if (tenant->since == 0)
		return;
	tenant_topic_works(tenant);
	mc_works(sender->ctx, &tenant->once, "topic '%s' takes values again", tenant->name);
}

static void on_answer(void *argument, void *answered, enum producer_answer answer)
{
	struct sender *sender = argument;
	struct unacked_message *message = answered;
	struct tenant_topic *tenant = message->tenant;

	sender->answers++;
	if (tenant != NULL)
		tenant_topic_answered(tenant, mc_now());
	if (answer == PRODUCER_NO_TOPIC && tenant != NULL) {
		topic_failed(sender, message);
		return;
	}
	if (answer == PRODUCER_FAILED || answer == PRODUCER_NO_TOPIC) {
		sender->failed = true;
		return;
	}
	mc_backoff_done(&sender->backoff);
	if (answer == PRODUCER_REFUSED) {
		refuse(sender, message, sender->producer.why);
		return;
	}
	sender->stored = mc_now();
	if (tenant != NULL)
		topic_works(sender, tenant);
	unacked_done(&sender->unacked, message, false);
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
	sender->tenants.len_max = (size_t)topic->tenants_max;
	sender->tenants.patience = topic->patience;
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
		.compress = topic->messages.text.format == MESSAGES_OTLP,
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
	tenant_topic_free_all(&sender->tenants);
	messages_done(&sender->messages);
	free(sender->stream);
}

/* --- Sending ---------------------------------------------------------------- */

static int send_message(struct sender *sender, struct unacked_message *message)
{
	return producer_send(&sender->producer, &(struct producer_message){
							.topic = message->topic,
							.key = message->key,
							.key_size = message->key_size,
							.bytes = message->bytes,
							.size = message->size,
							.stream = message->stream,
							.number = message->number,
							.message = message,
						});
}

/* Settles a message that is not to be sent, because of its tenant.  Whether it was that. */
static bool settle_tenant(struct sender *sender, struct unacked_message *message)
{
	if (message->topic == NULL)
		return false;
	if (message->tenant == NULL) {
		mc_complain(sender->ctx, &sender->too_many, 0,
			    "topic '%s' has more tenants than MaxTenants: values are refused",
			    sender->options->name);
		refuse(sender, message, "there are more tenants than MaxTenants");
		return true;
	}
	if (!tenant_topic_waits(message->tenant, mc_now()))
		return false;
	put_aside(sender, message);
	return true;
}

/* Puts messages into the queue as long as that has room. */
static void send_unsent(struct sender *sender)
{
	struct unacked *unacked = &sender->unacked;
	struct unacked_message *message;
	int rc;

	while ((message = unacked->unsent) != NULL && !sender->failed) {
		if (settle_tenant(sender, message))
			continue;
		rc = send_message(sender, message);
		if (rc == -EAGAIN || (rc == -ENOENT && message->tenant == NULL))
			return;
		if (message->tenant != NULL)
			tenant_topic_sent(message->tenant, mc_now());
		if (rc == 0)
			unacked_sent(unacked);
		else
			on_answer(sender, message,
				  rc == -ENOENT ? PRODUCER_NO_TOPIC : PRODUCER_REFUSED);
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
		if (message.topic != NULL)
			sender->unacked.last->tenant =
				tenant_topic_use(&sender->tenants, message.topic);
		send_unsent(sender);
	}
	return sender->made;
}

/* --- Again ------------------------------------------------------------------ */

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

/* Takes back what librdkafka neither sends nor has fail, as for a topic that it may not see. */
static void take_back_stalled(struct sender *sender)
{
	struct mc_map_node *node = NULL;

	while ((node = mc_map_next(&sender->tenants.map, node)) != NULL) {
		struct tenant_topic *tenant = (struct tenant_topic *)node;

		if (!tenant_topic_is_stalled(&sender->tenants, tenant, mc_now(), sender->stored))
			continue;
		complain(sender, tenant, "Kafka does not take them, perhaps they are not allowed");
		sender->failed = true;
	}
	if (sender->failed)
		producer_take_back(&sender->producer);
}

/* Looks after the topics of tenants now and then. */
static void step_tenants(struct sender *sender)
{
	if (sender->tenants.map.len == 0 || sender->failed ||
	    !mc_once_in(&sender->looked_at, mc_now(), LOOK_PAUSE))
		return;
	take_back_stalled(sender);
	if (sender->unacked.held_size > 0)
		unacked_release(&sender->unacked, mc_now());
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
	step_tenants(sender);
	send_unsent(sender);
}

/* A topic of a tenant that takes no messages has said so itself. */
static bool is_waiting(const struct sender *sender)
{
	const struct unacked_message *message = sender->unacked.first;

	while (message != NULL && message->tenant != NULL && message->tenant->since != 0)
		message = message->next;
	return message != NULL;
}

bool sender_waits(struct sender *sender)
{
	bool waits = is_waiting(sender) && sender->answers == sender->looked;

	sender->looked = sender->answers;
	return waits;
}
