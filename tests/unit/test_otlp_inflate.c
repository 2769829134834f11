/* SPDX-License-Identifier: MIT */
/* Bodies in the forms of gzip and zstd, and what only looks like these. */
#include "inflate.h"

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#define ROOM (1 << 20)

static size_t pack_gzip(const void *bytes, size_t size, unsigned char *packed)
{
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)bytes,
			    .avail_in = (uInt)size,
			    .next_out = packed,
			    .avail_out = ROOM };

	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8,
				      Z_DEFAULT_STRATEGY),
			 Z_OK);
	assert_int_equal(deflate(&stream, Z_FINISH), Z_STREAM_END);
	deflateEnd(&stream);
	return stream.total_out;
}

/* As a stream: its head does not say how much it is. */
static size_t pack_zstd(const void *bytes, size_t size, unsigned char *packed)
{
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer in = { bytes, size, 0 };
	ZSTD_outBuffer out = { packed, ROOM, 0 };

	assert_non_null(context);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	assert_false(ZSTD_isError(
		ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)));
	assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end),
			 0);
	ZSTD_freeCCtx(context);
	return out.pos;
}

/* Compresses into a buffer of exactly the size, to be freed. */
static unsigned char *pack(enum inflate_encoding template, const void *bytes,
			   size_t size, size_t *packed_size)
{
	unsigned char *packed = malloc(ROOM), *exact;

	assert_non_null(packed);
	*packed_size = template == INFLATE_ZSTD
			       ? pack_zstd(bytes, size, packed)
			       : pack_gzip(bytes, size, packed);
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

	enum inflate_encoding template = *(enum inflate_encoding *)*state;

	assert_non_null(text);
	for (size_t i = 0; i < 100000; i++)
		text[i] = (unsigned char)(i * i >> 7);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		packed = pack(template, text, sizes[i], &packed_size);
		assert_int_equal(inflate_body(template, packed, packed_size,
					      100000, &out, &out_size),
				 INFLATE_OKAY);
		assert_int_equal(out_size, sizes[i]);
		assert_memory_equal(out, text, sizes[i]);
		free(out);
		free(packed);
	}
	packed = pack(template, text, 100000, &packed_size);
	assert_int_equal(inflate_body(template, packed, packed_size, 99999,
				      &out, &out_size),
			 INFLATE_TOO_BIG);
	free(packed);
	free(text);
}

static void test_bomb(void **state)
{
	size_t size = 8 << 20, packed_size, out_size;
	unsigned char *zeros = calloc(1, size), *packed, *out;

	enum inflate_encoding template = *(enum inflate_encoding *)*state;

	assert_non_null(zeros);
	packed = pack(template, zeros, size, &packed_size);
	assert_int_equal(inflate_body(template, packed, packed_size, 16 << 20,
				      &out, &out_size),
			 INFLATE_TOO_BIG);
	free(packed);
	/* What is small may be of any ratio. */
	packed = pack(template, zeros, INFLATE_SMALL, &packed_size);
	assert_int_equal(inflate_body(template, packed, packed_size, 16 << 20,
				      &out, &out_size),
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

	enum inflate_encoding template = *(enum inflate_encoding *)*state;

	packed = pack(template, "hello, hello, hello", 19, &packed_size);
	for (size_t size = 0; size < packed_size; size++)
		assert_int_equal(inflate_body(template, packed, size, 1000,
					      &out, &out_size),
				 INFLATE_BROKEN);
	assert_true(packed_size < sizeof(longer));
	memcpy(longer, packed, packed_size);
	longer[packed_size] = 0;
	assert_int_equal(inflate_body(template, longer, packed_size + 1, 1000,
				      &out, &out_size),
			 INFLATE_BROKEN);
	longer[packed_size - 8] ^= 1; /* The checksum. */
	assert_int_equal(inflate_body(template, longer, packed_size, 1000, &out,
				      &out_size),
			 INFLATE_BROKEN);
	free(packed);
}

/* A window that only a reader with much memory could have. */
static void test_window(void **state)
{
	size_t size = 300000, out_size;
	unsigned char *zeros = calloc(1, size), packed[1000], *out;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer in = { zeros, size, 0 };
	ZSTD_outBuffer packing = { packed, sizeof(packed), 0 };

	(void)state;
	assert_non_null(context);
	assert_non_null(zeros);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
	assert_false(ZSTD_isError(
		ZSTD_compressStream2(context, &packing, &in, ZSTD_e_flush)));
	assert_int_equal(
		ZSTD_compressStream2(context, &packing, &in, ZSTD_e_end), 0);
	assert_int_equal(inflate_body(INFLATE_ZSTD, packed, packing.pos,
				      16 << 20, &out, &out_size),
			 INFLATE_BROKEN);
	ZSTD_freeCCtx(context);
	free(zeros);
}

static void test_form(void **state)
{
	enum inflate_encoding template = INFLATE_ZSTD;

	(void)state;
	assert_true(inflate_encoding(NULL, &template));
	assert_int_equal(template, INFLATE_NONE);
	assert_true(inflate_encoding("GZIP", &template));
	assert_int_equal(template, INFLATE_GZIP);
	assert_true(inflate_encoding("zstd", &template));
	assert_int_equal(template, INFLATE_ZSTD);
	assert_true(inflate_encoding("identity", &template));
	assert_int_equal(template, INFLATE_NONE);
	assert_false(inflate_encoding("br", &template));
	assert_false(inflate_encoding("gzip, zstd", &template));
	assert_false(inflate_encoding("", &template));
}

int main(void)
{
	static enum inflate_encoding templates[] = { INFLATE_GZIP,
						     INFLATE_ZSTD };
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_there_and_back, &templates[0]),
		cmocka_unit_test_prestate(test_there_and_back, &templates[1]),
		cmocka_unit_test_prestate(test_bomb, &templates[0]),
		cmocka_unit_test_prestate(test_bomb, &templates[1]),
		cmocka_unit_test_prestate(test_broken, &templates[0]),
		cmocka_unit_test_prestate(test_broken, &templates[1]),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
