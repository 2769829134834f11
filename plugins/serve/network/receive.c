/* SPDX-License-Identifier: MIT */
/* A thread has its sockets in an epoll(7), level-triggered, and recvmmsg(2).
 * What one call brings is one batch: under load the work per batch is shared by
 * many packets, and a packet that comes alone waits for nothing. */
#include "receive.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "clock.h"

#define ROUND 32 /* Packets received at once. */
#define EVENTS_MAX 16
#define CHECK_INTERVAL MC_SECOND /* Between two looks at drops. */

struct round { /* Room for what is received at once. */
	struct mmsghdr headers[ROUND];
	struct iovec vectors[ROUND];
	struct sockaddr_storage senders[ROUND];
	unsigned char *bytes;
};

static struct round *round_new(size_t packet_size)
{
	struct round *round = mc_alloc_zero(sizeof(*round));

	round->bytes = mc_alloc(ROUND * packet_size);
	for (size_t i = 0; i < ROUND; i++) {
		round->vectors[i] =
			(struct iovec){ round->bytes + i * packet_size,
					packet_size };
		round->headers[i].msg_hdr = (struct msghdr){
			.msg_name = &round->senders[i],
			.msg_iov = &round->vectors[i],
			.msg_iovlen = 1,
		};
	}
	return round;
}

static void round_free(struct round *round)
{
	free(round->bytes);
	free(round);
}

static void take_round(struct receive *receive, struct round *round, int len,
		       struct take_origin *origin)
{
	struct mc_batch *batch = mc_begin(receive->ctx);
	uint64_t octets = 0;

	mc_set_origin(batch, receive->mark);
	for (int i = 0; i < len; i++) {
		struct mmsghdr *header = &round->headers[i];

		origin->sender = &round->senders[i];
		octets += header->msg_len;
		if (header->msg_hdr.msg_flags & MSG_TRUNC)
			count_refuse(receive->count, receive->ctx,
				     COUNT_OVERSIZED, origin->sender, NULL);
		ingest_packet(receive->take, origin, batch,
			      round->vectors[i].iov_base, header->msg_len);
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

static void receive_from(struct receive *receive, struct listen_socket *socket,
			 struct round *round)
{
	mc_time monotonic = clock_read(CLOCK_MONOTONIC);
	struct take_origin origin = { .level = socket->level,
				      .users = socket->users,
				      .now = clock_read(CLOCK_REALTIME) };
	int len;

	for (int i = 0; i < ROUND; i++)
		round->headers[i].msg_hdr.msg_namelen =
			sizeof(round->senders[i]);
	len = recvmmsg(socket->fd, round->headers, ROUND, MSG_DONTWAIT, NULL);
	if (len <= 0)
		return;
	users_refresh(socket->users, monotonic);
	times_save(&receive->take->times, monotonic);
	take_round(receive, round, len, &origin);
	check_drops(receive, monotonic);
}

static void flush(struct receive *receive)
{
	uint64_t expirations;

	if (read(receive->timer, &expirations, sizeof(expirations)) > 0)
		mc_flush(receive->ctx, receive->ctx->name, 0, NULL);
}

/* An event's data: the socket; NULL for the timer; 'receive' for the end. */
static int watch(int epoll, int fd, void *data)
{
	struct epoll_event event = { .events = EPOLLIN, .data.ptr = data };

	return epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static int watch_all(struct receive *receive, int epoll)
{
	struct listen *listen = receive->listen;
	int rc = watch(epoll, mc_stop_fd(receive->ctx), receive);

	if (receive->timer >= 0)
		rc |= watch(epoll, receive->timer, NULL);
	for (size_t i = 0; i < listen->len; i++)
		rc |= watch(epoll, listen->sockets[i].fd, &listen->sockets[i]);
	return rc;
}

/* One wait and what it brings; false: the end, or errno says why not. */
static bool serve(struct receive *receive, int epoll, struct round *round)
{
	struct epoll_event events[EVENTS_MAX];
	int len = epoll_wait(epoll, events, EVENTS_MAX, -1);

	if (len < 0)
		return errno == EINTR;
	for (int i = 0; i < len; i++) {
		void *data = events[i].data.ptr;

		if (data == receive) {
			errno = 0;
			return false;
		}
		if (data == NULL)
			flush(receive);
		else
			receive_from(receive, data, round);
	}
	return true;
}

static int receive_here(struct receive *receive)
{
	struct round *round = round_new(receive->packet_size);
	int epoll = epoll_create1(EPOLL_CLOEXEC), rc = 0;

	if (epoll < 0 || watch_all(receive, epoll) != 0)
		rc = mc_fail(receive->ctx, errno, "cannot receive");
	else
		while (serve(receive, epoll, round))
			;
	if (rc == 0 && errno != 0)
		rc = mc_fail(receive->ctx, errno, "cannot receive");
	if (epoll >= 0)
		close(epoll);
	round_free(round);
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
		rc = pthread_create(&receive[started].thread, NULL,
				    receive_main, &receive[started]);
	/* The sockets of a thread that is not there would fill up. */
	if (rc != 0)
		rc = mc_fail(receive->ctx, rc, "cannot make ReceiveThreads");
	else
		rc = receive_here(receive);
	for (unsigned i = 1; i < started; i++)
		pthread_join(receive[i].thread, NULL);
	return rc;
}
