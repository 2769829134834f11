/* SPDX-License-Identifier: MIT */
/* Which series are the busiest. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "ctl/answer/busy.h"

static struct mc_type *type_of(enum mc_kind kind)
{
	struct mc_type *type = alloc_zero(sizeof(*type) + sizeof(type->sources[0]));

	type->name = "t";
	type->sources_len = 1;
	type->sources[0] = (struct mc_source){ "value", kind, NAN, NAN };
	return type;
}

static void add(struct busy *busy, const char *name, const struct mc_type *type, double seconds,
		union mc_value value)
{
	struct stream_event event = {
		.kind = STREAM_SAMPLE,
		.name = name,
		.type = type,
		.stamp = { (mc_time)(seconds * 1e9), MC_SECOND },
		.values = &value,
	};

	busy_add(busy, &event);
}

static union mc_value level(double gauge)
{
	return (union mc_value){ .gauge = gauge };
}

static union mc_value total(int64_t derive)
{
	return (union mc_value){ .derive = derive };
}

static void rates_are_those_of_the_collector(void **state)
{
	struct mc_type *derive = type_of(MC_DERIVE);
	struct mc_type *absolute = type_of(MC_ABSOLUTE);
	const struct busy_series *first[4];
	struct busy busy;

	(void)state;
	busy_init(&busy);
	add(&busy, "a", derive, 10, total(100));
	add(&busy, "a", derive, 12, total(150));
	add(&busy, "b", absolute, 10, (union mc_value){ .absolute = 9 });
	add(&busy, "b", absolute, 13, (union mc_value){ .absolute = 9 });
	add(&busy, "c", derive, 10, total(100));
	add(&busy, "c", derive, 11, total(5));
	assert_int_equal(busy_first(&busy, BUSY_BY_NAME, first, 4), 3);
	assert_string_equal(first[0]->name, "a");
	assert_float_equal(first[0]->rate, 25, 1e-9);
	assert_float_equal(first[0]->updates, 0.5, 1e-9);
	assert_float_equal(first[1]->rate, 3, 1e-9);
	assert_true(isnan(first[2]->rate));
	busy_done(&busy);
	free(derive);
	free(absolute);
}

static void orders(void **state)
{
	struct mc_type *gauge = type_of(MC_GAUGE);
	const struct busy_series *first[2];
	struct busy busy;

	(void)state;
	busy_init(&busy);
	add(&busy, "calm", gauge, 1, level(5));
	add(&busy, "calm", gauge, 1.1, level(5));
	add(&busy, "wild", gauge, 1, level(1));
	add(&busy, "wild", gauge, 2, level(10));
	assert_int_equal(busy_first(&busy, BUSY_BY_CHANGE, first, 2), 2);
	assert_string_equal(first[0]->name, "wild");
	assert_float_equal(first[0]->change, 0.45, 1e-9);
	assert_float_equal(first[1]->change, 0, 1e-9);
	assert_int_equal(busy_first(&busy, BUSY_BY_UPDATES, first, 1), 1);
	assert_string_equal(first[0]->name, "calm");
	busy_done(&busy);
	free(gauge);
}

static struct mc_type *named_type(const char *name, const char *unit)
{
	struct mc_type *type = type_of(MC_GAUGE);

	type->name = name;
	type->unit = unit;
	return type;
}

/* 43 guests that do what they always do: the busiest is first, all the same. */
static void the_busiest_guest_is_first(void **state)
{
	struct mc_type *guest = named_type("virt_cpu_total", "ns/s");
	struct mc_type *cpu = named_type("cpu", "jiffies/s");
	struct mc_type *bytes = named_type("memory", "bytes");
	const struct busy_series *first[5];
	struct busy busy;

	(void)state;
	busy_init(&busy);
	add(&busy, "h/memory/memory-free", bytes, 1, level(1e12));
	add(&busy, "a/virt/virt_cpu_total", guest, 1, level(2e8));
	add(&busy, "b/virt/virt_cpu_total", guest, 1, level(31e8));
	add(&busy, "h/cpu-0/cpu-user", cpu, 1, level(50));
	add(&busy, "h/cpu-0/cpu-idle", cpu, 1, level(99));
	assert_int_equal(busy_first(&busy, BUSY_GUESTS, first, 5), 2);
	assert_string_equal(first[0]->name, "b/virt/virt_cpu_total");
	assert_string_equal(first[1]->name, "a/virt/virt_cpu_total");
	assert_int_equal(busy_first(&busy, BUSY_BY_VALUE, first, 5), 5);
	assert_string_equal(first[0]->name, "b/virt/virt_cpu_total");
	assert_string_equal(first[1]->name, "h/cpu-0/cpu-user");
	assert_string_equal(first[2]->name, "a/virt/virt_cpu_total");
	assert_string_equal(first[3]->name, "h/cpu-0/cpu-idle");
	/* Where nothing changes, that is the order, too. */
	assert_int_equal(busy_first(&busy, BUSY_BY_CHANGE, first, 1), 1);
	assert_string_equal(first[0]->name, "b/virt/virt_cpu_total");
	busy_done(&busy);
	free(guest);
	free(cpu);
	free(bytes);
}

