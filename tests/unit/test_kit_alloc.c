/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

static void copies_end_where_they_should(void **state)
{
	char *text = mc_alloc_copy("abc");
	char *bytes = mc_alloc_bytes("a\0b", 3);
	char *printed = mc_alloc_printf("%s-%d", text, 12);

	(void)state;
	assert_string_equal(text, "abc");
	assert_memory_equal(bytes, "a\0b", 3);
	assert_string_equal(printed, "abc-12");
	assert_null(mc_alloc_copy(NULL));
	free(text);
	free(bytes);
	free(printed);
}

static void nothing_is_something(void **state)
{
	char *none[] = { mc_alloc(0), mc_alloc_zero(0), mc_alloc_array(0, 8),
			 mc_alloc_resize(NULL, 0, 8), mc_alloc_bytes("", 0) };

	(void)state;
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++) {
		assert_non_null(none[i]);
		free(none[i]);
	}
}

static void what_does_not_fit_ends_the_process(void **state)
{
	int status;
	pid_t child = fork();

	(void)state;
	assert_true(child >= 0);
	if (child == 0) {
		signal(SIGABRT, SIG_DFL);
		mc_alloc_resize(NULL, SIZE_MAX / 2, 4);
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGABRT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(copies_end_where_they_should),
		cmocka_unit_test(nothing_is_something),
		cmocka_unit_test(what_does_not_fit_ends_the_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
