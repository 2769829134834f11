/* SPDX-License-Identifier: MIT */
#include "dump.h"

#include <collector/kit/alloc.h>

#include "kit/net/netlink.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <linux/sock_diag.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

struct visitor {
	dump_visit *visit;
	void *argument;
};

static int visit_connection(void *argument, uint16_t type, struct mc_netlink_part body)
{
	const struct visitor *visitor = argument;
	struct inet_diag_msg message;
	struct dump_connection connection;

	if (type != TCPDIAG_GETSOCK)
		return 0;
	if (!mc_netlink_copy(body, sizeof(message), &message, sizeof(message)) ||
	    message.idiag_state == 0 || message.idiag_state >= DUMP_STATES)
		return -EBADMSG;
	connection = (struct dump_connection){
		.state = message.idiag_state,
		.local_port = ntohs(message.id.idiag_sport),
		.remote_port = ntohs(message.id.idiag_dport),
	};
	visitor->visit(visitor->argument, &connection);
	return 0;
}

int dump_parse(const void *bytes, size_t size, uint32_t sequence, dump_visit *visit, void *argument)
{
	struct visitor visitor = { visit, argument };

	return mc_netlink_walk((struct mc_netlink_part){ bytes, size }, sequence, visit_connection,
			       &visitor);
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
		struct nlattr attribute;
	} * request;
	size_t size = sizeof(*request) + dump->program_size;
	int rc;

	if (dump->program == NULL)
		size -= sizeof(request->attribute);
	request = mc_alloc_zero(sizeof(*request) + dump->program_size);
	request->header = (struct nlmsghdr){ .nlmsg_len = (uint32_t)size,
					     .nlmsg_type = TCPDIAG_GETSOCK,
					     .nlmsg_flags = NLM_F_REQUEST | NLM_F_DUMP,
					     .nlmsg_seq = ++dump->sequence };
	request->body = (struct inet_diag_req){ .idiag_family = AF_UNSPEC, .idiag_states = states };
	if (dump->program != NULL) {
		request->attribute.nla_type = INET_DIAG_REQ_BYTECODE;
		request->attribute.nla_len =
			(uint16_t)(sizeof(request->attribute) + dump->program_size);
		memcpy(request + 1, dump->program, dump->program_size);
	}
	rc = mc_netlink_send(dump->socket - 1, request, size);
	free(request);
	return rc;
}

static void stop(struct dump *dump)
{
	if (dump->socket != 0)
		close(dump->socket - 1);
	dump->socket = 0;
}

int dump_run(struct dump *dump, uint32_t states, dump_visit *visit, void *argument)
{
	struct visitor visitor = { visit, argument };
	int rc = start(dump);

	if (rc == 0)
		rc = ask(dump, states);
	if (rc == 0)
		rc = mc_netlink_answer(dump->socket - 1,
				       (struct mc_netlink_buffer){ dump->buffer, MC_NETLINK_SIZE },
				       dump->sequence, visit_connection, &visitor);
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
