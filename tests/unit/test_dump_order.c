/* SPDX-License-Identifier: MIT */
/* The order of the series in a dump of the recorder: the guest of the notice comes first. */
#include "plugins/write/recorder/order.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* The turn of "HOST/PLUGIN[-INSTANCE]/gauge". */
static enum order_turn turn(const struct order_subjects *subjects, const char *host,
			    const char *instance)
{
	char name[256];
	struct mc_name_parts parts = { .name = name,
				       .host_size = strlen(host),
				       .plugin_size = 4,
				       .plugin_instance_size = strlen(instance),
				       .type_size = 5 };

	snprintf(name, sizeof(name), "%s/virt%s%s/gauge", host, *instance != '\0' ? "-" : "",
		 instance);
	return order_turn_of(subjects, "kvm3", &parts);
}

static void add(struct order_subjects *subjects, const char *host, const char *instance)
{
	order_add_subject(subjects, &(struct mc_notification){ .id = { .host = host,
								       .plugin_instance = instance,
								       .plugin = "virt" } });
}

static void test_guest_is_host(void **state)
{
	struct order_subjects subjects = { .len = 0 };

	(void)state;
	add(&subjects, "web1", NULL);
	assert_int_equal(turn(&subjects, "web1", ""), ORDER_SUBJECT);
	assert_int_equal(turn(&subjects, "web1", "x"), ORDER_SUBJECT);
	assert_int_equal(turn(&subjects, "kvm3", ""), ORDER_THIS_HOST);
	assert_int_equal(turn(&subjects, "web11", ""), ORDER_OTHERS);
	assert_int_equal(turn(&subjects, "web", ""), ORDER_OTHERS);
}

static void test_guest_is_instance(void **state)
{
	struct order_subjects subjects = { .len = 0 };

	(void)state;
	add(&subjects, "kvm3", "web1");
	assert_int_equal(turn(&subjects, "kvm3", "web1"), ORDER_SUBJECT);
	assert_int_equal(turn(&subjects, "kvm3", "web12"), ORDER_ITS_HOST);
	assert_int_equal(turn(&subjects, "kvm3", ""), ORDER_ITS_HOST);
	assert_int_equal(turn(&subjects, "other", "web1"), ORDER_OTHERS);
}

static void test_without_subject(void **state)
{
	struct order_subjects subjects = { .len = 0 };

	(void)state;
	add(&subjects, NULL, "web1");
	assert_int_equal(subjects.len, 0);
	assert_int_equal(turn(&subjects, "kvm3", "web1"), ORDER_THIS_HOST);
	assert_int_equal(turn(NULL, "kvm3", "web1"), ORDER_THIS_HOST);
	assert_int_equal(turn(NULL, "web1", ""), ORDER_OTHERS);
}

static void test_many(void **state)
{
	struct order_subjects subjects = { .len = 0 };
	char name[300];

	(void)state;
	for (int i = 0; i < 100; i++) {
		snprintf(name, sizeof(name), "web%d", i % 40);
		add(&subjects, name, "");
	}
	assert_int_equal(subjects.len, ORDER_SUBJECTS_MAX);
	assert_int_equal(turn(&subjects, "web15", ""), ORDER_SUBJECT);
	assert_int_equal(turn(&subjects, "web16", ""), ORDER_OTHERS);
	memset(name, 'a', sizeof(name) - 1);
	name[sizeof(name) - 1] = '\0';
	subjects.len = 0;
	add(&subjects, name, name);
	assert_int_equal(strlen(subjects.items[0].host), sizeof(subjects.items[0].host) - 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_guest_is_host),
		cmocka_unit_test(test_guest_is_instance),
		cmocka_unit_test(test_without_subject),
		cmocka_unit_test(test_many),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
