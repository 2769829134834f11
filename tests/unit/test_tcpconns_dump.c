/* SPDX-License-Identifier: MIT */
/* The kernel's answer, whole, cut, of another question, and wrong. */
#include "dump.h"
#include "ports.h"
#include "still.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/inet_diag.h>
#include <linux/netlink.h>
#include <netinet/tcp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define SEQUENCE 7

struct answer { /* A datagram of the kernel's, in the making. */
	char bytes[4096];
	size_t size;
};

struct seen {
	struct dump_connection items[16];
	size_t len;
};

static void add(struct answer *answer, uint16_t type, const void *body, size_t body_size)
{
	struct nlmsghdr header = { .nlmsg_type = type,
				   .nlmsg_seq = SEQUENCE,
				   .nlmsg_len = (uint32_t)NLMSG_LENGTH(body_size) };

	memcpy(answer->bytes + answer->size, &header, sizeof(header));
	memcpy(answer->bytes + answer->size + NLMSG_HDRLEN, body, body_size);
	answer->size += NLMSG_ALIGN(header.nlmsg_len);
}

static void add_connection(struct answer *answer, uint8_t state, uint16_t local, uint16_t remote)
{
	/* With an attribute after it, as from later kernels. */
	struct {
		struct inet_diag_msg message;
		char attribute[8];
	} body = { .message = { .idiag_family = AF_INET,
				.idiag_state = state,
				.id.idiag_sport = htons(local),
				.id.idiag_dport = htons(remote) } };

	add(answer, TCPDIAG_GETSOCK, &body, sizeof(body));
}

static void add_number(struct answer *answer, uint16_t type, int32_t number)
{
	add(answer, type, &number, sizeof(number));
}

static void see(void *argument, const struct dump_connection *connection)
{
	struct seen *seen = argument;

	assert_true(seen->len < 16);
	seen->items[seen->len++] = *connection;
}

/* From memory of just that size, so that a sanitizer sees one byte too many. */
static int parse(const struct answer *answer, size_t size, struct seen *seen)
{
	void *bytes = malloc(size + 1);
	int rc;

	assert_non_null(bytes);
	memcpy(bytes, answer->bytes, size);
	*seen = (struct seen){ 0 };
	rc = dump_parse(bytes, size, SEQUENCE, see, seen);
	free(bytes);
	return rc;
}

static void test_connections(void **state)
{
	struct answer answer = { 0 };
	struct seen seen;

	(void)state;
	add_connection(&answer, TCP_LISTEN, 22, 0);
	add_connection(&answer, TCP_CLOSING, 65535, 443);
	assert_int_equal(parse(&answer, answer.size, &seen), 0);
	assert_int_equal(seen.len, 2);
	assert_int_equal(seen.items[0].state, TCP_LISTEN);
	assert_int_equal(seen.items[0].local_port, 22);
	assert_int_equal(seen.items[0].remote_port, 0);
	assert_int_equal(seen.items[1].state, TCP_CLOSING);
	assert_int_equal(seen.items[1].local_port, 65535);
	assert_int_equal(seen.items[1].remote_port, 443);

	add_number(&answer, NLMSG_DONE, 0);
	assert_int_equal(parse(&answer, answer.size, &seen), 1);
	assert_int_equal(seen.len, 2);
}

static void test_cut_anywhere(void **state)
{
	struct answer answer = { 0 };
	struct seen seen;
	size_t step;

	(void)state;
	add_connection(&answer, TCP_LISTEN, 22, 0);
	step = answer.size;
	add_connection(&answer, TCP_ESTABLISHED, 22, 1024);
	for (size_t size = 1; size < answer.size; size++) {
		int rc = parse(&answer, size, &seen);

		assert_int_equal(rc, size == step ? 0 : -EBADMSG);
		assert_int_equal(seen.len, size >= step);
	}
}

static void test_lengths_that_lie(void **state)
{
	const uint32_t lengths[] = {
		0, 1, sizeof(struct nlmsghdr) - 1, sizeof(struct nlmsghdr) + 8, 4096, UINT32_MAX
	};
	struct seen seen;

	(void)state;
	for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
		struct answer answer = { 0 };

		add_connection(&answer, TCP_LISTEN, 22, 0);
		memcpy(answer.bytes, &lengths[i], sizeof(lengths[i]));
		assert_int_equal(parse(&answer, answer.size, &seen), -EBADMSG);
		assert_int_equal(seen.len, 0);
	}
}

static void test_states_that_are_none(void **state)
{
	const uint8_t wrong[] = { 0, DUMP_STATES, 255 };
	struct seen seen;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong); i++) {
		struct answer answer = { 0 };

		add_connection(&answer, wrong[i], 22, 0);
		assert_int_equal(parse(&answer, answer.size, &seen), -EBADMSG);
		assert_int_equal(seen.len, 0);
	}
}

static void test_errors(void **state)
{
	struct answer refused = { 0 }, acknowledged = { 0 }, cut = { 0 };
	struct seen seen;

	(void)state;
	add_number(&refused, NLMSG_ERROR, -ENOENT);
	assert_int_equal(parse(&refused, refused.size, &seen), -ENOENT);
	add_number(&acknowledged, NLMSG_ERROR, 0);
	assert_int_equal(parse(&acknowledged, acknowledged.size, &seen), -EBADMSG);
	add(&cut, NLMSG_ERROR, "", 1);
	assert_int_equal(parse(&cut, cut.size, &seen), -EBADMSG);
}

