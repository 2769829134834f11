/* SPDX-License-Identifier: MIT */
/* Bodies in the forms of gzip and zstd, and what only looks like these. */
#include <collector/kit/inflate.h>

#include "unit.h"

#include <stdlib.h>
#include <string.h>

#include <zlib.h>
#include <zstd.h>

#define ROOM (4 << 20)
#define LARGE_SIZE ((size_t)3 << 20) /* A buffer that is a mapping. */

static atomic_size_t pool; /* Of all tests; empty between them. */

static enum mc_inflate_result inflate_into(enum mc_inflate_encoding encoding,
					   const unsigned char *bytes, size_t size, size_t size_max,
					   struct mc_inflated *out)
{
	const struct mc_inflate_limits limits = {
		.size_max = size_max,
		.pool = &pool,
		.pool_max = (size_t)64 << 20,
	};
	enum mc_inflate_result result = mc_inflate_body(encoding, bytes, size, &limits, out);

	if (result != MC_INFLATE_OKAY)
		assert_int_equal(pool, 0);
	return result;
}

static void give_back(struct mc_inflated *out)
{
	const struct mc_inflate_limits limits = { .pool = &pool };

	assert_true(pool >= out->size);
	mc_inflate_free(&limits, out);
	assert_int_equal(pool, 0);
}

static size_t pack_gzip(const void *bytes, size_t size, unsigned char *packed)
{
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)bytes,
			    .avail_in = (uInt)size,
			    .next_out = packed,
			    .avail_out = ROOM };

	assert_int_equal(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY),
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
	assert_false(ZSTD_isError(ZSTD_compressStream2(context, &out, &in, ZSTD_e_flush)));
	assert_int_equal(ZSTD_compressStream2(context, &out, &in, ZSTD_e_end), 0);
	ZSTD_freeCCtx(context);
	return out.pos;
}

/* Compresses into a buffer of exactly the size, to be freed. */
static unsigned char *pack(enum mc_inflate_encoding template, const void *bytes, size_t size,
			   size_t *packed_size)
{
	unsigned char *packed = malloc(ROOM), *exact;

	assert_non_null(packed);
	*packed_size = template == MC_INFLATE_ZSTD ? pack_zstd(bytes, size, packed)
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
	unsigned char *text = malloc(100000), *packed;
	struct mc_inflated out;
	size_t packed_size;

	enum mc_inflate_encoding template = *(enum mc_inflate_encoding *)*state;

	assert_non_null(text);
	for (size_t i = 0; i < 100000; i++)
		text[i] = (unsigned char)(i * i >> 7);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		packed = pack(template, text, sizes[i], &packed_size);
		assert_int_equal(inflate_into(template, packed, packed_size, 100000, &out),
				 MC_INFLATE_OKAY);
		assert_int_equal(out.size, sizes[i]);
		assert_memory_equal(out.bytes, text, sizes[i]);
		give_back(&out);
		free(packed);
	}
	packed = pack(template, text, 100000, &packed_size);
	assert_int_equal(inflate_into(template, packed, packed_size, 99999, &out),
			 MC_INFLATE_TOO_BIG);
	free(packed);
	free(text);
}

static void test_bomb(void **state)
{
	size_t size = 8 << 20, packed_size;
	unsigned char *zeros = calloc(1, size), *packed;
	struct mc_inflated out;

	enum mc_inflate_encoding template = *(enum mc_inflate_encoding *)*state;

	assert_non_null(zeros);
	packed = pack(template, zeros, size, &packed_size);
	assert_int_equal(inflate_into(template, packed, packed_size, 16 << 20, &out),
			 MC_INFLATE_TOO_BIG);
	free(packed);
	/* What is small may be of any ratio. */
	packed = pack(template, zeros, MC_INFLATE_SMALL, &packed_size);
	assert_int_equal(inflate_into(template, packed, packed_size, 16 << 20, &out),
			 MC_INFLATE_OKAY);
	give_back(&out);
	free(packed);
	free(zeros);
}

/* Cut anywhere, with a byte changed at the end, or with more after it. */
static void test_broken(void **state)
{
	unsigned char *packed, longer[64];
	struct mc_inflated out;
	size_t packed_size;

	enum mc_inflate_encoding template = *(enum mc_inflate_encoding *)*state;

	packed = pack(template, "hello, hello, hello", 19, &packed_size);
	for (size_t size = 0; size < packed_size; size++)
		assert_int_equal(inflate_into(template, packed, size, 1000, &out),
				 MC_INFLATE_BROKEN);
	assert_true(packed_size < sizeof(longer));
	memcpy(longer, packed, packed_size);
	longer[packed_size] = 0;
	assert_int_equal(inflate_into(template, longer, packed_size + 1, 1000, &out),
			 MC_INFLATE_BROKEN);
	longer[packed_size - 8] ^= 1; /* The checksum. */
	assert_int_equal(inflate_into(template, longer, packed_size, 1000, &out),
			 MC_INFLATE_BROKEN);
	free(packed);
}

/* With what can be packed, but not fiftyfold. */
static void fill(unsigned char *text)
{
	uint32_t noise = 1;

	for (size_t i = 0; i < LARGE_SIZE; i++) {
		noise = noise * 1664525 + 1013904223;
		text[i] = i % 8 == 0 ? (unsigned char)(noise >> 24) : 0;
	}
}

