/* SPDX-License-Identifier: MIT */
/* A message has a head and attributes.  A rule is a list of expressions, of which "counter" is one,
 * and "match" another, for what iptables-nft(8) has from xtables.  nft(8) keeps its comment in a
 * text of its own: types, sizes and values, a byte each for the first two (libnftnl/udata.h). */
#include "nft_message.h"

#include <endian.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <string.h>

#define COMMENT_OF_NFT 0 /* NFTNL_UDATA_RULE_COMMENT */

static bool open_message(struct mc_netlink_part body, uint8_t *family,
			 struct mc_netlink_part *attributes)
{
	struct nfgenmsg head;

	if (!mc_netlink_copy(body, sizeof(head), &head, sizeof(head)))
		return false;
	*family = head.nfgen_family;
	attributes->bytes = body.bytes + sizeof(head);
	attributes->size = body.size - sizeof(head);
	return true;
}

static bool find_text(struct mc_netlink_part attributes, uint16_t type, struct rule_text *text)
{
	struct mc_netlink_part content;

	if (!mc_netlink_find(attributes, type, &content))
		return false;
	text->text = content.bytes;
	text->size = strnlen(content.bytes, content.size);
	return text->size > 0;
}

static bool is_text(struct rule_text text, const char *word)
{
	return text.size == strlen(word) && memcmp(text.text, word, text.size) == 0;
}

static bool find_number(struct mc_netlink_part attributes, uint16_t type, uint64_t *number)
{
	struct mc_netlink_part content;
	uint64_t big_endian;

	if (!mc_netlink_find(attributes, type, &content) ||
	    !mc_netlink_copy(content, sizeof(big_endian), &big_endian, sizeof(big_endian)))
		return false;
	*number = be64toh(big_endian);
	return true;
}

static bool read_counter(struct mc_netlink_part attributes, uint64_t *bytes, uint64_t *packets)
{
	uint64_t found;

	if (!find_number(attributes, NFTA_COUNTER_BYTES, &found) ||
	    !find_number(attributes, NFTA_COUNTER_PACKETS, packets))
		return false;
	*bytes = found;
	return true;
}

static void add_comment(struct rule *rule, struct mc_netlink_part content)
{
	if (rule->comments_len < RULE_COMMENTS_MAX)
		rule->comments[rule->comments_len++] =
			(struct rule_text){ content.bytes, strnlen(content.bytes, content.size) };
}

static void read_expression(struct mc_netlink_part expression, struct nft_rule *rule)
{
	struct mc_netlink_part data, content;
	struct rule_text name;

	if (!find_text(expression, NFTA_EXPR_NAME, &name) ||
	    !mc_netlink_find(expression, NFTA_EXPR_DATA, &data))
		return;
	if (is_text(name, "counter")) {
		if (read_counter(data, &rule->rule.bytes, &rule->rule.packets))
			rule->has_counter = true;
	} else if (is_text(name, "match")) {
		if (find_text(data, NFTA_MATCH_NAME, &name) && is_text(name, "comment") &&
		    mc_netlink_find(data, NFTA_MATCH_INFO, &content))
			add_comment(&rule->rule, content);
	}
}

static void read_user_data(struct mc_netlink_part data, struct rule *rule)
{
	while (data.size >= 2) {
		size_t size = (unsigned char)data.bytes[1];
		unsigned type = (unsigned char)data.bytes[0];

		if (size > data.size - 2)
			return;
		if (type == COMMENT_OF_NFT)
			add_comment(rule, (struct mc_netlink_part){ data.bytes + 2, size });
		data.bytes += 2 + size;
		data.size -= 2 + size;
	}
}

bool nft_message_rule(struct mc_netlink_part body, struct nft_rule *rule)
{
	struct mc_netlink_part attributes, list, item;
	struct nft_rule found = { 0 };
	uint16_t type;

	if (!open_message(body, &found.family, &attributes) ||
	    !find_text(attributes, NFTA_RULE_TABLE, &found.table) ||
	    !find_text(attributes, NFTA_RULE_CHAIN, &found.chain))
		return false;
	if (mc_netlink_find(attributes, NFTA_RULE_EXPRESSIONS, &list))
		while (mc_netlink_next(&list, &type, &item))
			if (type == NFTA_LIST_ELEM)
				read_expression(item, &found);
	if (mc_netlink_find(attributes, NFTA_RULE_USERDATA, &item))
		read_user_data(item, &found.rule);
	*rule = found;
	return true;
}

bool nft_message_counter(struct mc_netlink_part body, struct nft_counter *counter)
{
	struct mc_netlink_part attributes, data;
	struct nft_counter found = { 0 };

	if (!open_message(body, &found.family, &attributes) ||
	    !find_text(attributes, NFTA_OBJ_TABLE, &found.table) ||
	    !find_text(attributes, NFTA_OBJ_NAME, &found.name) ||
	    !mc_netlink_find(attributes, NFTA_OBJ_DATA, &data) ||
	    !read_counter(data, &found.bytes, &found.packets))
		return false;
	*counter = found;
	return true;
}
