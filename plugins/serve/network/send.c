/* SPDX-License-Identifier: MIT */
/* From samples to packets.  The parts that name a series are made once and kept in its slot; a
 * packet is encoded once for all servers, and a row of packets is one system call per server. */
#include "send.h"

#include <errno.h>
#include <stdlib.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/writer.h>

#define NOTICE_SIZE 1024   /* Of a notification's packet. */
#define HOLD_MAX MC_SECOND /* Or the interval, if that is shorter. */

int send_start(struct send *send, struct mc_ctx *ctx, const struct network_options *options,
	       struct count *count)
{
	const struct network_server *blocks = options->servers.items;
	size_t len = options->servers.len, overhead = 0;
	size_t size = (size_t)options->packet_size;
	int rc = 0;

	*send = (struct send){ .ctx = ctx, .count = count };
	if (len == 0)
		return 0;
	send->servers = mc_alloc_array(len, sizeof(*send->servers));
	send->bytes = mc_alloc(SERVER_PACKETS * size);
	for (; rc == 0 && send->servers_len < len; send->servers_len++) {
		struct server *server = &send->servers[send->servers_len];

		rc = server_start(server, ctx, &blocks[send->servers_len], options, count);
		if (rc == 0 && server_overhead(server) > overhead)
			overhead = server_overhead(server);
	}
	if (rc < 0)
		return rc;
	for (size_t i = 0; i < SERVER_PACKETS; i++)
		mc_binary_start(&send->packets[i], send->bytes + i * size, size - overhead);
	send->packets_len = 1;
	rc = mc_loop_wakeup_init(&send->holds);
	return rc < 0 ? mc_fail(ctx, -rc, "cannot make a descriptor") : 0;
}

void send_stop(struct send *send)
{
	for (size_t i = 0; i < send->servers_len; i++)
		server_stop(&send->servers[i]);
	mc_loop_wakeup_done(&send->holds);
	free(send->servers);
	free(send->bytes);
	*send = (struct send){ 0 };
}

/* --- In the loop ---------------------------------------------------------- */

static void on_hold(void *argument)
{
	struct send *send = argument;
	mc_time limit = send->ctx->interval < HOLD_MAX ? send->ctx->interval : HOLD_MAX;

	mc_loop_set_timer(send->loop, &send->timer, send->loop->now + limit);
}

static void on_limit(void *argument)
{
	struct send *send = argument;

	mc_flush(send->ctx, send->ctx->name, 0, NULL);
}

int send_watch(struct send *send, struct mc_loop *loop)
{
	send->loop = loop;
	send->holds.woken = on_hold;
	send->timer.expired = on_limit;
	send->holds.argument = send->timer.argument = send;
	return mc_loop_watch_wakeup(loop, &send->holds);
}

/* --- In the writer's thread ----------------------------------------------- */

/* Sends packets to every server that has an address.  Those that have none go
 * without: nobody waits for another.  Lost is what no server got. */
static void send_packets(struct send *send, const struct mc_binary_packet *packets, unsigned len)
{
	unsigned lists = 0, lost;

	for (unsigned i = 0; i < len; i++)
		lists += packets[i].lists_len;
	lost = lists;
	for (size_t i = 0; i < send->servers_len; i++) {
		struct server *server = &send->servers[i];
		unsigned here;

		if (server->fd < 0)
			continue;
		here = server_send(server, send->ctx, packets, len);
		if (here < lost)
			lost = here;
	}
	send->count->sent += lists - lost;
	send->count->unsent += lost;
	if (lost > 0)
		mc_drop(send->ctx, lost, errno, "cannot send");
}

void send_flush(struct send *send)
{
	unsigned len = send->packets_len;

	if (len > 0 && send->packets[len - 1].size == 0)
		len--;
	if (len == 0)
		return;
	send_packets(send, send->packets, len);
	for (unsigned i = 0; i < len; i++)
		mc_binary_start(&send->packets[i], send->packets[i].bytes, send->packets[i].room);
	send->packets_len = 1;
}

/* Whether any server has an address; looks up what is due. */
static bool ready(struct send *send)
{
	mc_time now = mc_now();
	bool any = false;

	for (size_t i = 0; i < send->servers_len; i++)
		any |= server_ready(&send->servers[i], send->ctx, now);
	return any;
}

/* The parts of a series' name, made when it is first sent. */
static const struct mc_binary_series *series_of(struct send *send, const struct mc_series *series)
{
	void **slot = mc_slot(send->ctx, series);
	const struct mc_type *type;
	struct mc_id id;

	if (*slot != NULL)
		return *slot;
	type = mc_type(series);
	id = (struct mc_id){ mc_host(series), mc_plugin(series), mc_plugin_instance(series),
			     type->name, mc_type_instance(series) };
	*slot = mc_alloc(mc_binary_series_size(&id, type));
	mc_binary_series_init(*slot, &id, type);
	return *slot;
}

/* The next packet to be filled; sends those before it if all are full. */
static struct mc_binary_packet *next_packet(struct send *send)
{
	if (send->packets_len == SERVER_PACKETS)
		send_flush(send);
	else
		send->packets_len++;
	return &send->packets[send->packets_len - 1];
}

int send_batch(struct send *send, const struct mc_batch *batch)
{
	struct mc_binary_packet *packet = &send->packets[send->packets_len - 1];
	bool held = send->packets_len > 1 || packet->size > 0;

	if (!ready(send))
		return mc_fail(send->ctx, EAGAIN, "no server has an address");
	MC_FOR_EACH_SAMPLE (sample, batch) {
		const struct mc_binary_series *series = series_of(send, sample->series);
		struct mc_stamp stamp = { sample->time, sample->interval };

		if (mc_binary_put(packet, series, stamp, sample->values))
			continue;
		packet = next_packet(send);
		if (mc_binary_put(packet, series, stamp, sample->values))
			continue;
		send->count->unsent++;
		mc_drop(send->ctx, 1, 0, "MaxPacketSize is too small for '%s'",
			mc_name(sample->series));
	}
	mc_binary_rest(packet);
	if (!held && packet->size > 0)
		mc_loop_wake(&send->holds);
	return 0;
}

int send_notification(struct send *send, const struct mc_notification *notification)
{
	unsigned char bytes[NOTICE_SIZE];
	struct mc_binary_packet packet = { .bytes = bytes };
	size_t room = send->packets[0].room;

	if (!ready(send))
		return mc_fail(send->ctx, 0,
			       "a notification is lost: no server has an "
			       "address");
	packet.size = mc_binary_notification(bytes, room < NOTICE_SIZE ? room : NOTICE_SIZE,
					     notification);
	if (packet.size == 0)
		return mc_fail(send->ctx, 0,
			       "a notification is lost: it is empty, or too "
			       "large for a packet");
	send_packets(send, &packet, 1);
	return 0;
}