/* RFC 1952, section 2.2: members in sequence are one content. */
static void test_members(void **state)
{
	unsigned char *text = malloc(LARGE_SIZE), *members[3], *all;
	static const size_t cuts[] = { 0, 100000, 100000, LARGE_SIZE };
	size_t sizes[3], size = 0, at = 0;
	struct mc_inflated out;

	enum mc_inflate_encoding encoding = *(enum mc_inflate_encoding *)*state;

	assert_non_null(text);
	fill(text);
	for (size_t i = 0; i < 3; i++) {
		members[i] = pack(encoding, text + cuts[i], cuts[i + 1] - cuts[i], &sizes[i]);
		size += sizes[i];
	}
	all = malloc(size);
	assert_non_null(all);
	for (size_t i = 0; i < 3; at += sizes[i++])
		memcpy(all + at, members[i], sizes[i]);
	assert_int_equal(inflate_into(encoding, all, size, 16 << 20, &out), MC_INFLATE_OKAY);
	assert_int_equal(out.size, LARGE_SIZE);
	assert_memory_equal(out.bytes, text, LARGE_SIZE);
	give_back(&out);
	all[sizes[0] - 6] ^= 1; /* The checksum of the first. */
	if (encoding == MC_INFLATE_GZIP)
		assert_int_equal(inflate_into(encoding, all, size, 16 << 20, &out),
				 MC_INFLATE_BROKEN);
	assert_int_equal(inflate_into(encoding, all, size - 1, 16 << 20, &out), MC_INFLATE_BROKEN);
	for (size_t i = 0; i < 3; i++)
		free(members[i]);
	free(all);
	free(text);
}

/* What others have leaves no room: not now, which is not the sender's fault. */
static void test_pool(void **state)
{
	unsigned char *text = malloc(LARGE_SIZE), *packed;
	struct mc_inflate_limits limits = {
		.size_max = 16 << 20,
		.pool = &pool,
		.pool_max = 2 * LARGE_SIZE,
	};
	struct mc_inflated first, second;
	size_t packed_size;

	enum mc_inflate_encoding encoding = *(enum mc_inflate_encoding *)*state;

	assert_non_null(text);
	fill(text);
	packed = pack(encoding, text, LARGE_SIZE, &packed_size);
	assert_int_equal(mc_inflate_body(encoding, packed, packed_size, &limits, &first),
			 MC_INFLATE_OKAY);
	assert_int_equal(pool, first.room);
	assert_int_equal(mc_inflate_body(encoding, packed, packed_size, &limits, &second),
			 MC_INFLATE_NO_MEMORY);
	assert_int_equal(pool, first.room);
	give_back(&first);
	free(packed);
	free(text);
}

/* A window that only a reader with much memory could have. */
static void test_window(void **state)
{
	size_t size = 300000;
	unsigned char *zeros = calloc(1, size), packed[1000];
	struct mc_inflated out;
	ZSTD_CCtx *context = ZSTD_createCCtx();
	ZSTD_inBuffer in = { zeros, size, 0 };
	ZSTD_outBuffer packing = { packed, sizeof(packed), 0 };

	(void)state;
	assert_non_null(context);
	assert_non_null(zeros);
	ZSTD_CCtx_setParameter(context, ZSTD_c_windowLog, 27);
	assert_false(ZSTD_isError(ZSTD_compressStream2(context, &packing, &in, ZSTD_e_flush)));
	assert_int_equal(ZSTD_compressStream2(context, &packing, &in, ZSTD_e_end), 0);
	assert_int_equal(inflate_into(MC_INFLATE_ZSTD, packed, packing.pos, 16 << 20, &out),
			 MC_INFLATE_BROKEN);
	ZSTD_freeCCtx(context);
	free(zeros);
}

static void test_form(void **state)
{
	enum mc_inflate_encoding template = MC_INFLATE_ZSTD;

	(void)state;
	assert_true(mc_inflate_encoding(NULL, &template));
	assert_int_equal(template, MC_INFLATE_NONE);
	assert_true(mc_inflate_encoding("GZIP", &template));
	assert_int_equal(template, MC_INFLATE_GZIP);
	assert_true(mc_inflate_encoding("zstd", &template));
	assert_int_equal(template, MC_INFLATE_ZSTD);
	assert_true(mc_inflate_encoding("identity", &template));
	assert_int_equal(template, MC_INFLATE_NONE);
	assert_false(mc_inflate_encoding("br", &template));
	assert_false(mc_inflate_encoding("gzip, zstd", &template));
	assert_false(mc_inflate_encoding("", &template));
}

int main(void)
{
	static enum mc_inflate_encoding templates[] = { MC_INFLATE_GZIP, MC_INFLATE_ZSTD };
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test_prestate(test_there_and_back, &templates[0]),
		cmocka_unit_test_prestate(test_there_and_back, &templates[1]),
		cmocka_unit_test_prestate(test_bomb, &templates[0]),
		cmocka_unit_test_prestate(test_bomb, &templates[1]),
		cmocka_unit_test_prestate(test_broken, &templates[0]),
		cmocka_unit_test_prestate(test_broken, &templates[1]),
		cmocka_unit_test_prestate(test_members, &templates[0]),
		cmocka_unit_test_prestate(test_members, &templates[1]),
		cmocka_unit_test_prestate(test_pool, &templates[0]),
		cmocka_unit_test_prestate(test_pool, &templates[1]),
		cmocka_unit_test(test_window),
		cmocka_unit_test(test_form),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
