/* SPDX-License-Identifier: MIT */
#include "link.h"

#include <linux/rtnetlink.h>
#include <string.h>

/* Sizes of the structure in its first version, and with its last counter. */
#define OLDEST_STATS (offsetof(struct rtnl_link_stats64, tx_compressed) + sizeof(__u64))
#define WITH_NOHANDLER (offsetof(struct rtnl_link_stats64, rx_nohandler) + sizeof(__u64))

bool link_parse(struct mc_netlink_part body, struct link *link)
{
	struct mc_netlink_part rest, name, stats;
	struct ifinfomsg head;
	struct link found = { 0 };

	if (!mc_netlink_copy(body, sizeof(head), &head, sizeof(head)))
		return false;
	rest.bytes = body.bytes + sizeof(head);
	rest.size = body.size - sizeof(head);
	if (head.ifi_index <= 0 || !mc_netlink_find(rest, IFLA_IFNAME, &name))
		return false;
	name.size = strnlen(name.bytes, name.size);
	if (name.size == 0 || name.size >= sizeof(found.name))
		return false;
	memcpy(found.name, name.bytes, name.size);
	found.index = head.ifi_index;
	if (mc_netlink_find(rest, IFLA_STATS64, &stats)) {
		found.has_stats =
			mc_netlink_copy(stats, OLDEST_STATS, &found.stats, sizeof(found.stats));
		found.has_nohandler = stats.size >= WITH_NOHANDLER;
	}
	mc_netlink_find(rest, IFLA_VFINFO_LIST, &found.functions);
	*link = found;
	return true;
}

static void read_counters(struct mc_netlink_part rest, struct link_function *function)
{
	uint64_t *const counters[] = {
		[IFLA_VF_STATS_RX_PACKETS] = &function->rx_packets,
		[IFLA_VF_STATS_TX_PACKETS] = &function->tx_packets,
		[IFLA_VF_STATS_RX_BYTES] = &function->rx_bytes,
		[IFLA_VF_STATS_TX_BYTES] = &function->tx_bytes,
		[IFLA_VF_STATS_BROADCAST] = &function->broadcast,
		[IFLA_VF_STATS_MULTICAST] = &function->multicast,
		[IFLA_VF_STATS_RX_DROPPED] = &function->rx_dropped,
		[IFLA_VF_STATS_TX_DROPPED] = &function->tx_dropped,
	};
	struct mc_netlink_part content;
	uint16_t type;

	while (mc_netlink_next(&rest, &type, &content))
		if (type < sizeof(counters) / sizeof(counters[0]) && counters[type] != NULL)
			mc_netlink_copy(content, sizeof(uint64_t), counters[type],
					sizeof(uint64_t));
}

/* Each of these structures begins with the number of the function, and a setting follows. */
static void read_setting(uint16_t type, struct mc_netlink_part content,
			 struct link_function *function)
{
	uint32_t *const settings[] = {
		[IFLA_VF_VLAN] = &function->vlan,
		[IFLA_VF_TX_RATE] = &function->rate,
		[IFLA_VF_SPOOFCHK] = &function->spoofcheck,
		[IFLA_VF_LINK_STATE] = &function->link_state,
		[IFLA_VF_RATE] = &function->min_rate,
		[IFLA_VF_RSS_QUERY_EN] = &function->rss_query,
		[IFLA_VF_TRUST] = &function->trust,
	};
	uint32_t words[3] = { 0 }; /* The third one is that of VLAN and RATE. */
	struct ifla_vf_mac mac;

	if (type == IFLA_VF_MAC && mc_netlink_copy(content, sizeof(mac), &mac, sizeof(mac))) {
		function->has_address = true;
		function->number = mac.vf;
		memcpy(function->address, mac.mac, sizeof(function->address));
		return;
	}
	if (type >= sizeof(settings) / sizeof(settings[0]) || settings[type] == NULL ||
	    !mc_netlink_copy(content, 2 * sizeof(words[0]), words, sizeof(words)))
		return;
	*settings[type] = words[1];
	if (type == IFLA_VF_VLAN)
		function->qos = words[2];
	else if (type == IFLA_VF_RATE)
		function->max_rate = words[2];
}

bool link_next_function(struct mc_netlink_part *functions, struct link_function *function)
{
	struct mc_netlink_part rest, content;
	uint16_t type;

	do {
		if (!mc_netlink_next(functions, &type, &rest))
			return false;
	} while (type != IFLA_VF_INFO);
	*function = (struct link_function){ 0 };
	while (mc_netlink_next(&rest, &type, &content))
		if (type == IFLA_VF_STATS)
			read_counters(content, function);
		else
			read_setting(type, content, function);
	return true;
}
