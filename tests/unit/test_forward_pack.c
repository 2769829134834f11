/* SPDX-License-Identifier: MIT */
/* Packing, and what a receiver says that it can unpack. */
#include "pack.h"

#include "unit.h"

#include <string.h>

#include <zlib.h>
#include <zstd.h>

static void test_is_in(void **state)
{
	(void)state;
	assert_true(pack_is_in("gzip, zstd", PACK_ZSTD));
	assert_true(pack_is_in("gzip, zstd", PACK_GZIP));
	assert_true(pack_is_in("gzip;q=0.5 ,ZSTD;q=1.0", PACK_ZSTD));
	assert_true(pack_is_in("zstd;q=0.1, gzip;q=0", PACK_ZSTD));
	assert_false(pack_is_in("zstd;q=0.1, gzip;q=0", PACK_GZIP));
	assert_false(pack_is_in("zstd; q=0.0", PACK_ZSTD));
	assert_false(pack_is_in("gzip", PACK_ZSTD));
	assert_false(pack_is_in("zstdx, xzstd", PACK_ZSTD));
	assert_false(pack_is_in("", PACK_ZSTD));
	assert_false(pack_is_in(" , ,", PACK_ZSTD));
	assert_false(pack_is_in("none", PACK_NONE));
}

static void test_simpler(void **state)
{
	(void)state;
	assert_int_equal(pack_simpler(PACK_ZSTD), PACK_GZIP);
	assert_int_equal(pack_simpler(PACK_GZIP), PACK_NONE);
	assert_string_equal(pack_name(PACK_GZIP), "gzip");
	assert_string_equal(pack_name(PACK_ZSTD), "zstd");
	assert_null(pack_name(PACK_NONE));
}

static size_t unpack(enum pack_encoding form, const unsigned char *bytes,
		     size_t size, unsigned char *out, size_t room)
{
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)bytes,
			    .avail_in = (uInt)size,
			    .next_out = out,
			    .avail_out = (uInt)room };

	if (form == PACK_ZSTD)
		return ZSTD_decompress(out, room, bytes, size);
	assert_int_equal(inflateInit2(&stream, 15 + 16), Z_OK);
	assert_int_equal(inflate(&stream, Z_FINISH), Z_STREAM_END);
	inflateEnd(&stream);
	return stream.total_out;
}

/* Again and again, of growing and of shrinking size. */
static void test_there_and_back(void **state)
{
	static const size_t sizes[] = { 0, 10, 20000, 3, 60000, 60000 };
	static unsigned char text[60000], back[60000];
	struct pack *pack = pack_new();
	const unsigned char *packed;
	size_t packed_size;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(i % 251);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_true(pack_body(pack, PACK_NONE, text, sizes[i], &packed,
				      &packed_size));
		assert_ptr_equal(packed, text);
		assert_int_equal(packed_size, sizes[i]);
		for (enum pack_encoding f = PACK_GZIP; f <= PACK_ZSTD; f++) {
			assert_true(pack_body(pack, f, text, sizes[i], &packed,
					      &packed_size));
			assert_true(packed_size < sizes[i] / 2 + 40);
			assert_int_equal(unpack(f, packed, packed_size, back,
						sizeof(back)),
					 sizes[i]);
			assert_memory_equal(back, text, sizes[i]);
		}
	}
	pack_free(pack);
	pack_free(NULL);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_is_in),
		cmocka_unit_test(test_simpler),
		cmocka_unit_test(test_there_and_back),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
