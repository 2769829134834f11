/* SPDX-License-Identifier: MIT */
/* Groups of virtual machines, and their names. */
#include "guest.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void names_group(const char *group, const char *wanted)
{
	char name[16] = "?";

	assert_int_equal(guest_of_group(group, name, sizeof(name)), wanted != NULL);
	assert_string_equal(name, wanted != NULL ? wanted : "?");
}

static void test_groups(void **state)
{
	(void)state;
	names_group("machine-qemu\\x2d1\\x2dweb.scope", "web");
	names_group("machine-qemu\\x2d12\\x2dweb\\x2d2.example.scope", "web-2.example");
	names_group("machine-qemu-1-web.scope", "web");
	names_group("qemu-3-web.libvirt-qemu", "web");
	names_group("machine-qemu\\x2d1\\x2da\\x2fb.scope", "a_b");
	names_group("machine-qemu\\x2d1\\x2dabcdefghijklmnopqrst.scope", "abcdefghijklmno");
	names_group("machine-qemu\\x2d1\\x2d\\x.scope", "\\x");
	names_group("machine-qemu\\x2d1\\x2d\\x2g.scope", "\\x2g");
}

static void test_other_groups(void **state)
{
	static const char *const groups[] = {
		"",
		".scope",
		"machine.slice",
		"libvirtd.service",
		"session-1.scope",
		"machine-qemu\\x2d\\x2dweb.scope",
		"machine-qemu\\x2d1.scope",
		"machine-qemu\\x2d1\\x2d.scope",
		"machine-qemu\\x2d1\\x2dweb",
		"machine-lxc\\x2d1\\x2dweb.scope",
		"qemu-1-.libvirt-qemu",
		"qemu-web.libvirt-qemu",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(groups) / sizeof(*groups); i++)
		names_group(groups[i], NULL);
}

#define NAMES_COMMAND(command, wanted) names_command(command, sizeof(command) - 1, wanted)

static void names_command(const char *command, size_t size, const char *wanted)
{
	char name[16] = "?";

	assert_int_equal(guest_of_command(command, size, name, sizeof(name)), wanted != NULL);
	if (wanted != NULL)
		assert_string_equal(name, wanted);
}

static void test_commands(void **state)
{
	(void)state;
	NAMES_COMMAND("qemu\0-name\0guest=web_1,debug-threads=on\0-S\0", "web_1");
	NAMES_COMMAND("qemu\0-name\0web\0", "web");
	NAMES_COMMAND("qemu\0-name\0guest=a,,b,,,debug-threads=on\0", "a,b,");
	NAMES_COMMAND("qemu\0-name\0guest=abcdefghijklmnopqrst\0", "abcdefghijklmno");
	NAMES_COMMAND("qemu\0-name\0process=x\0", NULL);
	NAMES_COMMAND("qemu\0-name\0guest=\0", NULL);
	NAMES_COMMAND("qemu\0-name\0", NULL);
	NAMES_COMMAND("qemu\0-name", NULL);
	NAMES_COMMAND("qemu\0-name\0guest=cut", NULL);
	NAMES_COMMAND("sleep\0", NULL);
	NAMES_COMMAND("", NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_other_groups),
		cmocka_unit_test(test_commands),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
