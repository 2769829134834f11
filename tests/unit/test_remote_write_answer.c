/* SPDX-License-Identifier: MIT */
/* The meaning of answers; the texts are those of Prometheus 2.42 and 3.16, and of Mimir. */
#include "unit.h"

#include "answer.h"
#include "formats/prometheus/refusal.h"

static enum answer read_one(enum remote_write_version version, long status, const char *body,
			    const char *written)
{
	return answer_read(version, &(struct answer_reply){ status, body, written });
}

static void test_status(void **state)
{
	static const struct {
		enum remote_write_version version;
		long status;
		const char *body, *written;
		enum answer answer;
	} cases[] = {
		{ REMOTE_WRITE_1, 204, "", "", ANSWER_TAKEN },
		{ REMOTE_WRITE_1, 200, "{\"status\":\"error\"}", "", ANSWER_LATER },
		{ REMOTE_WRITE_1, 200, "<html>Log in</html>", "", ANSWER_LATER },
		{ REMOTE_WRITE_2, 204, "", "12", ANSWER_TAKEN },
		{ REMOTE_WRITE_2, 204, "", "0", ANSWER_TAKEN },
		{ REMOTE_WRITE_2, 204, "", "", ANSWER_OLDER },
		{ REMOTE_WRITE_2, 204, "", "12x", ANSWER_OLDER },
		{ REMOTE_WRITE_2, 204, "", "-1", ANSWER_OLDER },
		{ REMOTE_WRITE_2, 415, "", "", ANSWER_OLDER },
		{ REMOTE_WRITE_1, 415, "", "", ANSWER_LATER },
		{ REMOTE_WRITE_1, 400, "out of order sample", "", ANSWER_REFUSED },
		{ REMOTE_WRITE_1, 413, "", "", ANSWER_REFUSED },
		{ REMOTE_WRITE_1, 422, "", "", ANSWER_REFUSED },
		{ REMOTE_WRITE_1, 500, "too old sample", "", ANSWER_REFUSED },
		{ REMOTE_WRITE_1, 500, "disk is full", "", ANSWER_LATER },
		{ REMOTE_WRITE_1, 302, "", "", ANSWER_LATER },
		{ REMOTE_WRITE_1, 429, "", "", ANSWER_LATER },
		{ REMOTE_WRITE_1, 404, "", "", ANSWER_LATER },
		{ REMOTE_WRITE_1, 0, "", "", ANSWER_LATER },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_int_equal(read_one(cases[i].version, cases[i].status, cases[i].body,
					  cases[i].written),
				 cases[i].answer);
}

static void test_why(void **state)
{
	(void)state;
	assert_int_equal(refusal_why("out of order sample"), REFUSAL_THERE);
	assert_int_equal(refusal_why("duplicate sample for timestamp"), REFUSAL_THERE);
	assert_int_equal(refusal_why("err-mimir-sample-duplicate-timestamp"), REFUSAL_THERE);
	assert_int_equal(refusal_why("too old sample"), REFUSAL_OLD);
	assert_int_equal(refusal_why("out of bounds"), REFUSAL_OLD);
	assert_int_equal(refusal_why("label name \"a-b\" is invalid"), REFUSAL_OTHER);
	assert_int_equal(refusal_why(""), REFUSAL_OTHER);
}

static void test_may_be_stored(void **state)
{
	(void)state;
	assert_true(refusal_may_be_stored(0));
	assert_true(refusal_may_be_stored(500));
	assert_true(refusal_may_be_stored(504));
	assert_true(refusal_may_be_stored(200));
	assert_false(refusal_may_be_stored(503));
	assert_false(refusal_may_be_stored(429));
	assert_false(refusal_may_be_stored(302));
}

static void test_text(void **state)
{
	char text[8];

	(void)state;
	refusal_text("a\tb\x7f\r\nc", text, sizeof(text));
	assert_string_equal(text, "a?b?");
	refusal_text("0123456789", text, sizeof(text));
	assert_string_equal(text, "0123456");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_status),
		cmocka_unit_test(test_why),
		cmocka_unit_test(test_may_be_stored),
		cmocka_unit_test(test_text),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
