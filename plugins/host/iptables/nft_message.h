/* SPDX-License-Identifier: MIT */
/* nft_message: what the kernel says of a rule or a named counter of nf_tables
 * (linux/netfilter/nf_tables.h).  Pure. */
#pragma once

#include "kit/net/netlink_message.h"
#include "rule.h"

struct nft_rule {
	uint8_t family; /* NFPROTO_IPV4 ... */
	struct rule_text table, chain;
	bool has_counter; /* Of several the last one: what passed all of the rule. */
	struct rule rule; /* Comments by iptables-nft(8), or by nft(8). */
};

/* Reads a message NFT_MSG_NEWRULE; false if it is not understood. */
bool nft_message_rule(struct mc_netlink_part body, struct nft_rule *rule);

struct nft_counter {
	uint8_t family;
	struct rule_text table, name;
	uint64_t bytes, packets;
};

/* Reads a message NFT_MSG_NEWOBJ of a counter; false if it is not understood. */
bool nft_message_counter(struct mc_netlink_part body, struct nft_counter *counter);
