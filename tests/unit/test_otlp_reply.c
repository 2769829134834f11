/* SPDX-License-Identifier: MIT */
/* Replies of a receiver of OTLP, written and read. */
#include "unit.h"

#include <string.h>

#include "formats/otlp/otlp.h"

static void test_partial_success(void **state)
{
	unsigned char reply[MC_OTLP_REPLY_SIZE];
	char why[MC_OTLP_WHY_SIZE];
	uint64_t rejected;
	size_t size;

	(void)state;
	assert_int_equal(mc_otlp_reply(reply, 0, NULL), 0);
	assert_true(mc_otlp_reply_read(reply, 0, true, &rejected, why));
	assert_int_equal(rejected, 0);
	size = mc_otlp_reply(reply, 300, "histogram");
	assert_int_equal(size, 16);
	assert_memory_equal(reply, "\x0a\x0e\x08\xac\x02\x12\x09histogram", 16);
	assert_true(mc_otlp_reply_read(reply, size, true, &rejected, why));
	assert_int_equal(rejected, 300);
	assert_string_equal(why, "histogram");
	for (size_t cut = 1; cut < size; cut++)
		assert_false(mc_otlp_reply_read(reply, cut, true, &rejected, why));
}

static void test_error(void **state)
{
	unsigned char reply[MC_OTLP_REPLY_SIZE];
	char why[MC_OTLP_WHY_SIZE], long_why[1000];
	uint64_t rejected;
	size_t size;

	(void)state;
	size = mc_otlp_error(reply, "too large");
	assert_int_equal(size, 11);
	assert_memory_equal(reply, "\x12\x09too large", 11);
	assert_true(mc_otlp_reply_read(reply, size, false, &rejected, why));
	assert_string_equal(why, "too large");
	memset(long_why, 'x', sizeof(long_why) - 1);
	long_why[sizeof(long_why) - 1] = '\0';
	size = mc_otlp_error(reply, long_why);
	assert_true(mc_otlp_reply_read(reply, size, false, &rejected, why));
	assert_int_equal(strlen(why), MC_OTLP_WHY_SIZE - 1);
}

/* It goes into a log: one line, and nothing that a terminal obeys. */
static void test_hostile_text(void **state)
{
	char why[MC_OTLP_WHY_SIZE];
	uint64_t rejected;

	(void)state;
	assert_true(mc_otlp_reply_read("\x12\x06"
				       "a\n\x1b[\xff"
				       "b",
				       8, false, &rejected, why));
	assert_string_equal(why, "a??[?b");
	assert_false(mc_otlp_reply_read("<html>", 6, false, &rejected, why));
}

/* RFC 3720, appendix B.4. */
static void test_crc(void **state)
{
	static const unsigned char zeros[32];

	(void)state;
	assert_int_equal(mc_otlp_crc(zeros, sizeof(zeros)), 0x8a9136aa);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_partial_success),
		cmocka_unit_test(test_error),
		cmocka_unit_test(test_hostile_text),
		cmocka_unit_test(test_crc),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
