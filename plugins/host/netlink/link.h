/* SPDX-License-Identifier: MIT */
/* link: what the kernel says of a network interface, and of the virtual functions of its card
 * (rtnetlink(7), linux/if_link.h).  Pure. */
#pragma once

#include <linux/if_link.h>
#include <net/if.h>

#include "kit/net/netlink_message.h"

struct link {
	int index;
	char name[IFNAMSIZ];
	bool has_stats, has_nohandler;
	struct rtnl_link_stats64 stats;
	struct mc_netlink_part functions; /* For link_next_function(). */
};

/* Reads a message RTM_NEWLINK; false if it is not understood. */
bool link_parse(struct mc_netlink_part body, struct link *link);

struct link_function {
	bool has_address;
	unsigned char address[6]; /* MAC */
	uint32_t number, vlan, qos, spoofcheck, link_state, rate, min_rate, max_rate, rss_query,
		trust;
	uint64_t rx_packets, tx_packets, rx_bytes, tx_bytes, broadcast, multicast, rx_dropped,
		tx_dropped;
};

/* Takes the next virtual function from 'functions'; false after the last one. */
bool link_next_function(struct mc_netlink_part *functions, struct link_function *function);
