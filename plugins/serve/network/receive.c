/* SPDX-License-Identifier: MIT */
/* A thread has its sockets in a loop.  The datagrams of one call are one batch: under load the
 * work per batch is shared by many packets, and a packet that comes alone waits for nothing. */
#include "receive.h"

#include <collector/serve.h>

#define CHECK_INTERVAL MC_SECOND /* Between two looks at drops. */

static void take_round(struct receive *receive, int len, struct take_origin *origin)
{
	struct mc_batch *batch = mc_begin(receive->ctx);
	uint64_t octets = 0;

	mc_set_origin(batch, receive->mark);
	for (int i = 0; i < len; i++) {
		struct mc_datagram datagram = mc_datagrams_get(receive->round, i);

		origin->sender = datagram.sender;
		octets += datagram.size;
		if (datagram.cut)
			count_refuse(receive->count, receive->ctx, COUNT_OVERSIZED, origin->sender,
				     NULL);
		ingest_packet(receive->take, origin, batch, datagram.bytes, datagram.size);
	}
	receive->count->received_packets += (uint64_t)len;
	receive->count->received_octets += octets;
	mc_commit(batch);
}

static void check_drops(struct receive *receive, mc_time now)
{
	struct listen *listen = receive->listen;

	if (now - receive->checked < CHECK_INTERVAL)
		return;
	receive->checked = now;
	for (size_t i = 0; i < listen->len; i++) {
		uint32_t more = listen_dropped(&listen->sockets[i]);

		if (more > 0)
			count_overflow(receive->count, receive->ctx, more);
	}
}

static void on_packets(void *argument, uint32_t events)
{
	struct listen_socket *socket = argument;
	struct receive *receive = socket->receive;
	mc_time now = receive->loop.now;
	struct take_origin origin = { .level = socket->level,
				      .users = socket->users,
				      .now = mc_wall() };
	int len = mc_datagrams_receive(receive->round, socket->file.fd);

	(void)events;
	if (len <= 0)
		return;
	users_refresh(socket->users, now);
	times_save(&receive->take->times, now);
	take_round(receive, len, &origin);
	check_drops(receive, now);
}

/* 0, or a negative errno. */
static int watch_all(struct receive *receive)
{
	struct listen *listen = receive->listen;
	int rc = receive->send != NULL ? send_watch(receive->send, &receive->loop) : 0;

	for (size_t i = 0; i < listen->len && rc == 0; i++) {
		struct listen_socket *socket = &listen->sockets[i];

		socket->receive = receive;
		socket->file.ready = on_packets;
		socket->file.argument = socket;
		rc = mc_loop_watch(&receive->loop, &socket->file, EPOLLIN);
	}
	return rc;
}

static int receive_here(struct receive *receive)
{
	int rc;

	receive->loop.ctx = receive->ctx;
	receive->round = mc_datagrams_new(receive->packet_size);
	rc = mc_loop_init(&receive->loop);
	if (rc == 0) {
		rc = watch_all(receive);
		rc = rc < 0 ? mc_fail(receive->ctx, -rc, "cannot receive")
			    : mc_loop_run(&receive->loop);
	}
	mc_loop_done(&receive->loop);
	mc_datagrams_free(receive->round);
	return rc;
}

static void *receive_main(void *argument)
{
	receive_here(argument);
	return NULL;
}

int receive_run(struct receive *receive, unsigned len)
{
	unsigned started = 1;
	int rc = 0;

	for (; rc == 0 && started < len; started += rc == 0)
		rc = pthread_create(&receive[started].thread, NULL, receive_main,
				    &receive[started]);
	/* The sockets of a thread that is not there would fill up. */
	if (rc != 0)
		rc = mc_fail(receive->ctx, rc, "cannot make ReceiveThreads");
	else
		rc = receive_here(receive);
	for (unsigned i = 1; i < started; i++)
		pthread_join(receive[i].thread, NULL);
	return rc;
}
