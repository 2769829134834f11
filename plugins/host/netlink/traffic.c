/* SPDX-License-Identifier: MIT */
#include "traffic.h"

#include <linux/gen_stats.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <string.h>

/* Without the padding, of which some machines have less. */
#define BASIC_SIZE (offsetof(struct gnet_stats_basic, packets) + sizeof(__u32))
#define QUEUE_SIZE (offsetof(struct gnet_stats_queue, overlimits) + sizeof(__u32))
#define OLD_SIZE (offsetof(struct tc_stats, packets) + sizeof(__u32))

static void read_stats(struct mc_netlink_part rest, struct traffic *traffic)
{
	struct mc_netlink_part content;
	struct gnet_stats_basic basic;
	struct gnet_stats_queue queue;

	if (mc_netlink_find(rest, TCA_STATS_BASIC, &content) &&
	    mc_netlink_copy(content, BASIC_SIZE, &basic, sizeof(basic))) {
		traffic->has_sent = true;
		traffic->bytes = basic.bytes;
		traffic->packets = basic.packets;
		/* There when the number has more than 32 bits. */
		if (mc_netlink_find(rest, TCA_STATS_PKT64, &content))
			mc_netlink_copy(content, sizeof(traffic->packets), &traffic->packets,
					sizeof(traffic->packets));
	}
	if (mc_netlink_find(rest, TCA_STATS_QUEUE, &content) &&
	    mc_netlink_copy(content, QUEUE_SIZE, &queue, sizeof(queue))) {
		traffic->has_queue = true;
		traffic->drops = queue.drops;
	}
}

/* As kernels before 2.6.10 had it; some filters still do. */
static void read_old_stats(struct mc_netlink_part rest, struct traffic *traffic)
{
	struct mc_netlink_part content;
	struct tc_stats old;

	if (!mc_netlink_find(rest, TCA_STATS, &content) ||
	    !mc_netlink_copy(content, OLD_SIZE, &old, sizeof(old)))
		return;
	traffic->has_sent = true;
	traffic->bytes = old.bytes;
	traffic->packets = old.packets;
}

bool traffic_parse(struct mc_netlink_part body, struct traffic *traffic)
{
	struct traffic found = { 0 };
	struct mc_netlink_part rest, content;
	struct tcmsg head;

	if (!mc_netlink_copy(body, sizeof(head), &head, sizeof(head)))
		return false;
	rest.bytes = body.bytes + sizeof(head);
	rest.size = body.size - sizeof(head);
	if (!mc_netlink_find(rest, TCA_KIND, &content))
		return false;
	content.size = strnlen(content.bytes, content.size);
	if (content.size == 0 || content.size >= sizeof(found.kind))
		return false;
	memcpy(found.kind, content.bytes, content.size);
	found.index = head.tcm_ifindex;
	found.handle = head.tcm_handle;
	found.parent = head.tcm_parent;
	if (mc_netlink_find(rest, TCA_STATS2, &content))
		read_stats(content, &found);
	if (!found.has_sent && !found.has_queue)
		read_old_stats(rest, &found);
	*traffic = found;
	return true;
}

bool traffic_is_classful(const char *kind)
{
	static const char *const plain[] = { "noqueue",         "noop", "pfifo_fast", "pfifo",
					     "pfifo_head_drop", "bfifo" };

	for (size_t i = 0; i < sizeof(plain) / sizeof(plain[0]); i++)
		if (strcmp(kind, plain[i]) == 0)
			return false;
	return true;
}
