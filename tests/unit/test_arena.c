/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <string.h>

#include "base/arena.h"

static void pieces_are_aligned_and_apart(void **state)
{
	struct arena arena;
	char *last = NULL;

	(void)state;
	arena_init(&arena, 64);
	for (size_t size = 1; size < 200; size++) {
		char *piece = arena_take(&arena, size);

		assert_int_equal((uintptr_t)piece % 8, 0);
		memset(piece, (int)size, size);
		if (last != NULL)
			assert_int_equal(last[0], (char)(size - 1));
		last = piece;
	}
	arena_done(&arena);
}

static void large_pieces_fit(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 64);
	memset(arena_take(&arena, 1 << 20), 1, 1 << 20);
	assert_true(arena.size >= 1 << 20);
	arena_done(&arena);
	assert_int_equal(arena.size, 0);
}

static void reset_keeps_the_first_chunk_only(void **state)
{
	struct arena arena;
	size_t size;
	void *first;

	(void)state;
	arena_init(&arena, 64);
	first = arena_take(&arena, 8);
	size = arena.size;
	for (int i = 0; i < 1000; i++)
		arena_zero(&arena, 100);
	arena_reset(&arena);
	assert_int_equal(arena.size, size);
	assert_ptr_equal(arena_take(&arena, 8), first);
	arena_done(&arena);
}

static void copies_end_with_a_zero(void **state)
{
	struct arena arena;

	(void)state;
	arena_init(&arena, 64);
	assert_string_equal(arena_copy(&arena, "hello world", 5), "hello");
	assert_string_equal(arena_copy(&arena, "", 0), "");
	arena_done(&arena);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(pieces_are_aligned_and_apart),
		cmocka_unit_test(large_pieces_fit),
		cmocka_unit_test(reset_keeps_the_first_chunk_only),
		cmocka_unit_test(copies_end_with_a_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
