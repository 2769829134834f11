/* SPDX-License-Identifier: MIT */
#include "delays.h"

#include "kit/net/netlink.h"

#include <errno.h>
#include <linux/genetlink.h>
#include <linux/netlink.h>
#include <linux/taskstats.h>
#include <string.h>
#include <unistd.h>

#define ANSWER_SIZE 4096 /* A process has some 600 bytes. */

/* A question with one attribute. */
struct question {
	struct nlmsghdr header;
	struct genlmsghdr generic;
	struct nlattr attribute;
	char content[16];
};

static int ask(struct delays *delays, struct question *question, size_t size)
{
	size_t all = offsetof(struct question, content) + size;

	question->header.nlmsg_len = (uint32_t)NLMSG_ALIGN(all);
	question->header.nlmsg_flags = NLM_F_REQUEST;
	question->header.nlmsg_seq = ++delays->sequence;
	question->attribute.nla_len = (uint16_t)(sizeof(question->attribute) + size);
	return mc_netlink_send(delays->socket - 1, question, NLMSG_ALIGN(all));
}

/* Which number the kernel has given to taskstats. */
static int find_family(struct delays *delays)
{
	struct question question = {
		.header.nlmsg_type = GENL_ID_CTRL,
		.generic = { .cmd = CTRL_CMD_GETFAMILY, .version = 1 },
		.attribute.nla_type = CTRL_ATTR_FAMILY_NAME,
		.content = TASKSTATS_GENL_NAME,
	};
	char answer[ANSWER_SIZE];
	int rc = ask(delays, &question, sizeof(TASKSTATS_GENL_NAME));

	while (rc == 0) {
		ssize_t size = mc_netlink_receive(delays->socket - 1, answer, sizeof(answer));

		if (size < 0)
			return (int)size;
		rc = taskstats_family(answer, (size_t)size, delays->sequence, &delays->family);
		if (rc != -EAGAIN)
			return rc;
		rc = 0;
	}
	return rc;
}

static int open_socket(struct delays *delays)
{
	int fd, rc;

	if (delays->socket != 0)
		return 0;
	fd = mc_netlink_open(NETLINK_GENERIC);
	if (fd < 0)
		return fd;
	delays->socket = fd + 1;
	rc = find_family(delays);
	if (rc != 0)
		delays_done(delays);
	return rc;
}

static int read_delays(struct delays *delays, uint32_t pid, struct taskstats_delays *out)
{
	struct question question = {
		.header.nlmsg_type = delays->family,
		.generic = { .cmd = TASKSTATS_CMD_GET, .version = TASKSTATS_GENL_VERSION },
		.attribute.nla_type = TASKSTATS_CMD_ATTR_TGID,
	};
	char answer[ANSWER_SIZE];
	int rc;

	memcpy(question.content, &pid, sizeof(pid));
	rc = ask(delays, &question, sizeof(pid));
	while (rc == 0) {
		ssize_t size = mc_netlink_receive(delays->socket - 1, answer, sizeof(answer));

		if (size < 0)
			return (int)size;
		rc = taskstats_delays(answer, (size_t)size, delays->sequence, out);
		if (rc != -EAGAIN)
			return rc;
		rc = 0;
	}
	return rc;
}

int delays_read(struct delays *delays, uint32_t pid, struct taskstats_delays *out)
{
	int rc = open_socket(delays);

	if (rc == 0)
		rc = read_delays(delays, pid, out);
	if (rc != 0 && rc != -ESRCH && delays->failure == 0)
		delays->failure = rc;
	return rc;
}

void delays_done(struct delays *delays)
{
	if (delays->socket != 0)
		close(delays->socket - 1);
	delays->socket = 0;
}
