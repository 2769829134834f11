/* SPDX-License-Identifier: MIT */
/* traffic: what the kernel says of a queueing discipline, a traffic class or a filter (tc(8),
 * linux/rtnetlink.h, linux/gen_stats.h).  Pure. */
#pragma once

#include "kit/net/netlink_message.h"

#define TRAFFIC_KIND_SIZE 17 /* 16 with '\0', as the kernel has it, and one more. */

struct traffic {
	int index; /* Of the interface. */
	char kind[TRAFFIC_KIND_SIZE];
	uint32_t handle, parent;
	bool has_sent, has_queue;
	uint64_t bytes, packets; /* If has_sent. */
	uint64_t drops;          /* If has_queue. */
};

/* Reads a message RTM_NEWQDISC, RTM_NEWTCLASS or RTM_NEWTFILTER; false if it is not understood. */
bool traffic_parse(struct mc_netlink_part body, struct traffic *traffic);

/* Whether disciplines of that kind may have classes and filters. */
bool traffic_is_classful(const char *kind);
