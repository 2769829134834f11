/* SPDX-License-Identifier: MIT */
/* The nodes of a group that may run plugins, and the clients that may ask a node. */
#include "allow.h"
#include "group.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <string.h>

#include "unit.h"

static void members_take_turns(void **state)
{
	struct group group = { .name = "kvm", .concurrent = 2 };
	struct group_member all[5] = { 0 };

	(void)state;
	assert_true(group_enter(&group, &all[0]));
	assert_true(group_enter(&group, &all[1]));
	assert_true(group_enter(&group, &all[0])); /* It runs already. */
	assert_int_equal(group.running, 2);
	for (int i = 2; i < 5; i++)
		assert_false(group_enter(&group, &all[i]));
	assert_false(group_enter(&group, &all[2])); /* It waits already. */
	assert_null(group_leave(&group, &all[3]));  /* It gives up. */
	assert_ptr_equal(group_leave(&group, &all[0]), &all[2]);
	assert_true(all[2].runs);
	assert_ptr_equal(group_leave(&group, &all[1]), &all[4]);
	assert_null(group_leave(&group, &all[2]));
	assert_null(group_leave(&group, &all[2])); /* It has left already. */
	assert_null(group_leave(&group, &all[4]));
	assert_int_equal(group.running, 0);
	assert_true(group_enter(NULL, &all[0]));
	assert_null(group_leave(NULL, &all[0]));
}

static void groups_by_name(void **state)
{
	struct group groups[] = { { .name = "a" }, { .name = "a;b" } };

	(void)state;
	assert_ptr_equal(group_find(groups, 2, "a"), &groups[0]);
	assert_ptr_equal(group_find(groups, 2, "a;c"), &groups[0]);
	assert_ptr_equal(group_find(groups, 2, "a;b;c"), &groups[1]);
	assert_null(group_find(groups, 2, "ab"));
	assert_null(group_find(groups, 2, ""));
}

static bool has(const char *allowed, const char *address)
{
	const struct mc_strings list = { &allowed, 1 };
	struct sockaddr_storage from = { .ss_family = AF_INET };
	struct sockaddr_in *v4 = (struct sockaddr_in *)&from;
	struct sockaddr_in6 *v6 = (struct sockaddr_in6 *)&from;

	if (strchr(address, ':') == NULL) {
		assert_int_equal(inet_pton(AF_INET, address, &v4->sin_addr), 1);
	} else {
		from.ss_family = AF_INET6;
		assert_int_equal(inet_pton(AF_INET6, address, &v6->sin6_addr), 1);
	}
	return allow_has(&list, &from);
}

static void who_may_ask(void **state)
{
	(void)state;
	assert_true(has("127.0.0.1", "127.0.0.1"));
	assert_false(has("127.0.0.1", "127.0.0.2"));
	assert_true(has("127.0.0.1", "::ffff:127.0.0.1"));
	assert_false(has("127.0.0.1", "::1"));
	assert_true(has("192.0.2.128/25", "192.0.2.200"));
	assert_false(has("192.0.2.128/25", "192.0.2.100"));
	assert_true(has("0.0.0.0/0", "192.0.2.1"));
	assert_false(has("0.0.0.0/0", "2001:db8::1"));
	assert_true(has("2001:db8::/33", "2001:db8:7fff::1"));
	assert_false(has("2001:db8::/33", "2001:db8:8000::1"));
	assert_true(has("::1", "::1"));
	assert_true(has("::ffff:192.0.2.0/120", "192.0.2.200"));
	assert_true(has("::ffff:192.0.2.1", "::ffff:192.0.2.1"));
	assert_false(has("::ffff:192.0.2.0/120", "192.0.3.200"));
	assert_false(has("::/0", "192.0.2.1"));
	assert_true(has("::/0", "2001:db8::1"));
	assert_false(allow_is_sound("192.0.2.1/33"));
	assert_false(allow_is_sound("192.0.2"));
	assert_false(allow_is_sound("192.0.2.1/"));
	assert_false(allow_is_sound("::/129"));
	assert_false(allow_is_sound("host"));
	assert_true(allow_is_sound("::/0"));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(members_take_turns),
		cmocka_unit_test(groups_by_name),
		cmocka_unit_test(who_may_ask),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
