/* SPDX-License-Identifier: MIT */
/* Tables of the packet filter as the kernel hands them out: of xtables and of nf_tables. */
#include "legacy_table.h"
#include "nft_message.h"

#include <endian.h>
#include <errno.h>
#include <linux/netfilter.h>
#include <linux/netfilter/nf_tables.h>
#include <linux/netfilter/nf_tables_compat.h>
#include <linux/netfilter/nfnetlink.h>
#include <linux/netfilter/x_tables.h>
#include <linux/netfilter/xt_comment.h>
#include <linux/netfilter_ipv4/ip_tables.h>
#include <linux/netfilter_ipv6/ip6_tables.h>
#include <linux/netlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

struct bytes { /* In the making. */
	char at[8192];
	size_t size;
};

static void add(struct bytes *bytes, const void *content, size_t size)
{
	assert_true(bytes->size + size <= sizeof(bytes->at));
	memcpy(bytes->at + bytes->size, content, size);
	bytes->size += size;
}

static void pad(struct bytes *bytes, size_t to)
{
	while (bytes->size % to != 0)
		add(bytes, "", 1);
}

/* --- Tables of xtables ---------------------------------------------------------------------- */

/* Names in the order in which they are visited: "[INPUT]", "5/7:web,". */
struct told {
	const char *wanted; /* NULL: all chains. */
	char text[1024];
};

static void tell(struct told *told, const char *text)
{
	assert_true(strlen(told->text) + strlen(text) < sizeof(told->text));
	memcpy(told->text + strlen(told->text), text, strlen(text) + 1);
}

static bool tell_chain(void *argument, const char *name)
{
	struct told *told = argument;

	tell(told, "[");
	tell(told, name);
	tell(told, "]");
	return told->wanted == NULL || strcmp(told->wanted, name) == 0;
}

static void tell_rule(void *argument, const struct rule *rule)
{
	char text[400];

	snprintf(text, sizeof(text), "%d/%d", (int)rule->bytes, (int)rule->packets);
	tell(argument, text);
	for (size_t i = 0; i < rule->comments_len; i++) {
		snprintf(text, sizeof(text), ":%.*s", (int)rule->comments[i].size,
			 rule->comments[i].text);
		tell(argument, text);
	}
	tell(argument, ",");
}

static void add_match(struct bytes *bytes, const char *name, const char *text)
{
	struct xt_entry_match match = { 0 };
	struct xt_comment_info info = { 0 };

	match.u.match_size = XT_ALIGN(sizeof(match) + sizeof(info));
	snprintf(match.u.user.name, sizeof(match.u.user.name), "%s", name);
	memcpy(info.comment, text, strnlen(text, sizeof(info.comment)));
	add(bytes, &match, sizeof(match));
	add(bytes, &info, sizeof(info));
	pad(bytes, XT_ALIGN(1));
}

/* An entry of IPv4 or IPv6 with up to two comments; a target of that name, with 'data' for it. */
static void add_entry(struct bytes *bytes, bool is_v6, uint64_t count, const char *const *comments,
		      const char *target, const char *data)
{
	size_t start = bytes->size, target_at;
	struct ipt_entry four = { .counters = { count, count * 10 } };
	struct ip6t_entry six = { .counters = { count, count * 10 } };
	struct xt_error_target error = { 0 };

	if (is_v6)
		add(bytes, &six, sizeof(six));
	else
		add(bytes, &four, sizeof(four));
	for (; comments != NULL && *comments != NULL; comments++)
		add_match(bytes, "comment", *comments);
	target_at = bytes->size - start;
	error.target.u.target_size = XT_ALIGN(sizeof(error));
	snprintf(error.target.u.user.name, sizeof(error.target.u.user.name), "%s", target);
	snprintf(error.errorname, sizeof(error.errorname), "%s", data);
	add(bytes, &error, sizeof(error));
	pad(bytes, XT_ALIGN(1));
	if (is_v6) {
		six.target_offset = (uint16_t)target_at;
		six.next_offset = (uint16_t)(bytes->size - start);
		memcpy(bytes->at + start, &six, sizeof(six));
	} else {
		four.target_offset = (uint16_t)target_at;
		four.next_offset = (uint16_t)(bytes->size - start);
		memcpy(bytes->at + start, &four, sizeof(four));
	}
}

/* INPUT with two rules, OUTPUT with none, a chain of a user with two. */
static struct legacy_table make_table(struct bytes *bytes, bool is_v6)
{
	static const char *const web[] = { "web", NULL }, *const both[] = { "a b", "c", NULL };
	struct legacy_table table = { .is_v6 = is_v6, .valid_hooks = 1 << 1 | 1 << 3 };

