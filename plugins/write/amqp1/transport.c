/* SPDX-License-Identifier: MIT */
#include "transport.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <proton/condition.h>
#include <proton/connection.h>
#include <proton/delivery.h>
#include <proton/link.h>
#include <proton/sasl.h>
#include <proton/session.h>
#include <proton/transport.h>

#include <collector/kit/alloc.h>
#include <collector/kit/tls_stream.h>

enum {
	SILENT_MAX_MS = 60000, /* The receiver sends a heartbeat in this time, or is dead. */
	ROOM_DEFAULT = 1000,   /* Messages of an instance under way, without SendQueueLimit. */
};
static const mc_time connect_max = 10 * MC_SECOND;
static const mc_time released_pause = MC_SECOND; /* Until a released message is sent again. */

/* --- Failures ------------------------------------------------------------- */

static void set_away(struct transport *transport, const char *why)
{
	if (transport->why[0] == '\0')
		snprintf(transport->why, sizeof(transport->why), "%s", why);
	mc_set_failure(transport->ctx, transport->why);
}

static void set_works(struct transport *transport)
{
	transport->why[0] = '\0';
	transport->works = true;
	mc_stream_client_works(&transport->client);
	mc_set_failure(transport->ctx, "");
}

/* Keeps the first reason: others are its consequences. */
static void keep_reason(struct transport *transport, pn_condition_t *condition)
{
	const char *name, *text;

	if (condition == NULL || !pn_condition_is_set(condition) || transport->why[0] != '\0')
		return;
	name = pn_condition_get_name(condition);
	text = pn_condition_get_description(condition);
	snprintf(transport->why, sizeof(transport->why), "%.100s%s%.250s", name != NULL ? name : "",
		 text != NULL ? ": " : "", text != NULL ? text : "");
}

/* --- Messages ------------------------------------------------------------- */

static void send_message(struct sender *sender, struct outbox_message *message)
{
	uint64_t tag = ++sender->transport->tag;
	pn_delivery_t *delivery =
		pn_delivery(sender->link, pn_dtag((const char *)&tag, sizeof(tag)));

	pn_delivery_set_context(delivery, message);
	message->state = OUTBOX_SENT;
	pn_link_send(sender->link, message->bytes, message->size);
	pn_link_advance(sender->link);
	if (sender->options->pre_settle) {
		pn_delivery_settle(delivery);
		outbox_done(&sender->outbox, message);
	}
}

static void send_unsent(struct sender *sender, mc_time now)
{
	struct outbox_message *message;

	while (sender->link != NULL && sender->again <= now && pn_link_credit(sender->link) > 0 &&
	       (message = outbox_unsent(&sender->outbox)) != NULL)
		send_message(sender, message);
}

static void send_all(struct transport *transport)
{
	for (size_t i = 0; i < transport->senders_len; i++)
		send_unsent(&transport->senders[i], transport->client.room->loop->now);
}

/* The receiver has a message, refuses it for good, or leaves it to us. */
static void on_delivery(struct transport *transport, pn_delivery_t *delivery)
{
	struct sender *sender = pn_link_get_context(pn_delivery_link(delivery));
	struct outbox_message *message = pn_delivery_get_context(delivery);
	uint64_t state = pn_delivery_remote_state(delivery);

	if (sender == NULL || (state < PN_ACCEPTED && !pn_delivery_settled(delivery)))
		return;
	if (state == PN_ACCEPTED) {
		outbox_done(&sender->outbox, message);
	} else if (state == PN_REJECTED) {
		mc_drop(transport->ctx, 1, 0, "'%s' rejects a message", sender->address);
		outbox_done(&sender->outbox, message);
	} else {
		sender->again = transport->client.room->loop->now + released_pause;
		outbox_again(&sender->outbox, message);
	}
	pn_delivery_settle(delivery);
}

/* --- Events of the engine --------------------------------------------------- */

static bool is_relay(pn_data_t *data)
{
	static const char wanted[] = "ANONYMOUS-RELAY";
	pn_bytes_t symbol = pn_data_get_symbol(data);

	return symbol.size == strlen(wanted) && memcmp(symbol.start, wanted, symbol.size) == 0;
}

/* Its capabilities are a symbol, or several. */
static bool relays(pn_connection_t *connection)
{
	pn_data_t *offered = pn_connection_remote_offered_capabilities(connection);

	pn_data_rewind(offered);
	if (!pn_data_next(offered))
		return false;
	if (pn_data_type(offered) == PN_SYMBOL)
		return is_relay(offered);
	if (!pn_data_enter(offered))
		return false;
	while (pn_data_next(offered))
		if (is_relay(offered))
			return true;
	return false;
}

