/* SPDX-License-Identifier: MIT */
#include "selected.h"

#include <collector/kit/alloc.h>

#include <errno.h>
#include <fnmatch.h>
#include <linux/netfilter.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TRIES 5 /* Of a table that is changed while it is read. */
#define TEXT_SIZE 256
#define INSTANCE_SIZE 600

static const struct {
	const char *word;
	uint8_t number;
} families[] = {
	{ "*", NFPROTO_UNSPEC },      { "ip", NFPROTO_IPV4 }, { "ip6", NFPROTO_IPV6 },
	{ "inet", NFPROTO_INET },     { "arp", NFPROTO_ARP }, { "bridge", NFPROTO_BRIDGE },
	{ "netdev", NFPROTO_NETDEV },
};
#define FAMILIES_LEN (sizeof(families) / sizeof(families[0]))

struct name {
	const char *glob;
	bool is_met; /* In this read. */
};

struct scope {
	const char *family_word, *table; /* The table may be a glob. */
	uint8_t family;
	bool is_glob;
	struct name *names;
	size_t len, size;
	struct counters_place places[2]; /* Their addresses distinguish counters and rules. */
};

bool selected_family(const char *word, uint8_t *family)
{
	for (size_t i = 0; i < FAMILIES_LEN; i++)
		if (strcmp(word, families[i].word) == 0) {
			*family = families[i].number;
			return true;
		}
	return false;
}

void selected_add(struct selected *selected, const struct selected_option *option)
{
	struct scope *scope = NULL;
	uint8_t family;

	if (!selected_family(option->family, &family))
		return;
	for (size_t i = 0; i < selected->len && scope == NULL; i++)
		if (selected->items[i].family == family &&
		    strcmp(selected->items[i].table, option->table) == 0)
			scope = &selected->items[i];
	if (scope == NULL) {
		MC_ARRAY_GROW(selected->items, selected->len, selected->size);
		scope = &selected->items[selected->len++];
		*scope = (struct scope){ .family_word = option->family,
					 .table = option->table,
					 .family = family,
					 .is_glob = strpbrk(option->table, "*?[\\") != NULL };
	}
	MC_ARRAY_GROW(scope->names, scope->len, scope->size);
	scope->names[scope->len++] = (struct name){ .glob = option->name };
}

void selected_done(struct selected *selected)
{
	for (size_t i = 0; i < selected->len; i++)
		free(selected->items[i].names);
	free(selected->items);
	*selected = (struct selected){ 0 };
}

/* --- What the kernel has -------------------------------------------------------------------- */

struct pass {
	struct scope *scope;
	struct counters *counters;
};

static const char *family_word(uint8_t family)
{
	for (size_t i = 1; i < FAMILIES_LEN; i++)
		if (families[i].number == family)
			return families[i].word;
	return "other";
}

static bool copy_text(struct rule_text text, char out[TEXT_SIZE])
{
	if (text.size >= TEXT_SIZE)
		return false;
	memcpy(out, text.text, text.size);
	out[text.size] = '\0';
	return true;
}

static bool is_selected(struct scope *scope, struct rule_text table, struct rule_text name)
{
	char table_text[TEXT_SIZE], name_text[TEXT_SIZE];
	bool found = false;

	if (!copy_text(table, table_text) || !copy_text(name, name_text))
		return false;
	if (scope->is_glob && fnmatch(scope->table, table_text, 0) != 0)
		return false;
	for (size_t i = 0; i < scope->len; i++)
		if (fnmatch(scope->names[i].glob, name_text, 0) == 0)
			found = scope->names[i].is_met = true;
	return found;
}

static void visit_rule(void *argument, const struct nft_rule *rule)
{
	const struct pass *pass = argument;
	struct counters_place *place = &pass->scope->places[0];
	char instance[INSTANCE_SIZE];

	for (size_t i = 0; i < rule->rule.comments_len && rule->has_counter; i++) {
		struct rule_text comment = rule->rule.comments[i];

		if (!is_selected(pass->scope, rule->table, comment))
			continue;
		snprintf(instance, sizeof(instance), "%s-%.*s-%.*s", family_word(rule->family),
			 (int)rule->table.size, rule->table.text, (int)rule->chain.size,
			 rule->chain.text);
		*place = (struct counters_place){ "nftables", instance };
		counters_add(pass->counters, place, comment, &rule->rule);
	}
}

static void visit_counter(void *argument, const struct nft_counter *counter)
{
	const struct pass *pass = argument;
	struct counters_place *place = &pass->scope->places[1];
	const struct rule counted = { .bytes = counter->bytes, .packets = counter->packets };
	char instance[INSTANCE_SIZE];

	if (!is_selected(pass->scope, counter->table, counter->name))
		return;
	snprintf(instance, sizeof(instance), "%s-%.*s", family_word(counter->family),
		 (int)counter->table.size, counter->table.text);
	*place = (struct counters_place){ "nftables", instance };
	counters_add(pass->counters, place, counter->name, &counted);
}

static int read_scope(struct scope *scope, struct nft *nft, struct counters *counters)
{
	const struct nft_place place = { scope->family, scope->is_glob ? NULL : scope->table,
					 NULL };
	struct pass pass = { scope, counters };
	int rc = -EINTR;

	for (int i = 0; i < TRIES && rc == -EINTR; i++) {
		counters_next_pass(counters);
		rc = nft_counters(nft, &place, visit_counter, &pass);
		if (rc == 0)
			rc = nft_rules(nft, &place, visit_rule, &pass);
		if (rc != 0)
			counters_drop_pass(counters);
	}
	return rc;
}

static int report_missing(const struct scope *scope, struct mc_ctx *ctx)
{
	int failed = 0;

	for (size_t i = 0; i < scope->len; i++)
		if (!scope->names[i].is_met)
			failed = mc_fail(ctx, 0,
					 "no counter or comment '%s' in table '%s' of family '%s'",
					 scope->names[i].glob, scope->table, scope->family_word);
	return failed;
}

int selected_read(struct selected *selected, struct mc_ctx *ctx, struct nft *nft,
		  struct counters *counters)
{
	int failed = 0;

	for (size_t i = 0; i < selected->len; i++) {
		struct scope *scope = &selected->items[i];
		int rc;

		for (size_t j = 0; j < scope->len; j++)
			scope->names[j].is_met = false;
		rc = read_scope(scope, nft, counters);
		if (rc == 0 || rc == -ENOENT)
			rc = report_missing(scope, ctx);
		else if (rc == -EINTR)
			rc = mc_fail(ctx, EAGAIN,
				     "table '%s' of family '%s' changes while it is read",
				     scope->table, scope->family_word);
		else
			rc = mc_fail(ctx, -rc, "cannot read table '%s' of family '%s'",
				     scope->table, scope->family_word);
		failed = failed != 0 ? failed : rc;
	}
	return failed;
}
