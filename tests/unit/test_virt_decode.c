/* SPDX-License-Identifier: MIT */
/* libvirt's typed parameters: good ones, and such as libvirt never sends. */
#include "decode.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define NAME(text) .field = text
#define ULL(text, number)                                                                          \
	{                                                                                          \
		NAME(text), .type = VIR_TYPED_PARAM_ULLONG, .value.ul = (number)                   \
	}
#define LL(text, number)                                                                           \
	{                                                                                          \
		NAME(text), .type = VIR_TYPED_PARAM_LLONG, .value.l = (number)                     \
	}
#define UINT(text, number)                                                                         \
	{                                                                                          \
		NAME(text), .type = VIR_TYPED_PARAM_UINT, .value.ui = (number)                     \
	}
#define INT(text, number)                                                                          \
	{                                                                                          \
		NAME(text), .type = VIR_TYPED_PARAM_INT, .value.i = (number)                       \
	}
#define TEXT(text, words)                                                                          \
	{                                                                                          \
		NAME(text), .type = VIR_TYPED_PARAM_STRING, .value.s = (words)                     \
	}
#define LEN(array) (sizeof(array) / sizeof((array)[0]))

static int set_up(void **state)
{
	*state = calloc(1, sizeof(struct decode));
	return *state == NULL;
}

static int tear_down(void **state)
{
	decode_done(*state);
	free(*state);
	return 0;
}

static void a_guest_as_libvirt_tells_it(void **state)
{
	struct decode *decode = *state;
	char vda[] = "vda", path[] = "/images/a.qcow2", vnet[] = "vnet7";
	virTypedParameter params[] = {
		INT("state.state", 1),
		INT("state.reason", 5),
		ULL("cpu.time", 271221000),
		ULL("cpu.user", 137877000),
		ULL("cpu.system", 133343000),
		ULL("balloon.current", 16384),
		ULL("balloon.rss", 36108),
		UINT("vcpu.current", 1),
		INT("vcpu.0.state", 1),
		ULL("vcpu.0.time", 70),
		ULL("vcpu.0.wait", 0),
		ULL("vcpu.0.delay", 13192720),
		UINT("net.count", 1),
		TEXT("net.0.name", vnet),
		ULL("net.0.rx.bytes", 1),
		ULL("net.0.rx.pkts", 2),
		ULL("net.0.tx.drop", 8),
		UINT("block.count", 1),
		TEXT("block.0.name", vda),
		TEXT("block.0.path", path),
		ULL("block.0.rd.reqs", 11),
		ULL("block.0.fl.times", 18),
		ULL("block.0.allocation", 65536),
		ULL("block.0.threshold", 4294967297),
	};

	decode_params(decode, params, LEN(params));
	assert_int_equal(decode->values[GUEST_STATE], 1);
	assert_int_equal(decode->values[GUEST_REASON], 5);
	assert_int_equal(decode->values[GUEST_CPU_TIME], 271221000);
	assert_int_equal(decode->values[GUEST_CPU_SYSTEM], 133343000);
	assert_int_equal(decode->values[GUEST_RSS], 36108);
	assert_false(decode_knows(decode->known, GUEST_UNUSED));
	assert_int_equal(decode->vcpus.len, 1);
	assert_int_equal(decode->vcpus.items[0].values[VCPU_DELAY], 13192720);
	assert_int_equal(decode->nics.len, 1);
	assert_string_equal(decode->nics.items[0].name, "vnet7");
	assert_int_equal(decode->nics.items[0].values[NIC_RX_PACKETS], 2);
	assert_int_equal(decode->nics.items[0].values[NIC_TX_DROPPED], 8);
	assert_false(decode_knows(decode->nics.items[0].known, NIC_TX_BYTES));
	assert_int_equal(decode->disks.len, 1);
	assert_string_equal(decode->disks.items[0].name, "vda");
	assert_string_equal(decode->disks.items[0].path, "/images/a.qcow2");
	assert_int_equal(decode->disks.items[0].values[DISK_RD_REQUESTS], 11);
	assert_int_equal(decode->disks.items[0].values[DISK_FL_TIMES], 18);
	assert_int_equal(decode->disks.items[0].values[DISK_THRESHOLD], 4294967297);
	/* "vcpu.current" and "vcpu.0.state" are numbers of no field. */
	assert_int_equal(decode->extras_len, 2);
}

static void the_next_guest_has_nothing_of_the_last(void **state)
{
	struct decode *decode = *state;
	virTypedParameter full[] = { INT("state.state", 1), ULL("block.0.rd.reqs", 1),
				     ULL("dirtyrate.calc_period", 1) };
	virTypedParameter empty[] = { INT("state.state", 5) };

	decode_params(decode, full, LEN(full));
	assert_int_equal(decode->disks.len, 1);
	decode_params(decode, empty, LEN(empty));
	assert_int_equal(decode->known, 1 << GUEST_STATE);
	assert_int_equal(decode->disks.len, 0);
	assert_int_equal(decode->extras_len, 0);
}

