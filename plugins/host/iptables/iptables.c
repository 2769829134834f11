/* SPDX-License-Identifier: MIT */
/* iptables: bytes and packets that rules of the packet filter have counted (collectd.conf(5),
 * "Plugin iptables"; iptables(8), nft(8)). */
#include <collector/check.h>
#include <collector/plugin.h>

#include <stdlib.h>
#include <string.h>

#include "chains.h"
#include "selected.h"

struct iptables {
	struct mc_blocks chains4, chains6, counters;
	int tables; /* enum chains_tables */

	struct chains chains;
	struct selected selected;
	struct chains_sources sources;
	struct counters found;
};

static int iptables_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct iptables *self = ctx->self;
	int failed, rc;

	counters_begin(&self->found);
	failed = chains_read(&self->chains, ctx, &self->sources, &self->found);
	rc = selected_read(&self->selected, ctx, &self->sources.nft, &self->found);
	counters_put(&self->found, out);
	if (self->found.is_full)
		rc = mc_fail(ctx, 0, "more than %d counters: the others are left out",
			     COUNTERS_MAX);
	return failed != 0 ? failed : rc;
}

static void check_line(struct mc_ctx *ctx, const struct chains_option *option)
{
	struct chains_option words;
	const char *rule;

	if (!chains_split(option, &words)) {
		mc_check_error(ctx, &option->table, "has no chain");
		return;
	}
	rule = words.rule;
	if (rule != NULL && chains_number(rule) < 0)
		mc_check_warn(ctx, &option->rule, "is not the number of a rule: nothing is read");
	else if (rule != NULL && chains_number(rule) > 0 &&
		 strspn(rule, "0123456789") != strlen(rule))
		mc_check_warn(ctx, &option->rule, "is rule number %d, not a comment",
			      chains_number(rule));
	else if (option->rule != NULL && strpbrk(rule, " \t") != NULL)
		mc_check_warn(ctx, &option->rule,
			      "is one comment with blanks, which is two words for collectd");
	free((char *)words.table);
}

static void iptables_check(struct mc_ctx *ctx)
{
	const struct iptables *self = ctx->self;
	const struct chains_option *four = self->chains4.items, *six = self->chains6.items;
	const struct selected_option *counters = self->counters.items;
	uint8_t family;

	for (size_t i = 0; i < self->chains4.len; i++)
		check_line(ctx, &four[i]);
	for (size_t i = 0; i < self->chains6.len; i++)
		check_line(ctx, &six[i]);
	for (size_t i = 0; i < self->counters.len; i++)
		if (!selected_family(counters[i].family, &family))
			mc_check_error(
				ctx, &counters[i].family,
				"is not a family of nft(8): ip, ip6, inet, arp, bridge, netdev, "
				"or * for all");
	if (self->chains4.len + self->chains6.len + self->counters.len > 0)
		mc_check_capabilities(ctx, &self->chains4, "CAP_NET_ADMIN");
}

static int iptables_start(struct mc_ctx *ctx)
{
	struct iptables *self = ctx->self;
	const struct chains_option *four = self->chains4.items, *six = self->chains6.items;
	const struct selected_option *counters = self->counters.items;

	self->chains.tables = (enum chains_tables)self->tables;
	for (size_t i = 0; i < self->chains4.len; i++)
		chains_add(&self->chains, false, &four[i]);
	for (size_t i = 0; i < self->chains6.len; i++)
		chains_add(&self->chains, true, &six[i]);
	for (size_t i = 0; i < self->counters.len; i++)
		selected_add(&self->selected, &counters[i]);
	if (self->chains4.len + self->chains6.len + self->counters.len == 0)
		mc_log(ctx, MC_NOTE, "neither Chain, Chain6 nor Counter: nothing is read");
	return 0;
}

static void iptables_stop(struct mc_ctx *ctx)
{
	struct iptables *self = ctx->self;

	counters_done(&self->found);
	chains_done(&self->chains);
	selected_done(&self->selected);
	legacy_done(&self->sources.legacy);
	nft_done(&self->sources.nft);
}

static const struct mc_option chain_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct chains_option, table),
	  .required = true,
	  .help = "Table.",
	  .sample = "filter" },
	{ .name = "",
	  MC_OPT_STRING(struct chains_option, chain),
	  .help = "Chain.",
	  .sample = "INPUT" },
	{ .name = "",
	  MC_OPT_STRING(struct chains_option, rule),
	  .help = "Comment or number of a rule; by default all rules that have a comment.",
	  .sample = "web" },
	{ .name = "",
	  MC_OPT_STRING(struct chains_option, name),
	  .help = "Name of the series; by default the comment or the number.",
	  .sample = "http" },
	{ 0 },
};
static const struct mc_block chain_block = { sizeof(struct chains_option), chain_options };

static const struct mc_option counter_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct selected_option, family),
	  .required = true,
	  .help = "Family of nft(8), or * for all.",
	  .sample = "inet" },
	{ .name = "",
	  MC_OPT_STRING(struct selected_option, table),
	  .required = true,
	  .help = "Table; a glob.",
	  .sample = "filter" },
	{ .name = "",
	  MC_OPT_STRING(struct selected_option, name),
	  .default_value = "*",
	  .help = "Named counter, or comment of rules; a glob.",
	  .sample = "web*" },
	{ 0 },
};
static const struct mc_block counter_block = { sizeof(struct selected_option), counter_options };

static const struct mc_option options[] = {
	{ .name = "Chain",
	  MC_OPT_BLOCKS(struct iptables, chains4),
	  .block = &chain_block,
	  .help = "Reports rules of a chain of iptables." },
	{ .name = "Chain6",
	  MC_OPT_BLOCKS(struct iptables, chains6),
	  .block = &chain_block,
	  .help = "Reports rules of a chain of ip6tables." },
	{ .name = "Counter",
	  MC_OPT_BLOCKS(struct iptables, counters),
	  .block = &counter_block,
	  .help = "Reports named counters of nft, and rules that have a comment and a counter." },
	{ .name = "Tables",
	  MC_OPT_WORD(struct iptables, tables),
	  .words = (const char *const[]){ "auto", "legacy", "nft", NULL },
	  .default_value = "auto",
	  .help = "Where chains are looked for: tables of iptables-legacy, those of iptables-nft, "
		  "or "
		  "the former if they have rules in the chain." },
	{ 0 }
};

MC_PLUGIN(iptables) = {
	MC_NAMED(iptables),
	.help = "Reads counters of rules of the packet filter, of iptables and nftables.",
	.self_size = sizeof(struct iptables),
	.options = options,
	.types = (const char *const[]){ "ipt_bytes", "ipt_packets", NULL },
	.check = iptables_check,
	.start = iptables_start,
	.read = iptables_read,
	.stop = iptables_stop,
	.lenient = true,
};
