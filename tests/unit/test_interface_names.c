/* SPDX-License-Identifier: MIT */
/* What the snmp plugin calls the interfaces of a device. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "interface_names.h"

#define LEN_MAX 8

/* One after the other, as "NAME" or "NAME*" if it is shared, in any order of the interfaces. */
static void check(const struct interface_names *interfaces, const char *const *wanted)
{
	size_t len = 0;

	while (wanted[len] != NULL)
		len++;
	for (size_t turn = 0; turn < 2 * len; turn++) {
		struct interface_names turned[LEN_MAX];
		struct interface_choice choices[LEN_MAX];
		size_t from[LEN_MAX];

		for (size_t i = 0; i < len; i++) {
			from[i] = (i + turn) % len;
			if (turn >= len)
				from[i] = len - 1 - from[i];
			turned[i] = interfaces[from[i]];
		}
		interface_names_choose(turned, len, choices);
		for (size_t i = 0; i < len; i++) {
			char name[64];

			snprintf(name, sizeof(name), "%s%s%s", choices[i].prefix, choices[i].name,
				 choices[i].shared ? "*" : "");
			assert_string_equal(name, wanted[from[i]]);
		}
	}
}

static void a_name_is_that_of_one(void **state)
{
	(void)state;
	check((struct interface_names[]){ { "lo", "Loopback", "1" },
					  { "eth0", "Card", "2" },
					  { "eth1", "Card", "3" } },
	      (const char *[]){ "lo", "eth0", "eth1", NULL });
	check((struct interface_names[]){ { "", "Loopback", "1" },
					  { "", "Card", "2" },
					  { "", "Card", "3" },
					  { "", "", "4" } },
	      (const char *[]){ "Loopback", "2*", "3*", "4", NULL });
	check((struct interface_names[]){ { "up", "a", "1" },
					  { "up", "b", "2" },
					  { "up", "up", "3" } },
	      (const char *[]){ "a*", "b*", "3*", NULL });
}

static void no_fallback_takes_the_name_of_another(void **state)
{
	(void)state;
	check((struct interface_names[]){ { "", "eth0", "1" }, { "eth0", "Card", "2" } },
	      (const char *[]){ "1*", "eth0", NULL });
	check((struct interface_names[]){ { "up", "b", "1" },
					  { "up", "a", "2" },
					  { "b", "c", "3" } },
	      (const char *[]){ "1*", "a*", "b", NULL });
	check((struct interface_names[]){ { "", "", "1" }, { "1", "", "2" }, { "2", "", "3" } },
	      (const char *[]){ "ifIndex-1", "1", "2", NULL });
	check((struct interface_names[]){ { "", "", "1" },
					  { "1", "", "2" },
					  { "ifIndex-1", "x", "3" },
					  { "", "ifIndex-1", "4" } },
	      (const char *[]){ "ifIndex-1", "1", "x*", "4*", NULL });
}

static void what_a_series_cannot_tell_apart_is_one_name(void **state)
{
	(void)state;
	check((struct interface_names[]){ { "a/1", "", "1" },
					  { "a_1", "", "2" },
					  { "/a/2", "", "3" },
					  { "/", "", "4" } },
	      (const char *[]){ "1*", "2*", "/a/2", "4*", NULL });
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_name_is_that_of_one),
		cmocka_unit_test(no_fallback_takes_the_name_of_another),
		cmocka_unit_test(what_a_series_cannot_tell_apart_is_one_name),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