static void open_links(struct transport *transport, pn_connection_t *connection)
{
	bool anonymous = relays(connection);

	for (size_t i = 0; i < transport->senders_len; i++) {
		struct sender *sender = &transport->senders[i];

		sender->link = pn_sender(transport->session, sender->options->name);
		pn_link_set_context(sender->link, sender);
		pn_link_set_snd_settle_mode(sender->link, PN_SND_MIXED);
		if (!anonymous)
			pn_terminus_set_address(pn_link_target(sender->link), sender->address);
		pn_link_open(sender->link);
	}
}

static void begin_session(struct transport *transport, pn_connection_t *connection)
{
	pn_connection_open(connection);
	transport->session = pn_session(connection);
	pn_session_open(transport->session);
}

static void on_opened_by_receiver(struct transport *transport, pn_connection_t *connection)
{
	set_works(transport);
	open_links(transport, connection);
}

static void end(struct transport *transport, pn_condition_t *condition)
{
	keep_reason(transport, condition);
	transport->ended = true;
}

static void on_event(struct transport *transport, pn_event_t *event)
{
	pn_connection_t *connection = pn_event_connection(event);

	switch (pn_event_type(event)) {
	case PN_CONNECTION_INIT:
		begin_session(transport, connection);
		break;
	case PN_CONNECTION_REMOTE_OPEN:
		on_opened_by_receiver(transport, connection);
		break;
	case PN_DELIVERY:
		on_delivery(transport, pn_event_delivery(event));
		break;
	case PN_CONNECTION_REMOTE_CLOSE:
		end(transport, pn_connection_remote_condition(connection));
		break;
	case PN_SESSION_REMOTE_CLOSE:
		end(transport, pn_session_remote_condition(pn_event_session(event)));
		break;
	case PN_LINK_REMOTE_CLOSE:
	case PN_LINK_REMOTE_DETACH:
		end(transport, pn_link_remote_condition(pn_event_link(event)));
		break;
	case PN_TRANSPORT_ERROR:
	case PN_TRANSPORT_CLOSED:
		end(transport, pn_transport_condition(pn_event_transport(event)));
		break;
	default:
		break;
	}
}

/* --- Between the engine and the stream -------------------------------------- */

static struct transport *transport_of(struct mc_stream *stream)
{
	return (struct transport *)((char *)stream - offsetof(struct transport, client.stream));
}

static void take_events(struct transport *transport)
{
	pn_event_t *event;

	while ((event = pn_connection_driver_next_event(&transport->driver)) != NULL)
		on_event(transport, event);
	if (!transport->ended)
		send_all(transport);
}

/* Gives the stream what the engine has to send, after all that its events bring about. */
static void pump(struct transport *transport)
{
	struct mc_loop *loop = transport->client.room->loop;
	pn_bytes_t bytes;
	int64_t due;

	take_events(transport);
	due = pn_transport_tick(transport->driver.transport, loop->now / MC_MILLISECOND);
	while ((bytes = pn_connection_driver_write_buffer(&transport->driver)).size > 0) {
		mc_stream_add(&transport->client.stream, bytes.start, bytes.size);
		pn_connection_driver_write_done(&transport->driver, bytes.size);
		take_events(transport);
	}
	if (due > 0)
		mc_loop_set_timer(loop, &transport->timer, due * MC_MILLISECOND);
}

static size_t take(struct mc_stream *stream, char *bytes, size_t size)
{
	struct transport *transport = transport_of(stream);

	for (size_t used = 0, part; used < size && !transport->ended; used += part) {
		pn_rwbytes_t room = pn_connection_driver_read_buffer(&transport->driver);

		part = room.size < size - used ? room.size : size - used;
		if (part == 0)
			break;
		memcpy(room.start, bytes + used, part);
		pn_connection_driver_read_done(&transport->driver, part);
		pump(transport);
	}
	if (transport->ended)
		mc_stream_close(stream);
	return size;
}

/* The same, outside of the stream's callbacks. */
static void push(struct transport *transport)
{
	pump(transport);
	if (transport->ended)
		mc_stream_close(&transport->client.stream);
	else
		mc_stream_go_on(&transport->client.stream);
}

static void on_heartbeat(void *argument)
{
	push(argument);
}

/* Without a user there is no SASL, as with collectd. */
static void set_security(struct transport *transport, pn_connection_t *connection)
{
	const struct transport_options *options = transport->options;
	pn_sasl_t *sasl;

	pn_connection_set_container(connection, options->name);
	pn_connection_set_hostname(connection, options->host);
	if (options->user != NULL) {
		pn_connection_set_user(connection, options->user);
		pn_connection_set_password(connection, options->password);
	}
	if (options->user == NULL && options->certificate == NULL)
		return;
	sasl = pn_sasl(transport->driver.transport);
	pn_sasl_allowed_mechs(sasl, options->user != NULL ? "PLAIN" : "EXTERNAL");
	pn_sasl_set_allow_insecure_mechs(sasl, true);
}

