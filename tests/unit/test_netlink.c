/* SPDX-License-Identifier: MIT */
/* The kernel's answers about links, virtual functions and traffic control; what is selected. */
#include "link.h"
#include "selection.h"
#include "traffic.h"

#include <errno.h>
#include <linux/gen_stats.h>
#include <linux/netlink.h>
#include <linux/pkt_sched.h>
#include <linux/rtnetlink.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEQUENCE 3

struct message { /* In the making. */
	char bytes[4096];
	size_t size;
};

static void add(struct message *message, const void *bytes, size_t size)
{
	memcpy(message->bytes + message->size, bytes, size);
	message->size += NLA_ALIGN(size);
}

/* Begins an attribute; returns where, for end(). */
static size_t begin(struct message *message, uint16_t type)
{
	struct nlattr header = { .nla_type = type };

	add(message, &header, sizeof(header));
	return message->size - sizeof(header);
}

static void end(struct message *message, size_t start)
{
	uint16_t size = (uint16_t)(message->size - start);

	memcpy(message->bytes + start, &size, sizeof(size));
}

static void add_attribute(struct message *message, uint16_t type, const void *bytes, size_t size)
{
	size_t start = begin(message, type);
	uint16_t whole = (uint16_t)(sizeof(struct nlattr) + size);

	add(message, bytes, size);
	memcpy(message->bytes + start, &whole, sizeof(whole));
}

/* A copy of just that size, so that a sanitizer sees one byte too many. */
static struct mc_netlink_part part(const struct message *message, size_t size)
{
	char *bytes = malloc(size + 1);

	assert_non_null(bytes);
	memcpy(bytes, message->bytes, size);
	bytes = realloc(bytes, size > 0 ? size : 1);
	return (struct mc_netlink_part){ bytes, size };
}

static struct message make_link(void)
{
	const struct ifinfomsg head = { .ifi_index = 7 };
	struct rtnl_link_stats64 stats = { .rx_packets = 1ULL << 40, .tx_dropped = 5 };
	const struct ifla_vf_mac mac = { .vf = 2, .mac = { 2, 0, 0, 0, 0xab, 1 } };
	const struct ifla_vf_vlan vlan = { .vf = 2, .vlan = 100, .qos = 3 };
	const struct ifla_vf_rate rate = { .vf = 2, .min_tx_rate = 10, .max_tx_rate = 20 };
	const struct ifla_vf_trust trust = { .vf = 2, .setting = 1 };
	const uint64_t received = 1234567890123, dropped = 9;
	struct message message = { 0 };
	size_t list, function, counters;

	stats.rx_nohandler = 4;
	add(&message, &head, sizeof(head));
	add_attribute(&message, IFLA_IFNAME, "ens1", 5);
	add_attribute(&message, IFLA_STATS64, &stats, sizeof(stats));
	list = begin(&message, IFLA_VFINFO_LIST | NLA_F_NESTED);
	function = begin(&message, IFLA_VF_INFO | NLA_F_NESTED);
	add_attribute(&message, IFLA_VF_MAC, &mac, sizeof(mac));
	add_attribute(&message, IFLA_VF_VLAN, &vlan, sizeof(vlan));
	add_attribute(&message, IFLA_VF_RATE, &rate, sizeof(rate));
	add_attribute(&message, IFLA_VF_TRUST, &trust, sizeof(trust));
	counters = begin(&message, IFLA_VF_STATS | NLA_F_NESTED);
	add_attribute(&message, IFLA_VF_STATS_RX_BYTES, &received, sizeof(received));
	add_attribute(&message, IFLA_VF_STATS_TX_DROPPED, &dropped, sizeof(dropped));
	end(&message, counters);
	end(&message, function);
	function = begin(&message, IFLA_VF_INFO);
	end(&message, function);
	end(&message, list);
	return message;
}

