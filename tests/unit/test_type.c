/* SPDX-License-Identifier: MIT */
/* The set of types: adding, replacing, finding, growth. */
#include "model/type.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static const struct mc_type if_octets = {
	.name = "if_octets",
	.unit = "bytes/s",
	.help = "Bytes.",
	.sources_len = 2,
	.sources = { { "rx", MC_DERIVE, 0, 10 }, { "tx", MC_DERIVE, 0, 20 } },
};
static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, 0, 1 } },
};
static const struct mc_type counter = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_COUNTER, 0, 1 } },
};

static void test_add_and_find(void **state)
{
	struct type_set *set = type_set_new();
	struct place place = { .file = "a.db", .line = 3, .column = 1 };
	const struct mc_type *found;

	(void)state;
	assert_null(type_set_find(set, "if_octets", 9));
	type_set_add(set, &if_octets, place);
	found = type_set_find(set, "if_octets", 9);
	assert_non_null(found);
	assert_ptr_not_equal(found, &if_octets);
	assert_string_equal(found->name, "if_octets");
	assert_string_equal(found->unit, "bytes/s");
	assert_string_equal(found->help, "Bytes.");
	assert_int_equal(found->sources_len, 2);
	assert_string_equal(found->sources[1].name, "tx");
	assert_int_equal(found->sources[1].kind, MC_DERIVE);
	assert_true(found->sources[1].max == 20);
	assert_null(type_set_find(set, "if_octet", 8));
	assert_null(type_set_find(set, "if_octets2", 10));
	assert_null(type_set_find(set, "", 0));
	assert_ptr_equal(type_set_find(set, "if_octets-eth0", 9), found);
	type_set_free(set);
	type_set_free(NULL);
}

static void test_replace_and_origin(void **state)
{
	struct type_set *set = type_set_new();
	const struct mc_type *old, *found;
	struct type_origin origin;

	(void)state;
	type_set_add(set, &gauge, (struct place){ .file = "a", .line = 1 });
	type_set_seal(set);
	old = type_set_find(set, "gauge", 5);
	assert_string_equal(old->unit, "");
	origin = type_set_origin(set, old);
	assert_true(origin.own);
	assert_false(origin.foreign);
	assert_string_equal(origin.place.file, "a");

	type_set_add(set, &counter, (struct place){ .file = "b", .line = 2 });
	type_set_add(set, &if_octets, (struct place){ .file = "b", .line = 3 });
	found = type_set_find(set, "gauge", 5);
	assert_int_equal(type_set_len(set), 2);
	assert_int_equal(found->sources[0].kind, MC_COUNTER);
	assert_int_equal(old->sources[0].kind, MC_GAUGE);
	origin = type_set_origin(set, found);
	assert_true(origin.own);
	assert_true(origin.foreign);
	assert_string_equal(origin.place.file, "b");
	assert_int_equal(origin.place.line, 2);
	assert_false(type_set_origin(set, &if_octets).own);
	assert_true(type_set_origin(set, &if_octets).foreign);
	type_set_free(set);
}

static void count(void *argument, const struct mc_type *type)
{
	unsigned *next = argument;
	char name[TYPE_NAME_SIZE];

	snprintf(name, sizeof(name), "type_%u", (*next)++);
	assert_string_equal(type->name, name);
}

static void test_many(void **state)
{
	struct type_set *set = type_set_new();
	struct mc_type *type;
	char name[TYPE_NAME_SIZE];
	uint64_t room[16];
	unsigned seen = 0;

	(void)state;
	type = (struct mc_type *)room;
	memcpy(type, &gauge, sizeof(gauge) + sizeof(gauge.sources[0]));
	type->name = name;
	for (unsigned i = 0; i < 5000; i++) {
		snprintf(name, sizeof(name), "type_%u", i);
		type_set_add(set, type, (struct place){ .line = i + 1 });
	}
	for (unsigned i = 0; i < 5000; i++) {
		const struct mc_type *found;
		int size = snprintf(name, sizeof(name), "type_%u", i);

		found = type_set_find(set, name, size);
		assert_non_null(found);
		assert_string_equal(found->name, name);
	}
	assert_null(type_set_find(set, "type_5000", 9));
	type_set_each(set, count, &seen);
	assert_int_equal(seen, 5000);
	type_set_free(set);
}

static void test_same_sources(void **state)
{
	(void)state;
	assert_true(type_same_sources(&gauge, &gauge));
	assert_false(type_same_sources(&gauge, &counter));
	assert_false(type_same_sources(&gauge, &if_octets));
	assert_string_equal(type_kind_name(MC_COUNTER), "COUNTER");
	assert_string_equal(type_kind_name(MC_ABSOLUTE), "ABSOLUTE");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_add_and_find),
		cmocka_unit_test(test_replace_and_origin),
		cmocka_unit_test(test_many),
		cmocka_unit_test(test_same_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
