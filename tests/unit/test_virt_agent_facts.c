/* SPDX-License-Identifier: MIT */
/* What the agent of a guest says: good answers, and those of somebody who is root there. */
#include "agent_facts.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define ULL(text, number)                                                                          \
	{                                                                                          \
		.field = text, .type = VIR_TYPED_PARAM_ULLONG, .value.ul = (number)                \
	}
#define UINT(text, number)                                                                         \
	{                                                                                          \
		.field = text, .type = VIR_TYPED_PARAM_UINT, .value.ui = (number)                  \
	}
#define REAL(text, number)                                                                         \
	{                                                                                          \
		.field = text, .type = VIR_TYPED_PARAM_DOUBLE, .value.d = (number)                 \
	}
#define TEXT(text, words)                                                                          \
	{                                                                                          \
		.field = text, .type = VIR_TYPED_PARAM_STRING, .value.s = (char *)(words)          \
	}
#define TAKE(facts, params) agent_facts_take(facts, params, sizeof(params) / sizeof((params)[0]))

static void a_good_answer(void **state)
{
	virTypedParameter params[] = {
		UINT("user.count", 2),
		TEXT("user.0.name", "root"),
		TEXT("os.pretty-name", "Debian GNU/Linux 12 (bookworm)"),
		TEXT("os.kernel-release", "6.1.0-57"),
		TEXT("hostname", "inside"),
		REAL("load.1m", 0.5),
		REAL("load.5m", 0.25),
		REAL("load.15m", 0),
		UINT("fs.count", 2),
		TEXT("fs.0.mountpoint", "/"),
		TEXT("fs.0.name", "vda1"),
		TEXT("fs.0.fstype", "ext4"),
		ULL("fs.0.total-bytes", 1000),
		ULL("fs.0.used-bytes", 400),
		UINT("fs.0.disk.count", 1),
		TEXT("fs.0.disk.0.alias", "vda"),
		TEXT("fs.1.mountpoint", "/var/log"),
		TEXT("fs.1.fstype", "squashfs"),
		ULL("fs.1.total-bytes", 5),
		ULL("fs.1.used-bytes", 0),
		UINT("if.count", 2),
		TEXT("if.0.name", "lo"),
		TEXT("if.0.addr.0.addr", "127.0.0.1"),
		TEXT("if.1.addr.0.addr", "192.0.2.7"),
		TEXT("if.1.addr.1.addr", "2001:db8::7"),
		TEXT("if.1.addr.2.addr", "fe80::1"),
	};
	struct agent_facts facts;

	(void)state;
	agent_facts_init(&facts);
	TAKE(&facts, params);
	agent_facts_end(&facts);
	assert_true(facts.has_users);
	assert_int_equal(facts.users, 2);
	assert_string_equal(facts.os, "Debian GNU/Linux 12 (bookworm)");
	assert_string_equal(facts.kernel, "6.1.0-57");
	assert_string_equal(facts.hostname, "inside");
	assert_string_equal(facts.addresses, "192.0.2.7 2001:db8::7");
	assert_true(facts.load[0] == 0.5 && facts.load[1] == 0.25 && facts.load[2] == 0);
	assert_int_equal(facts.file_systems_len, 2);
	assert_string_equal(facts.file_systems[0].name, "root");
	assert_string_equal(facts.file_systems[0].device, "vda1");
	assert_string_equal(facts.file_systems[0].type, "ext4");
	assert_string_equal(facts.file_systems[0].disk, "vda");
	assert_int_equal(facts.file_systems[0].disks, 1);
	assert_int_equal(facts.file_systems[0].total, 1000);
	assert_int_equal(facts.file_systems[0].used, 400);
	assert_string_equal(facts.file_systems[1].name, "var-log");
	assert_string_equal(facts.file_systems[1].disk, "");
	assert_true(facts.file_systems[1].image && !facts.file_systems[0].image);
	assert_int_equal(facts.left_out, 0);
	agent_facts_free(&facts);
}