static void test_link(void **state)
{
	struct message message = make_link();
	struct mc_netlink_part body = part(&message, message.size);
	struct link_function function;
	struct link link;

	(void)state;
	assert_true(link_parse(body, &link));
	assert_int_equal(link.index, 7);
	assert_string_equal(link.name, "ens1");
	assert_true(link.has_stats && link.has_nohandler);
	assert_int_equal(link.stats.rx_packets, 1ULL << 40);
	assert_int_equal(link.stats.tx_dropped, 5);
	assert_int_equal(link.stats.rx_nohandler, 4);
	assert_true(link_next_function(&link.functions, &function));
	assert_true(function.has_address);
	assert_int_equal(function.number, 2);
	assert_int_equal(function.address[4], 0xab);
	assert_int_equal(function.vlan, 100);
	assert_int_equal(function.qos, 3);
	assert_int_equal(function.min_rate, 10);
	assert_int_equal(function.max_rate, 20);
	assert_int_equal(function.trust, 1);
	assert_int_equal(function.rx_bytes, 1234567890123);
	assert_int_equal(function.tx_dropped, 9);
	assert_int_equal(function.tx_bytes, 0);
	assert_true(link_next_function(&link.functions, &function));
	assert_false(function.has_address);
	assert_false(link_next_function(&link.functions, &function));
	free((char *)body.bytes);
}

static void test_old_kernel(void **state)
{
	const struct ifinfomsg head = { .ifi_index = 1 };
	const struct rtnl_link_stats64 stats = { .rx_bytes = 8 };
	struct message message = { 0 };
	struct mc_netlink_part body;
	struct link link;

	(void)state;
	add(&message, &head, sizeof(head));
	add_attribute(&message, IFLA_IFNAME, "lo", 3);
	add_attribute(&message, IFLA_STATS64, &stats, 23 * sizeof(uint64_t));
	body = part(&message, message.size);
	assert_true(link_parse(body, &link));
	assert_true(link.has_stats);
	assert_false(link.has_nohandler);
	assert_int_equal(link.stats.rx_bytes, 8);
	free((char *)body.bytes);
}

static void test_cut_link(void **state)
{
	struct message message = make_link();

	(void)state;
	for (size_t size = 0; size < message.size; size++) {
		struct mc_netlink_part body = part(&message, size);
		struct link_function function;
		struct link link = { .index = 99 };

		if (link_parse(body, &link))
			while (link_next_function(&link.functions, &function))
				assert_true(!function.has_address || function.number == 2);
		else
			assert_int_equal(link.index, 99);
		free((char *)body.bytes);
	}
}

static struct message make_discipline(uint64_t large)
{
	const struct tcmsg head = { .tcm_ifindex = 7,
				    .tcm_handle = 0x10010,
				    .tcm_parent = 0x10000 };
	const struct gnet_stats_basic basic = { .bytes = 1ULL << 33, .packets = 12 };
	const struct gnet_stats_queue queue = { .drops = 3 };
	const struct tc_stats old = { .bytes = 99, .packets = 98 };
	struct message message = { 0 };
	size_t stats;

	add(&message, &head, sizeof(head));
	add_attribute(&message, TCA_KIND, "htb", 4);
	stats = begin(&message, TCA_STATS2 | NLA_F_NESTED);
	add_attribute(&message, TCA_STATS_BASIC, &basic, sizeof(basic));
	if (large > 0)
		add_attribute(&message, TCA_STATS_PKT64, &large, sizeof(large));
	add_attribute(&message, TCA_STATS_QUEUE, &queue, sizeof(queue));
	end(&message, stats);
	add_attribute(&message, TCA_STATS, &old, sizeof(old));
	return message;
}

static void test_traffic(void **state)
{
	struct message message = make_discipline(0);
	struct mc_netlink_part body = part(&message, message.size);
	struct traffic traffic;

	(void)state;
	assert_true(traffic_parse(body, &traffic));
	assert_string_equal(traffic.kind, "htb");
	assert_int_equal(traffic.index, 7);
	assert_int_equal(traffic.handle, 0x10010);
	assert_int_equal(traffic.parent, 0x10000);
	assert_true(traffic.has_sent && traffic.has_queue);
	assert_int_equal(traffic.bytes, 1ULL << 33);
	assert_int_equal(traffic.packets, 12);
	assert_int_equal(traffic.drops, 3);
	free((char *)body.bytes);
	message = make_discipline((1ULL << 32) + 12);
	body = part(&message, message.size);
	assert_true(traffic_parse(body, &traffic));
	assert_int_equal(traffic.packets, (1ULL << 32) + 12);
	free((char *)body.bytes);
	assert_true(traffic_is_classful("htb"));
	assert_false(traffic_is_classful("noqueue"));
}

