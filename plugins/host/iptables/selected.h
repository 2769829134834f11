/* SPDX-License-Identifier: MIT */
/* selected: lines Counter: named counters of nf_tables, and rules with a comment, by globs. */
#pragma once

#include "counters.h"
#include "nft.h"

struct selected_option { /* A line of the configuration. */
	const char *family, *table, *name;
};

struct scope;

struct selected {
	struct scope *items; /* Each pair of a family and a table once. */
	size_t len, size;
};

/* Whether nft(8) has such a family, or it is "*"; '*family' is then its number. */
bool selected_family(const char *word, uint8_t *family);

void selected_add(struct selected *, const struct selected_option *option);

/* Reads all of them into 'counters'.  Returns 0, or what mc_fail() returned. */
int selected_read(struct selected *, struct mc_ctx *ctx, struct nft *nft,
		  struct counters *counters);

void selected_done(struct selected *);