static void numbers_of_tomorrow(void **state)
{
	struct decode *decode = *state;
	virTypedParameter params[] = {
		ULL("vcpu.3.exits.sum", 77),
		INT("dirtyrate.megabytes_per_second", -3),
		{ NAME("memory.share"), .type = VIR_TYPED_PARAM_DOUBLE, .value.d = 0.5 },
		{ NAME("iothread.on"), .type = VIR_TYPED_PARAM_BOOLEAN, .value.b = 1 },
		TEXT("dirtyrate.calc_mode", NULL),
	};

	decode_params(decode, params, LEN(params));
	assert_int_equal(decode->extras_len, 4);
	assert_string_equal(decode->extras[0].field, "vcpu.3.exits.sum");
	assert_true(decode->extras[0].counts);
	assert_true(decode->extras[0].value == 77);
	assert_false(decode->extras[1].counts);
	assert_true(decode->extras[1].value == -3);
	assert_true(decode->extras[2].value == 0.5);
	assert_true(decode->extras[3].value == 1);
}

static void wrong_types_and_signs_are_left_out(void **state)
{
	struct decode *decode = *state;
	char text[] = "12";
	virTypedParameter params[] = {
		TEXT("state.state", text),   LL("cpu.time", -1),
		ULL("cpu.user", UINT64_MAX), TEXT("block.0.rd.reqs", text),
		INT("block.0.wr.reqs", -5),  ULL("block.0.name", 5),
		TEXT("net.0.name", NULL),    { NAME("net.0.rx.bytes"), .type = 99 },
	};

	decode_params(decode, params, LEN(params));
	assert_int_equal(decode->known, 0);
	assert_int_equal(decode->disks.len, 1);
	assert_int_equal(decode->disks.items[0].known, 0);
	assert_null(decode->disks.items[0].name);
	assert_null(decode->nics.items[0].name);
	assert_int_equal(decode->nics.items[0].known, 0);
}

static void absurd_indices_and_counts(void **state)
{
	struct decode *decode = *state;
	size_t len = 3 * DECODE_DEVICES_MAX;
	virTypedParameter *params = calloc(len, sizeof(*params));
	virTypedParameter odd[] = {
		UINT("block.count", 4294967295),
		ULL("block.4294967296.rd.reqs", 1),
		ULL("block.99999999999999999999.rd.reqs", 1),
		ULL("block..rd.reqs", 1),
		ULL("block.-1.rd.reqs", 1),
		ULL("block.1", 1),
		ULL("block.", 1),
		ULL("net.4096.rx.bytes", 1),
	};

	decode_params(decode, odd, LEN(odd));
	assert_int_equal(decode->disks.len, 0);
	assert_int_equal(decode->nics.len, 0);
	assert_non_null(params);
	for (size_t i = 0; i < len; i++) {
		snprintf(params[i].field, sizeof(params[i].field), "block.%zu.rd.reqs", i);
		params[i].type = VIR_TYPED_PARAM_ULLONG;
		params[i].value.ul = i;
	}
	decode_params(decode, params, len);
	assert_int_equal(decode->disks.len, DECODE_DEVICES_MAX);
	assert_int_equal(decode->disks.items[4095].values[DISK_RD_REQUESTS], 4095);
	free(params);
}

static void names_without_an_end(void **state)
{
	struct decode *decode = *state;
	char *path = malloc(DECODE_NAME_MAX + 2);
	virTypedParameter params[] = {
		ULL("cpu.time", 1),
		TEXT("block.0.path", path),
	};

	memset(params[0].field, 'c', sizeof(params[0].field));
	memset(path, 'p', DECODE_NAME_MAX + 1);
	path[DECODE_NAME_MAX + 1] = '\0';
	decode_params(decode, params, LEN(params));
	assert_int_equal(decode->known, 0);
	assert_null(decode->disks.items[0].path);
	path[DECODE_NAME_MAX] = '\0';
	decode_params(decode, params, LEN(params));
	assert_ptr_equal(decode->disks.items[0].path, path);
	free(path);
}

int main(void)
{
#define TEST(f) cmocka_unit_test_setup_teardown(f, set_up, tear_down)
	const struct CMUnitTest tests[] = {
		TEST(a_guest_as_libvirt_tells_it), TEST(the_next_guest_has_nothing_of_the_last),
		TEST(numbers_of_tomorrow),         TEST(wrong_types_and_signs_are_left_out),
		TEST(absurd_indices_and_counts),   TEST(names_without_an_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
