/* SPDX-License-Identifier: MIT */
/* Packing, and what a receiver says that it can unpack. */
#include "kit/net/http_client/http_pack.h"

#include "unit.h"

#include <string.h>

#include <zlib.h>
#include <zstd.h>

static void test_is_in(void **state)
{
	(void)state;
	assert_true(http_pack_is_in("gzip, zstd", HTTP_ZSTD));
	assert_true(http_pack_is_in("gzip, zstd", HTTP_GZIP));
	assert_true(http_pack_is_in("gzip;q=0.5 ,ZSTD;q=1.0", HTTP_ZSTD));
	assert_true(http_pack_is_in("zstd;q=0.1, gzip;q=0", HTTP_ZSTD));
	assert_false(http_pack_is_in("zstd;q=0.1, gzip;q=0", HTTP_GZIP));
	assert_false(http_pack_is_in("zstd; q=0.0", HTTP_ZSTD));
	assert_false(http_pack_is_in("gzip", HTTP_ZSTD));
	assert_false(http_pack_is_in("zstdx, xzstd", HTTP_ZSTD));
	assert_false(http_pack_is_in("", HTTP_ZSTD));
	assert_false(http_pack_is_in(" , ,", HTTP_ZSTD));
	assert_false(http_pack_is_in("none", HTTP_NONE));
}

static void test_simpler(void **state)
{
	(void)state;
	assert_int_equal(http_pack_simpler(HTTP_ZSTD), HTTP_GZIP);
	assert_int_equal(http_pack_simpler(HTTP_GZIP), HTTP_NONE);
	assert_string_equal(http_pack_name(HTTP_GZIP), "gzip");
	assert_string_equal(http_pack_name(HTTP_ZSTD), "zstd");
	assert_null(http_pack_name(HTTP_NONE));
}

static size_t unpack(enum http_encoding form, const unsigned char *bytes, size_t size,
		     unsigned char *out, size_t room)
{
	z_stream stream = { .next_in = (unsigned char *)(uintptr_t)bytes,
			    .avail_in = (uInt)size,
			    .next_out = out,
			    .avail_out = (uInt)room };

	if (form == HTTP_ZSTD)
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
	struct http_pack *pack = http_pack_new();
	struct http_body body;

	(void)state;
	for (size_t i = 0; i < sizeof(text); i++)
		text[i] = (unsigned char)(i % 251);
	for (size_t i = 0; i < sizeof(sizes) / sizeof(*sizes); i++) {
		assert_true(http_pack_body(pack, HTTP_NONE, text, sizes[i], &body));
		assert_ptr_equal(body.at, text);
		assert_int_equal(body.size, sizes[i]);
		for (enum http_encoding f = HTTP_GZIP; f <= HTTP_ZSTD; f++) {
			assert_true(http_pack_body(pack, f, text, sizes[i], &body));
			assert_true(body.size < sizes[i] / 2 + 40);
			assert_int_equal(unpack(f, body.at, body.size, back, sizeof(back)),
					 sizes[i]);
			assert_memory_equal(back, text, sizes[i]);
		}
	}
	http_pack_free(pack);
	http_pack_free(NULL);
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