static void test_old_traffic(void **state)
{
	const struct tcmsg head = { .tcm_ifindex = 7 };
	const struct tc_stats old = { .bytes = 99, .packets = 98 };
	struct message message = { 0 };
	struct mc_netlink_part body;
	struct traffic traffic;

	(void)state;
	add(&message, &head, sizeof(head));
	add_attribute(&message, TCA_KIND, "u32", 4);
	add_attribute(&message, TCA_STATS, &old, sizeof(old));
	body = part(&message, message.size);
	assert_true(traffic_parse(body, &traffic));
	assert_true(traffic.has_sent);
	assert_false(traffic.has_queue);
	assert_int_equal(traffic.bytes, 99);
	assert_int_equal(traffic.packets, 98);
	free((char *)body.bytes);
}

static int count(void *argument, uint16_t type, struct mc_netlink_part body)
{
	(void)body;
	*(int *)argument += type;
	return 0;
}

static void add_message(struct message *message, uint16_t type, uint32_t sequence, int32_t number)
{
	const struct nlmsghdr header = { .nlmsg_type = type,
					 .nlmsg_seq = sequence,
					 .nlmsg_len = NLMSG_HDRLEN + sizeof(number) };

	add(message, &header, sizeof(header));
	add(message, &number, sizeof(number));
}

static int walk(const struct message *message, int *sum)
{
	struct mc_netlink_part all = part(message, message->size);
	int rc;

	*sum = 0;
	rc = mc_netlink_walk(all, SEQUENCE, count, sum);
	free((char *)all.bytes);
	return rc;
}

static void test_walk(void **state)
{
	struct message message = { 0 }, failing;
	int sum;

	(void)state;
	add_message(&message, 100, SEQUENCE, 0);
	add_message(&message, 200, SEQUENCE - 1, 0);
	add_message(&message, 300, SEQUENCE, 0);
	assert_int_equal(walk(&message, &sum), 0);
	assert_int_equal(sum, 400);
	failing = message;
	add_message(&failing, NLMSG_ERROR, SEQUENCE, -EPERM);
	assert_int_equal(walk(&failing, &sum), -EPERM);
	failing = message;
	add_message(&failing, NLMSG_DONE, SEQUENCE, -ENODEV);
	assert_int_equal(walk(&failing, &sum), -ENODEV);
	failing = message;
	failing.size -= 1;
	assert_int_equal(walk(&failing, &sum), -EBADMSG);
	add_message(&message, NLMSG_DONE, SEQUENCE, 0);
	assert_int_equal(walk(&message, &sum), 1);
}

static void test_selection(void **state)
{
	struct selection selection = { 0 };

	(void)state;
	assert_true(selection_has(&selection, SELECTION_QDISC, "eth0", "htb-1:0"));
	assert_false(selection_add(&selection, SELECTION_INTERFACE, "/(/", NULL));
	assert_true(selection_add(&selection, SELECTION_INTERFACE, "/^eth/", NULL));
	assert_true(selection_add(&selection, SELECTION_QDISC, "eth0 htb-1:0", NULL));
	assert_true(selection_add(&selection, SELECTION_CLASS, "ALL", NULL));
	assert_true(selection_has(&selection, SELECTION_INTERFACE, "eth7", NULL));
	assert_false(selection_has(&selection, SELECTION_INTERFACE, "veth7", NULL));
	assert_false(selection_has(&selection, SELECTION_DETAIL, "eth7", NULL));
	assert_true(selection_has(&selection, SELECTION_QDISC, "ETH0", NULL));
	assert_true(selection_has(&selection, SELECTION_QDISC, "eth0", "HTB-1:0"));
	assert_false(selection_has(&selection, SELECTION_QDISC, "eth0", "htb-2:0"));
	assert_true(selection_has(&selection, SELECTION_CLASS, "x", "htb-2:1"));
	selection.ignore = true;
	assert_false(selection_has(&selection, SELECTION_CLASS, "x", "htb-2:1"));
	assert_true(selection_has(&selection, SELECTION_QDISC, "eth0", "htb-2:0"));
	assert_false(selection_has(&selection, SELECTION_QDISC, "eth0", NULL));
	selection_done(&selection);
	selection.ignore = true;
	assert_false(selection_has(&selection, SELECTION_CLASS, "x", NULL));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_link),        cmocka_unit_test(test_old_kernel),
		cmocka_unit_test(test_cut_link),    cmocka_unit_test(test_traffic),
		cmocka_unit_test(test_old_traffic), cmocka_unit_test(test_walk),
		cmocka_unit_test(test_selection),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
