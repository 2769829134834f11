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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_groups),
		cmocka_unit_test(test_other_groups),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
