/* SPDX-License-Identifier: MIT */
/* Bodies in gzip's form, and what only looks like it. */
#include "inflate.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>

#define ROOM (1 << 20)

/* Compresses into a buffer of exactly the size, to be freed. */
static unsigned char *pack(const void *bytes, size_t size, size_t *packed_size)
{
	unsigned char *packed = malloc(ROOM), *exact;
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)bytes,
			    .avail_in = (uInt)size,
			    .next_out = packed,
			    .avail_out = ROOM };

	assert_non_null(packed);
	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	*packed_size = stream.total_out;
	exact = malloc(*packed_size);
	assert_non_null(exact);
	memcpy(exact, packed, *packed_size);
	free(packed);
	return exact;
}

static void test_there_and_back(void **state)
{
	static const size_t sizes[] = { 0, 1, 4095, 4096, 100000 };
	unsigned char *text = malloc(100000), *packed, *out;
	size_t packed_size, out_size;

	(void)state;
	assert_non_null(text);
	for (size_t i = 0; i < 100000; i++)
		text[i] = (unsigned char)(i * i >> 7);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		packed = pack(text, sizes[i], &packed_size);
		assert_int_equal(inflate_body(packed, packed_size, 100000, &out,
					      &out_size),
				 INFLATE_OKAY);
		assert_int_equal(out_size, sizes[i]);
		assert_memory_equal(out, text, sizes[i]);
		free(out);
		free(packed);
	}
	packed = pack(text, 100000, &packed_size);
	assert_int_equal(
		inflate_body(packed, packed_size, 99999, &out, &out_size),
		INFLATE_TOO_BIG);
	free(packed);
	free(text);
}

static void test_bomb(void **state)
{
	size_t size = 8 << 20, packed_size, out_size;
	unsigned char *zeros = calloc(1, size), *packed, *out;

	(void)state;
	assert_non_null(zeros);
	packed = pack(zeros, size, &packed_size);
	assert_int_equal(
		inflate_body(packed, packed_size, 16 << 20, &out, &out_size),
		INFLATE_TOO_BIG);
	free(packed);
	/* What is small may be of any ratio. */
	packed = pack(zeros, INFLATE_SMALL, &packed_size);
	assert_int_equal(
		inflate_body(packed, packed_size, 16 << 20, &out, &out_size),
		INFLATE_OKAY);
	free(out);
	free(packed);
	free(zeros);
}

/* Cut anywhere, with a byte changed at the end, or with more behind it. */
static void test_broken(void **state)
{
	unsigned char *packed, *out, longer[64];
	size_t packed_size, out_size;

	(void)state;
	packed = pack("hello, hello, hello", 19, &packed_size);
	for (size_t size = 0; size < packed_size; size++)
		assert_int_equal(
			inflate_body(packed, size, 1000, &out, &out_size),
			INFLATE_BROKEN);
	assert_true(packed_size < sizeof(longer));
	memcpy(longer, packed, packed_size);
	longer[packed_size] = 0;
	assert_int_equal(
		inflate_body(longer, packed_size + 1, 1000, &out, &out_size),
		INFLATE_BROKEN);
	longer[packed_size - 8] ^= 1; /* The checksum. */
	assert_int_equal(
		inflate_body(longer, packed_size, 1000, &out, &out_size),
		INFLATE_BROKEN);
	free(packed);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_bomb),
		cmocka_unit_test(test_broken),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
