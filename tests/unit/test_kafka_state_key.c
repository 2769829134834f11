/* SPDX-License-Identifier: MIT */
/* Keys of states, of ours and of others. */
#include "state_key.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static enum state_key_kind read_text(const char *text, struct state_key *key)
{
	return state_key_read(text, strlen(text), "judges", key);
}

static void what_is_written_is_read(void **state)
{
	char text[STATE_KEY_SIZE];
	struct state_key key;

	(void)state;
	assert_int_equal(state_key_write(text, "judges", "threshold.x", "h/p-i/t-i"), 28);
	assert_int_equal(read_text(text, &key), STATE_KEY_OURS);
	assert_string_equal(key.judge, "threshold.x");
	assert_string_equal(key.series, "h/p-i/t-i");
}

static void other_groups_are_left_alone(void **state)
{
	struct state_key key;

	(void)state;
	assert_int_equal(read_text("judge\tthreshold\th/p/t", &key), STATE_KEY_OTHERS);
	assert_int_equal(read_text("judges2\tthreshold\th/p/t", &key), STATE_KEY_OTHERS);
}

static void what_is_no_key_is_foreign(void **state)
{
	static const char *const texts[] = {
		"",
		"x",
		"judges",
		"judges\tthreshold",
		"judges\tthreshold\t",
		"judges\tthreshold\th",
		"judges\tthreshold\th/p",
		"judges\tthreshold\t/p/t",
		"judges\t\th/p/t",
		"judges\tthreshold\th/p/t\t",
		"\t\t\t",
	};
	char large[STATE_KEY_SIZE + 10];
	struct state_key key;

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_int_equal(read_text(texts[i], &key), STATE_KEY_FOREIGN);
	assert_int_equal(state_key_read("judges\tt\0\th/p/t", 16, "judges", &key),
			 STATE_KEY_FOREIGN);
	memset(large, 'x', sizeof(large) - 1);
	large[sizeof(large) - 1] = '\0';
	assert_int_equal(read_text(large, &key), STATE_KEY_FOREIGN);
	assert_int_equal(state_key_write(large, "judges", large, "h/p/t"), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(what_is_written_is_read),
		cmocka_unit_test(other_groups_are_left_alone),
		cmocka_unit_test(what_is_no_key_is_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
