/* SPDX-License-Identifier: MIT */
#include "dump.h"

#include <collector/kit/alloc.h>

#include "kit/net/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int parse_error(const char *body, size_t size)
{
	int32_t error;

	if (size < sizeof(error))
		return -EBADMSG;
	memcpy(&error, body, sizeof(error));
	return error < 0 ? error : -EBADMSG;
}

static int parse_connection(const char *body, size_t size, dump_visit *visit, void *argument)
{
	struct inet_diag_msg message;
	struct dump_connection connection;

	if (size < sizeof(message))
		return -EBADMSG;
	memcpy(&message, body, sizeof(message));
	if (message.idiag_state == 0 || message.idiag_state >= DUMP_STATES)
		return -EBADMSG;
	connection = (struct dump_connection){
		.state = message.idiag_state,
		.local_port = ntohs(message.id.idiag_sport),
		.remote_port = ntohs(message.id.idiag_dport),
	};
	visit(argument, &connection);
	return 0;
}

int dump_parse(const void *bytes, size_t size, uint32_t sequence, dump_visit *visit, void *argument)
{
	const char *at = bytes;

	while (size > 0) {
		struct nlmsghdr header;
		size_t step;
		int rc = 0;

		if (size < sizeof(header))
			return -EBADMSG;
		memcpy(&header, at, sizeof(header));
		if (header.nlmsg_len < sizeof(header) || header.nlmsg_len > size)
			return -EBADMSG;
		const char *body = at + sizeof(header);
		size_t body_size = header.nlmsg_len - sizeof(header);

		if (header.nlmsg_seq != sequence)
			rc = 0; /* Of an answer that was given up. */
		else if (header.nlmsg_type == NLMSG_DONE)
			return 1;
		else if (header.nlmsg_type == NLMSG_ERROR)
			rc = parse_error(body, body_size);
		else if (header.nlmsg_type == TCPDIAG_GETSOCK)
			rc = parse_connection(body, body_size, visit, argument);
		if (rc != 0)
			return rc;
		step = NLMSG_ALIGN(header.nlmsg_len);
		if (step > size)
			step = size;
		at += step;
		size -= step;
	}
	return 0;
}

static int start(struct dump *dump)
{
	int fd;

	if (dump->socket != 0)
		return 0;
	fd = mc_netlink_open(NETLINK_SOCK_DIAG);
	if (fd < 0)
		return fd;
	dump->socket = fd + 1;
	if (dump->buffer == NULL)
		dump->buffer = mc_alloc(MC_NETLINK_SIZE);
	return 0;
}

/* This request is older than struct inet_diag_req_v2, and better: it asks for
 * both families at once, so that the kernel walks its table once. */
static int ask(struct dump *dump, uint32_t states)
{
	struct {
		struct nlmsghdr header;
		struct inet_diag_req body;
	} request = {
		.header = { .nlmsg_len = sizeof(request),
			    .nlmsg_type = TCPDIAG_GETSOCK,
			    .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
			    .nlmsg_seq = ++dump->sequence },
		.body = { .idiag_family = AF_UNSPEC, .idiag_states = states },
	};

	return mc_netlink_send(dump->socket - 1, &request, sizeof(request));
}

static int listen_to_answer(struct dump *dump, dump_visit *visit, void *argument)
{
	int rc = 0;

	while (rc == 0) {
		ssize_t size = mc_netlink_receive(dump->socket - 1, dump->buffer, MC_NETLINK_SIZE);

		if (size < 0)
			return (int)size;
		rc = dump_parse(dump->buffer, (size_t)size, dump->sequence, visit, argument);
	}
	return rc < 0 ? rc : 0;
}

static void stop(struct dump *dump)
{
	if (dump->socket != 0)
		close(dump->socket - 1);
	dump->socket = 0;
}

int dump_run(struct dump *dump, uint32_t states, dump_visit *visit, void *argument)
{
	int rc = start(dump);

	if (rc == 0)
		rc = ask(dump, states);
	if (rc == 0)
		rc = listen_to_answer(dump, visit, argument);
	if (rc != 0)
		stop(dump); /* The rest of the answer goes with it. */
	return rc;
}

void dump_done(struct dump *dump)
{
	stop(dump);
	free(dump->buffer);
	dump->buffer = NULL;
}
