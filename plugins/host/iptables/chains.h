/* SPDX-License-Identifier: MIT */
/* chains: lines Chain and Chain6: rules of chains of iptables(8), in the tables of xtables or of
 * nf_tables. */
#pragma once

#include "counters.h"
#include "legacy.h"
#include "nft.h"

enum chains_tables { CHAINS_AUTO, CHAINS_LEGACY, CHAINS_NFT };

struct chains_option { /* A line of the configuration. */
	const char *table, *chain, *rule, *name;
};

struct chain;

struct chains {
	struct chain *items; /* Each chain once. */
	size_t len, size;
	enum chains_tables tables;
};

/* The four words of a line, which may be in fewer arguments, separated by blanks; strings in
 * 'out' live until free(out->table).  False if there is no chain. */
bool chains_split(const struct chains_option *option, struct chains_option *out);

/* The number of a rule, which may be followed by other text; 0: the word is a comment. */
int chains_number(const char *word);

void chains_add(struct chains *, bool is_v6, const struct chains_option *option);

struct chains_sources {
	struct legacy legacy;
	struct nft nft;
};

/* Reads all chains into 'counters'.  Returns 0, or what mc_fail() returned. */
int chains_read(struct chains *, struct mc_ctx *ctx, struct chains_sources *sources,
		struct counters *counters);

void chains_done(struct chains *);