	table.hook_entry[1] = 0;
	add_entry(bytes, is_v6, 1, web, "", "");
	add_entry(bytes, is_v6, 2, NULL, "", "");
	add_entry(bytes, is_v6, 100, NULL, "", ""); /* Its policy. */
	table.hook_entry[3] = (unsigned)bytes->size;
	add_entry(bytes, is_v6, 101, NULL, "", "");
	add_entry(bytes, is_v6, 102, NULL, XT_ERROR_TARGET, "mine");
	add_entry(bytes, is_v6, 3, both, "", "");
	add_entry(bytes, is_v6, 4, web, "", "");
	add_entry(bytes, is_v6, 103, NULL, "", "");
	add_entry(bytes, is_v6, 104, NULL, XT_ERROR_TARGET, XT_ERROR_TARGET);
	table.entries = bytes->at;
	table.size = bytes->size;
	return table;
}

static int walk(const struct legacy_table *table, struct told *told)
{
	const struct legacy_table_visitor visitor = { told, tell_chain, tell_rule };

	told->text[0] = '\0';
	return legacy_table_walk(table, &visitor);
}

static void test_legacy(void **state)
{
	struct told told = { 0 };

	(void)state;
	for (int is_v6 = 0; is_v6 < 2; is_v6++) {
		struct bytes bytes = { .size = 0 };
		struct legacy_table table = make_table(&bytes, is_v6 == 1);

		told.wanted = NULL;
		assert_int_equal(walk(&table, &told), 0);
		assert_string_equal(told.text,
				    "[INPUT]10/1:web,20/2,[OUTPUT][mine]30/3:a b:c,40/4:web,");
		told.wanted = "mine";
		assert_int_equal(walk(&table, &told), 0);
		assert_string_equal(told.text, "[INPUT][OUTPUT][mine]30/3:a b:c,40/4:web,");
	}
}

/* Each size that is too small, and each byte that is another: no byte beyond is read. */
static void test_legacy_broken(void **state)
{
	struct bytes bytes = { .size = 0 };
	struct legacy_table table = make_table(&bytes, false);
	size_t size = table.size;
	struct told told = { 0 };

	(void)state;
	for (table.size = 0; table.size < size; table.size++) {
		char *copy = malloc(table.size + 1);

		assert_non_null(copy);
		memcpy(copy, bytes.at, table.size);
		table.entries = copy;
		walk(&table, &told);
		free(copy);
	}
	for (size_t i = 0; i < size; i++) {
		char *copy = malloc(size);

		assert_non_null(copy);
		memcpy(copy, bytes.at, size);
		copy[i] = (char)~copy[i];
		table.entries = copy;
		walk(&table, &told);
		free(copy);
	}
	table.size = 50;
	table.entries = bytes.at;
	assert_int_equal(walk(&table, &told), -EBADMSG);
}

/* --- Messages of nf_tables ------------------------------------------------------------------ */

static size_t begin(struct bytes *bytes, uint16_t type)
{
	struct nlattr header = { .nla_type = type };

	add(bytes, &header, sizeof(header));
	return bytes->size - sizeof(header);
}

static void end(struct bytes *bytes, size_t start)
{
	uint16_t size = (uint16_t)(bytes->size - start);

	memcpy(bytes->at + start, &size, sizeof(size));
	pad(bytes, NLA_ALIGNTO);
}

static void add_attribute(struct bytes *bytes, uint16_t type, const void *content, size_t size)
{
	size_t start = begin(bytes, type);

	add(bytes, content, size);
	end(bytes, start);
}

static void add_text(struct bytes *bytes, uint16_t type, const char *text)
{
	add_attribute(bytes, type, text, strlen(text) + 1);
}

static void add_counter(struct bytes *bytes, uint16_t type, uint64_t count)
{
	size_t start = begin(bytes, type);
	uint64_t octets = htobe64(count * 10), packets = htobe64(count);

	add_attribute(bytes, NFTA_COUNTER_BYTES, &octets, sizeof(octets));
	add_attribute(bytes, NFTA_COUNTER_PACKETS, &packets, sizeof(packets));
	end(bytes, start);
}

static void begin_message(struct bytes *bytes, uint8_t family)
{
	const struct nfgenmsg head = { .nfgen_family = family };

	bytes->size = 0;
	add(bytes, &head, sizeof(head));
}

static struct mc_netlink_part part(const struct bytes *bytes)
{
	return (struct mc_netlink_part){ bytes->at, bytes->size };
}

