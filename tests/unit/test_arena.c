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

static void an_arena_used_over_and_over_does_not_allocate(void **state)
{
	struct arena arena;
	void *first;
	size_t size;

	(void)state;
	arena_init(&arena, 64);
	for (int round = 0; round < 2; round++) {
		for (int i = 0; i < 100; i++)
			arena_zero(&arena, 100);
		arena_reset(&arena, SIZE_MAX);
	}
	first = arena_take(&arena, 8);
	size = arena.size;
	for (int round = 0; round < 10; round++) {
		arena_reset(&arena, SIZE_MAX);
		for (int i = 0; i < 100; i++)
			assert_true(arena_take(&arena, 100) != NULL);
		assert_int_equal(arena.size, size);
		arena_reset(&arena, SIZE_MAX);
		assert_ptr_equal(arena_take(&arena, 8), first);
	}
	arena_done(&arena);
}

/* Of what is too much for one chunk all are kept, or as many as may be. */
static void large_arenas_keep_their_chunks(void **state)
{
	struct arena arena;
	size_t size = 0;
	void *first = NULL;

	(void)state;
	arena_init(&arena, 2048);
	for (int round = 0; round < 5; round++) {
		for (int i = 0; i < 2000; i++) {
			char *piece = arena_take(&arena, 100);

			memset(piece, i, 100);
			if (i == 0 && round == 0)
				first = piece;
			if (i == 0)
				assert_ptr_equal(piece, first);
		}
		if (round == 0)
			size = arena.size;
		assert_int_equal(arena.size, size);
		arena_reset(&arena, SIZE_MAX);
		assert_int_equal(arena.size, size);
	}
	arena_take(&arena, 60000); /* What is too small is passed over. */
	assert_int_equal(arena.size, size);
	arena_reset(&arena, 100000);
	assert_in_range(arena.size, 30000, 100000);
	arena_done(&arena);
	assert_int_equal(arena.size, 0);
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
		cmocka_unit_test(an_arena_used_over_and_over_does_not_allocate),
		cmocka_unit_test(large_arenas_keep_their_chunks),
		cmocka_unit_test(copies_end_with_a_zero),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