static void only_neighbours_that_steal(void **state)
{
	struct mc_type *steal = named_type("steal_from", "percent");
	struct mc_type *share = named_type("link_share_of", "percent");
	struct mc_type *cpu = named_type("cpu", "jiffies/s");
	const struct busy_series *first[5];
	struct busy busy;

	(void)state;
	busy_init(&busy);
	add(&busy, "h/cpu-0/cpu-user", cpu, 1, level(50));
	add(&busy, "a/noisy_neighbour/steal_from-b", steal, 1, level(5));
	add(&busy, "a/noisy_neighbour/steal_from-c", steal, 1, level(31));
	add(&busy, "a/noisy_neighbour/steal_from-d", steal, 1, level(0));
	add(&busy, "a/noisy_neighbour/link_share_of-e", share, 1, level(12));
	assert_int_equal(busy_first(&busy, BUSY_STEAL, first, 5), 3);
	assert_string_equal(first[0]->name, "a/noisy_neighbour/steal_from-c");
	assert_string_equal(first[1]->name, "a/noisy_neighbour/link_share_of-e");
	busy_done(&busy);
	free(share);
	free(steal);
	free(cpu);
}

static void amounts_are_for_people(void **state)
{
	static const struct {
		double rate;
		const char *unit, *number, *shown;
	} amounts[] = {
		{ 31e8, "ns/s", "3.1", "cores" },
		{ 12, "jiffies/s", "12", "% of a core" },
		{ 250, "ms/s", "25", "%" },
		{ 5000, "us/s", "0.5", "%" },
		{ 97.123456, "percent", "97.12", "%" },
		{ 33554432, "bytes", "32.0 MiB", "bytes" },
		{ 12345, "packets/s", "12.3 k", "packets/s" },
		{ NAN, "ns/s", "-", "cores" },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(amounts) / sizeof(*amounts); i++) {
		struct amount amount = amount_of(amounts[i].rate, amounts[i].unit, NULL);

		assert_string_equal(amount_text(&amount).text, amounts[i].number);
		assert_string_equal(amount.unit, amounts[i].shown);
	}
}

static void many_series(void **state)
{
	struct mc_type *gauge = type_of(MC_GAUGE);
	const struct busy_series *first[1];
	struct busy busy;

	(void)state;
	busy_init(&busy);
	for (int i = 0; i < BUSY_MAX + 10; i++) {
		char name[32];

		snprintf(name, sizeof(name), "host/%06d/t", i);
		add(&busy, name, gauge, 1, level(i));
	}
	assert_int_equal(busy.len, BUSY_MAX);
	assert_int_equal(busy_first(&busy, BUSY_BY_NAME, first, 1), 1);
	assert_string_equal(first[0]->name, "host/000000/t");
	busy_done(&busy);
	free(gauge);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_those_of_the_collector),
		cmocka_unit_test(orders),
		cmocka_unit_test(the_busiest_guest_is_first),
		cmocka_unit_test(only_neighbours_that_steal),
		cmocka_unit_test(amounts_are_for_people),
		cmocka_unit_test(many_series),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
