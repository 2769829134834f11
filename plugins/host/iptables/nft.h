/* SPDX-License-Identifier: MIT */
/* nft: asks the kernel for rules and counters of nf_tables, by netlink(7).  That needs
 * CAP_NET_ADMIN. */
#pragma once

#include "nft_message.h"

struct nft {
	int socket; /* Plus one, so that zero means none. */
	uint32_t sequence;
	char *buffer;
};

struct nft_place {                 /* Scope of a question. */
	uint8_t family;            /* NFPROTO_UNSPEC: all. */
	const char *table, *chain; /* NULL: all. */
};

typedef void nft_visit_rule(void *argument, const struct nft_rule *rule);
typedef void nft_visit_counter(void *argument, const struct nft_counter *counter);

/* Visit the rules there in their order, and the named counters.  Return 0 or a negative errno:
 * -EINTR if they were changed meanwhile, so that some may lack, or have come twice; -ENOENT where
 * the kernel has no nf_tables.  A place that is not there has none. */
int nft_rules(struct nft *, const struct nft_place *, nft_visit_rule *visit, void *argument);
int nft_counters(struct nft *, const struct nft_place *, nft_visit_counter *visit, void *argument);

/* 0 if there is such a chain, or a negative errno: -ENOENT. */
int nft_find_chain(struct nft *, const struct nft_place *);

void nft_done(struct nft *);