static void names_of_mount_points(void **state)
{
	static const char *const pairs[][2] = {
		{ "/", "root" },
		{ "/var/log", "var-log" },
		{ "C:\\", "C" },
		{ "D:", "D" },
		{ "//", "-" },
		{ "C:\\mnt\\x", "C:-mnt-x" },
		{ "", "" },
		{ ":", ":" },
		{ "System", "System" },
	};
	char name[AGENT_NAME_SIZE], longest[300];

	(void)state;
	for (size_t i = 0; i < sizeof(pairs) / sizeof(pairs[0]); i++) {
		agent_facts_name(pairs[i][0], name);
		assert_string_equal(name, pairs[i][1]);
	}
	memset(longest, 'x', sizeof(longest) - 1);
	longest[0] = '/';
	longest[sizeof(longest) - 1] = '\0';
	agent_facts_name(longest, name);
	assert_int_equal(strlen(name), AGENT_NAME_SIZE - 1);
}

static void an_odd_answer(void **state)
{
	virTypedParameter params[] = {
		UINT("user.count", UINT32_MAX),
		TEXT("hostname", "two\nwords\x1b[31m"),
		TEXT("os.pretty-name", NULL),
		UINT("os.kernel-release", 7),
		REAL("load.1m", NAN),
		REAL("load.5m", -1),
		TEXT("load.15m", "5"),
		TEXT("fs.0.mountpoint", "/a-b"),
		ULL("fs.0.total-bytes", 10),
		TEXT("fs.1.mountpoint", "/a/b"),
		ULL("fs.1.total-bytes", 10),
		TEXT("fs.2.mountpoint", "/used/more/than/all"),
		ULL("fs.2.total-bytes", 10),
		ULL("fs.2.used-bytes", 11),
		TEXT("fs.3.mountpoint", "/nothing known"),
		TEXT("fs.4.mountpoint", ""),
		ULL("fs.4.total-bytes", 10),
		ULL("fs.5.total-bytes", 10),
		TEXT("fs.300.mountpoint", "/beyond"),
		TEXT("fs.99999999999999999999.mountpoint", "/x"),
		TEXT("fs.-1.mountpoint", "/x"),
		TEXT("fs..mountpoint", "/x"),
		TEXT("fs.", "/x"),
		TEXT("if.0.addr.0.addr", "10.0.0.1 injected=1"),
		TEXT("if.0.addr.1.addr", NULL),
		TEXT("if.0.addr.2.addr", ""),
		{ .type = 77 },
	};
	struct agent_facts facts;

	(void)state;
	memset(params[26].field, 'f', sizeof(params[26].field));
	agent_facts_init(&facts);
	TAKE(&facts, params);
	agent_facts_end(&facts);
	assert_false(facts.has_users);
	assert_string_equal(facts.hostname, "two_words_[31m");
	assert_string_equal(facts.os, "");
	assert_string_equal(facts.kernel, "");
	assert_string_equal(facts.addresses, "");
	assert_true(isnan(facts.load[0]) && isnan(facts.load[1]) && isnan(facts.load[2]));
	assert_int_equal(facts.file_systems_len, 1);
	assert_string_equal(facts.file_systems[0].point, "/a-b");
	assert_int_equal(facts.left_out, 300 + 1 - AGENT_FILE_SYSTEMS_MAX + 1);
	agent_facts_free(&facts);
}

static void as_many_addresses_as_there_is_room_for(void **state)
{
	struct agent_facts facts;

	(void)state;
	agent_facts_init(&facts);
	for (int i = 0; i < 1000; i++) {
		virTypedParameter params[] = { TEXT("if.0.addr.0.addr", "198.51.100.100") };

		TAKE(&facts, params);
	}
	agent_facts_end(&facts);
	assert_int_equal(strlen(facts.addresses) % 15, 14);
	assert_true(strlen(facts.addresses) < sizeof(facts.addresses));
	agent_facts_free(&facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_good_answer),
		cmocka_unit_test(names_of_mount_points),
		cmocka_unit_test(an_odd_answer),
		cmocka_unit_test(as_many_addresses_as_there_is_room_for),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
