/* SPDX-License-Identifier: MIT */
/* Any bytes as a table of xtables, of IPv4 or IPv6, and as messages of nf_tables: the first byte
 * says which, the next two where the chain of a hook begins. */
#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "legacy_table.h"
#include "nft_message.h"

#define HEAD 3

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(struct rule_text text, const struct mc_netlink_part *whole)
{
	assert(text.text >= whole->bytes && text.text + text.size <= whole->bytes + whole->size);
}

static bool take_chain(void *argument, const char *name)
{
	(void)argument;
	return strlen(name) < 64;
}

static void take_rule(void *argument, const struct rule *rule)
{
	assert(rule->comments_len <= RULE_COMMENTS_MAX);
	for (size_t i = 0; i < rule->comments_len; i++)
		look_at(rule->comments[i], argument);
}

static void read_legacy(const uint8_t *head, struct mc_netlink_part part)
{
	const struct legacy_table_visitor visitor = { &part, take_chain, take_rule };
	const struct legacy_table table = {
		.is_v6 = (head[0] & 1) != 0,
		.valid_hooks = head[0],
		.hook_entry = { 0, 0, head[1], head[2] * 8U, 256U * head[1] + head[2] },
		.entries = part.bytes,
		.size = part.size,
	};

	legacy_table_walk(&table, &visitor);
}

static void read_nft(struct mc_netlink_part part)
{
	struct nft_rule rule;
	struct nft_counter counter;

	if (nft_message_rule(part, &rule)) {
		look_at(rule.table, &part);
		look_at(rule.chain, &part);
		take_rule(&part, &rule.rule);
	}
	if (nft_message_counter(part, &counter)) {
		look_at(counter.table, &part);
		look_at(counter.name, &part);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mc_netlink_part part = { .size = size - HEAD };
	char *bytes;

	if (size < HEAD)
		return 0;
	bytes = malloc(part.size > 0 ? part.size : 1); /* So that no byte beyond it is read. */
	if (bytes == NULL)
		abort();
	memcpy(bytes, data + HEAD, part.size);
	part.bytes = bytes;
	if (data[0] < 0x80)
		read_legacy(data, part);
	else
		read_nft(part);
	free(bytes);
	return 0;
}
