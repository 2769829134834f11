/* SPDX-License-Identifier: MIT */
/* What the snmptrap plugin calls those who send. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <arpa/inet.h>
#include <cmocka.h>

#include "senders.h"

mc_time mc_wall(void)
{
	return 1700000000 * MC_SECOND;
}

/* The interfaces of this host: one, with a name and an index. */
static const char *interface;
static unsigned interface_index;

char *if_indextoname(unsigned index, char out[IF_NAMESIZE])
{
	if (interface == NULL || index != interface_index)
		return NULL;
	snprintf(out, IF_NAMESIZE, "%s", interface);
	return out;
}

static struct sockaddr_storage address_of(const char *text, uint32_t scope)
{
	struct sockaddr_storage address = { 0 };
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&address;
	struct sockaddr_in *v4 = (struct sockaddr_in *)&address;

	if (inet_pton(AF_INET, text, &v4->sin_addr) == 1) {
		address.ss_family = AF_INET;
	} else {
		address.ss_family = AF_INET6;
		assert_int_equal(inet_pton(AF_INET6, text, &v6->sin6_addr), 1);
		v6->sin6_scope_id = scope;
	}
	return address;
}

static void add(struct senders *senders, const char *text, const char *name)
{
	struct senders_address address;

	assert_true(senders_read_address(text, &address));
	assert_true(senders_add_name(senders, &address, name));
	assert_false(senders_add_name(senders, &address, "another"));
}

static void expect(const struct senders *senders, const char *text, uint32_t scope,
		   const char *name)
{
	struct sockaddr_storage address = address_of(text, scope);
	char out[SENDERS_TEXT_SIZE];

	assert_string_equal(senders_name(senders, &address, out), name);
}

static void names_are_those_of_addresses(void **state)
{
	struct senders senders = { .limit = 0 };

	(void)state;
	add(&senders, "192.0.2.1", "four");
	add(&senders, "2001:db8::1", "six");
	expect(&senders, "192.0.2.1", 0, "four");
	expect(&senders, "::ffff:192.0.2.1", 0, "four");
	expect(&senders, "192.0.2.2", 0, "192.0.2.2");
	expect(&senders, "2001:db8::1", 0, "six");
	expect(&senders, "2001:db8::2", 0, "2001:db8::2");
	senders_done(&senders);
}

static void interfaces_are_known_by_their_names(void **state)
{
	struct senders senders = { .limit = 0 };

	(void)state;
	interface = NULL;
	add(&senders, "fe80::1%eth0", "near");
	add(&senders, "fe80::1%eth1", "far");
	add(&senders, "fe80::1%9", "ninth");
	expect(&senders, "fe80::1", 2000000, "fe80::1%2000000");
	/* It is made, and then made again. */
	interface = "eth0";
	interface_index = 3;
	expect(&senders, "fe80::1", 3, "near");
	interface_index = 4;
	expect(&senders, "fe80::1", 4, "near");
	expect(&senders, "fe80::1", 9, "ninth");
	interface = "eth1";
	expect(&senders, "fe80::1", 4, "far");
	expect(&senders, "fe80::2", 0, "fe80::2");
	senders_done(&senders);
}

static void what_is_no_address_is_refused(void **state)
{
	static const char *const wrong[] = { "",
					     "switch1",
					     "fe80::1%",
					     "192.0.2.1%eth0",
					     "2001:db8::1%eth0",
					     "fe80::1%anamethatistoolong" };
	struct senders_address address;

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(senders_read_address(wrong[i], &address));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_those_of_addresses),
		cmocka_unit_test(interfaces_are_known_by_their_names),
		cmocka_unit_test(what_is_no_address_is_refused),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