static void test_of_another_question(void **state)
{
	struct answer answer = { 0 };
	struct seen seen;

	(void)state;
	add_number(&answer, NLMSG_DONE, 0);
	((struct nlmsghdr *)(void *)answer.bytes)->nlmsg_seq = SEQUENCE - 1;
	add_connection(&answer, TCP_LISTEN, 22, 0);
	assert_int_equal(parse(&answer, answer.size, &seen), 0);
	assert_int_equal(seen.len, 1);
}

/* As the kernel's inet_diag_bc_run(). */
static bool selects(const char *program, size_t size, uint16_t local, uint16_t remote)
{
	ssize_t left = (ssize_t)size;

	while (left > 0) {
		struct inet_diag_bc_op op[2];
		bool yes = false;

		memcpy(op, program, (size_t)left < sizeof(op) ? (size_t)left : sizeof(op));
		switch (op->code) {
		case INET_DIAG_BC_S_GE:
			yes = local >= op[1].no;
			break;
		case INET_DIAG_BC_S_LE:
			yes = local <= op[1].no;
			break;
		case INET_DIAG_BC_D_GE:
			yes = remote >= op[1].no;
			break;
		case INET_DIAG_BC_D_LE:
			yes = remote <= op[1].no;
			break;
		}
		left -= yes ? op->yes : op->no;
		program += yes ? op->yes : op->no;
	}
	return left == 0;
}

static void test_program_of_ports(void **state)
{
	int64_t here[] = { 22, 443, 65535 }, there[] = { 25 };
	const struct mc_ints local = { here, 3 }, remote = { there, 1 }, none = { 0 };
	size_t size;
	char *program = ports_program(&local, &remote, &size);

	(void)state;
	assert_non_null(program);
	assert_true(selects(program, size, 22, 1));
	assert_true(selects(program, size, 443, 1));
	assert_true(selects(program, size, 65535, 1));
	assert_true(selects(program, size, 1, 25));
	assert_false(selects(program, size, 25, 22));
	assert_false(selects(program, size, 21, 24));
	assert_false(selects(program, size, 23, 26));
	free(program);
	assert_null(ports_program(&none, &none, &size));
}

static void test_too_many_ports(void **state)
{
	static int64_t here[PORTS_MAX + 1];
	struct mc_ints local = { here, PORTS_MAX };
	const struct mc_ints none = { 0 };
	size_t size;
	char *program;

	(void)state;
	for (int i = 0; i <= PORTS_MAX; i++)
		here[i] = 1000 + i;
	program = ports_program(&local, &none, &size);
	assert_non_null(program);
	assert_true(selects(program, size, 1000, 1));
	assert_true(selects(program, size, 1000 + PORTS_MAX - 1, 1));
	assert_false(selects(program, size, 1000 + PORTS_MAX, 1));
	free(program);
	local.len++;
	assert_null(ports_program(&local, &none, &size));
}

#define SNMP                                                                                       \
	"Ip: 1\nTcp: RtoAlgorithm InSegs\nTcp: 1 200 3628173 3610989\nUdp: InDatagrams\nUdp: 7\n"
#define SOCKSTAT "sockets: used 20\nTCP: inuse 4 orphan 0 tw 1 alloc 6 mem 0\nUDP: inuse 0 mem 0\n"
#define SOCKSTAT6 "TCP6: inuse 1\nUDP6: inuse 0\n"

static void test_stillness(void **state)
{
	uint64_t sum = still_sum(SNMP, SOCKSTAT, SOCKSTAT6);

	(void)state;
	assert_true(sum != 0);
	assert_true(sum ==
		    still_sum("Udp: 9\n" SNMP, "sockets: used 9\n" SOCKSTAT, SOCKSTAT6 "x\n"));
	assert_true(sum !=
		    still_sum("Tcp: A B\nTcp: 1 200 3628174 3610989\n", SOCKSTAT, SOCKSTAT6));
	assert_true(sum !=
		    still_sum(SNMP, "TCP: inuse 4 orphan 0 tw 2 alloc 6 mem 0\n", SOCKSTAT6));
	assert_true(sum !=
		    still_sum(SNMP, "TCP: inuse 3 orphan 0 tw 1 alloc 6 mem 0\n", SOCKSTAT6));
	assert_true(sum != still_sum(SNMP, SOCKSTAT, "TCP6: inuse 2\n"));
	assert_true(still_sum(SNMP, SOCKSTAT, "") != 0);
	assert_true(still_sum("", SOCKSTAT, SOCKSTAT6) == 0);
	assert_true(still_sum("Tcp: RtoAlgorithm\n", SOCKSTAT, SOCKSTAT6) == 0);
	assert_true(still_sum(SNMP, "", SOCKSTAT6) == 0);
	assert_true(still_sum(SNMP, SOCKSTAT, "garbage") == 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_connections),
		cmocka_unit_test(test_cut_anywhere),
		cmocka_unit_test(test_lengths_that_lie),
		cmocka_unit_test(test_states_that_are_none),
		cmocka_unit_test(test_errors),
		cmocka_unit_test(test_of_another_question),
		cmocka_unit_test(test_program_of_ports),
		cmocka_unit_test(test_too_many_ports),
		cmocka_unit_test(test_stillness),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