static void make_rule(struct bytes *bytes)
{
	size_t list, item, data;
	struct xt_comment_info info = { "by iptables" };

	begin_message(bytes, NFPROTO_INET);
	add_text(bytes, NFTA_RULE_TABLE, "filter");
	add_text(bytes, NFTA_RULE_CHAIN, "input");
	list = begin(bytes, NFTA_RULE_EXPRESSIONS);
	item = begin(bytes, NFTA_LIST_ELEM);
	add_text(bytes, NFTA_EXPR_NAME, "counter");
	add_counter(bytes, NFTA_EXPR_DATA, 9);
	end(bytes, item);
	item = begin(bytes, NFTA_LIST_ELEM);
	add_text(bytes, NFTA_EXPR_NAME, "match");
	data = begin(bytes, NFTA_EXPR_DATA);
	add_text(bytes, NFTA_MATCH_NAME, "comment");
	add_attribute(bytes, NFTA_MATCH_INFO, &info, sizeof(info));
	end(bytes, data);
	end(bytes, item);
	item = begin(bytes, NFTA_LIST_ELEM);
	add_text(bytes, NFTA_EXPR_NAME, "counter");
	add_counter(bytes, NFTA_EXPR_DATA, 5);
	end(bytes, item);
	end(bytes, list);
	/* Another text, then the comment. */
	add_attribute(bytes, NFTA_RULE_USERDATA, "\1\2xy\0\7by nft", 13);
}

static bool is_text(struct rule_text text, const char *expected)
{
	return text.size == strlen(expected) && memcmp(text.text, expected, text.size) == 0;
}

static void test_nft_rule(void **state)
{
	struct bytes bytes;
	struct nft_rule rule;

	(void)state;
	make_rule(&bytes);
	assert_true(nft_message_rule(part(&bytes), &rule));
	assert_int_equal(rule.family, NFPROTO_INET);
	assert_true(is_text(rule.table, "filter") && is_text(rule.chain, "input"));
	assert_true(rule.has_counter);
	assert_int_equal(rule.rule.bytes, 50);
	assert_int_equal(rule.rule.packets, 5);
	assert_int_equal(rule.rule.comments_len, 2);
	assert_true(is_text(rule.rule.comments[0], "by iptables"));
	assert_true(is_text(rule.rule.comments[1], "by nft"));
}

static void test_nft_broken(void **state)
{
	struct bytes bytes;
	struct nft_rule rule;
	struct nft_counter counter;

	(void)state;
	make_rule(&bytes);
	for (size_t size = 0; size < bytes.size; size++) {
		char *copy = malloc(size + 1);

		assert_non_null(copy);
		memcpy(copy, bytes.at, size);
		nft_message_rule((struct mc_netlink_part){ copy, size }, &rule);
		nft_message_counter((struct mc_netlink_part){ copy, size }, &counter);
		free(copy);
	}
	assert_false(nft_message_rule((struct mc_netlink_part){ bytes.at, 3 }, &rule));
	begin_message(&bytes, NFPROTO_INET);
	add_text(&bytes, NFTA_RULE_TABLE, "filter");
	assert_false(nft_message_rule(part(&bytes), &rule));
	add_text(&bytes, NFTA_RULE_CHAIN, "input");
	assert_true(nft_message_rule(part(&bytes), &rule));
	assert_false(rule.has_counter);
}

static void test_nft_counter(void **state)
{
	struct bytes bytes;
	struct nft_counter counter;

	(void)state;
	begin_message(&bytes, NFPROTO_IPV6);
	add_text(&bytes, NFTA_OBJ_TABLE, "t");
	add_text(&bytes, NFTA_OBJ_NAME, "web");
	assert_false(nft_message_counter(part(&bytes), &counter));
	add_counter(&bytes, NFTA_OBJ_DATA, 3);
	assert_true(nft_message_counter(part(&bytes), &counter));
	assert_int_equal(counter.family, NFPROTO_IPV6);
	assert_true(is_text(counter.table, "t") && is_text(counter.name, "web"));
	assert_int_equal(counter.bytes, 30);
	assert_int_equal(counter.packets, 3);
}

/* The kernel marks each message after a change, the last one too. */
static void test_torn(void **state)
{
	struct nlmsghdr header = { .nlmsg_len = NLMSG_HDRLEN, .nlmsg_seq = 7 };
	struct bytes bytes = { .size = 0 };

	(void)state;
	add(&bytes, &header, sizeof(header));
	assert_false(mc_netlink_is_torn(part(&bytes), 7));
	header.nlmsg_flags = NLM_F_DUMP_INTR;
	add(&bytes, &header, sizeof(header));
	assert_true(mc_netlink_is_torn(part(&bytes), 7));
	assert_false(mc_netlink_is_torn(part(&bytes), 8));
	bytes.size -= 1;
	assert_false(mc_netlink_is_torn(part(&bytes), 7));
	bytes.size = 0;
	header.nlmsg_len = UINT32_MAX;
	add(&bytes, &header, sizeof(header));
	assert_false(mc_netlink_is_torn(part(&bytes), 8));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_legacy),      cmocka_unit_test(test_legacy_broken),
		cmocka_unit_test(test_nft_rule),    cmocka_unit_test(test_nft_broken),
		cmocka_unit_test(test_nft_counter), cmocka_unit_test(test_torn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