static void on_opened(struct mc_stream *stream)
{
	struct transport *transport = transport_of(stream);
	pn_connection_t *connection = pn_connection();

	pn_connection_driver_init(&transport->driver, connection, NULL);
	set_security(transport, connection);
	pn_transport_set_idle_timeout(transport->driver.transport, SILENT_MAX_MS);
	transport->up = true;
	transport->ended = false;
	transport->why[0] = '\0';
	pump(transport);
}

static const struct mc_stream_kind kind = {
	.take = take,
	.opened = on_opened,
	MC_STREAM_CLIENT_LIMITS,
};

/* --- The connection --------------------------------------------------------- */

static bool begin_tls(struct mc_stream_client *client)
{
	struct transport *transport = transport_of(&client->stream);
	const struct transport_options *options = transport->options;
	const struct mc_tls_files files = {
		.certificate = options->certificate,
		.key = options->key,
		.ca = options->ca,
		.verify = true,
	};
	struct mc_tls_start how = { .host = options->host };
	char why[MC_TLS_WHY];

	if (options->ca == NULL)
		return true;
	if (!mc_tls_new(&files, &how.tls, why)) {
		snprintf(client->why, sizeof(client->why), "%s", why);
		client->reason = client->why;
		return false;
	}
	if (mc_tls_stream_begin(&client->stream, &how) != 0) {
		snprintf(client->why, sizeof(client->why), "cannot begin TLS");
		client->reason = client->why;
		mc_tls_free(how.tls);
		return false;
	}
	mc_tls_free(how.tls);
	return true;
}

/* Frees the engine's part; messages that were sent are to be sent again. */
static void drop_driver(struct transport *transport)
{
	if (!transport->up)
		return;
	mc_loop_unset_timer(transport->client.room->loop, &transport->timer);
	pn_connection_driver_destroy(&transport->driver);
	transport->up = transport->works = false;
	for (size_t i = 0; i < transport->senders_len; i++) {
		transport->senders[i].link = NULL;
		outbox_all_again(&transport->senders[i].outbox);
	}
}

static void on_failed(struct mc_stream_client *client)
{
	struct transport *transport = transport_of(&client->stream);

	drop_driver(transport);
	set_away(transport, client->reason);
	mc_stream_client_open(client);
}

static void begin_sender(struct transport *transport, const struct instance_options *options)
{
	const struct transport_options *all = transport->options;
	size_t room = all->messages_max > 0 ? (size_t)all->messages_max : ROOM_DEFAULT;
	struct sender *sender = &transport->senders[transport->senders_len++];

	sender->transport = transport;
	sender->options = options;
	sender->address = mc_alloc_printf("/%s/%s", all->address, options->name);
	outbox_init(&sender->outbox, room);
}

void transport_init(struct transport *transport, struct mc_ctx *ctx,
		    const struct transport_options *options, struct mc_stream_room *room)
{
	const struct instance_options *instances = options->instances.items;
	size_t len = options->instances.len;

	*transport = (struct transport){
		.options = options,
		.ctx = ctx,
		.client = {
			.kind = &kind,
			.room = room,
			.host = options->host,
			.port = options->port,
			.connect_max = connect_max,
			.backoff.longest = options->retry_delay,
			.begin = begin_tls,
			.failed = on_failed,
		},
		.timer = { .expired = on_heartbeat, .argument = transport },
		.message = pn_message(),
	};
	transport->senders = mc_alloc_zero((len + 1) * sizeof(*transport->senders));
	for (size_t i = 0; i < len; i++)
		begin_sender(transport, &instances[i]);
}

void transport_open(struct transport *transport)
{
	mc_stream_client_open(&transport->client);
}

void transport_done(struct transport *transport)
{
	if (transport->message == NULL)
		return;
	drop_driver(transport);
	mc_stream_client_close(&transport->client);
	for (size_t i = 0; i < transport->senders_len; i++) {
		outbox_free(&transport->senders[i].outbox);
		free(transport->senders[i].address);
	}
	free(transport->senders);
	pn_message_free(transport->message);
	free(transport->encoded.start);
	mc_buffer_free(&transport->text);
}

void transport_push(struct transport *transport)
{
	if (transport->works)
		push(transport);
}

bool transport_is_trying(const struct transport *transport)
{
	const struct mc_stream_client *client = &transport->client;

	return client->state != MC_STREAM_CLIENT_PAUSED ||
	       client->backoff.until <= client->room->loop->now;
}
