/* SPDX-License-Identifier: MIT */
/* Bodies that refer to the one before: what a server keeps of them, for whom, and how long. */
#include "httpd_fixture.h"

#include <stdlib.h>

#include <zstd.h>

#include <collector/kit/http_server.h>

#include "kit/net/http_dictionary.h"
#include "kit/net/http_server/http_dictionaries.h"

#define SIZE 5000

struct lab {
	struct mc_httpd *server;
	struct mc_httpd_listen listen;
	char port[8];
	uint16_t number; /* Of the port. */
};

/* Answers with the first eight bytes. */
static void on_put(struct mc_httpd_request *request)
{
	const unsigned char *bytes;
	const char *why = "";
	size_t size;
	unsigned status = mc_httpd_content(request, &bytes, &size, &why);

	if (status != 0)
		mc_httpd_refuse(request, status, why);
	else
		mc_httpd_answer(request, 200, "text/plain", bytes, size < 8 ? size : 8);
}

static const struct mc_httpd_route routes[] = {
	{ .path = "/put", .method = "POST", .handle = on_put },
	{ 0 },
};

static void open_lab(struct lab *lab, size_t dictionary_bytes)
{
	const struct mc_httpd_options options = {
		.limits = { .threads = 1,
			    .clients = 20,
			    .clients_per_address = 8,
			    .requests_per_client = 2,
			    .clients_len = 4,
			    .body_max = 100000,
			    .inflated_max = 100000,
			    .bytes_per_client = 1000000,
			    .memory_max = 1000000 },
		.routes = routes,
		.dictionary_bytes = dictionary_bytes,
	};
	int rc = -EADDRINUSE;

	lab->server = mc_httpd_new(NULL, &options);
	lab->listen = (struct mc_httpd_listen){ .host = "127.0.0.1", .port = lab->port };
	while (rc == -EADDRINUSE) {
		lab->number = find_port();
		snprintf(lab->port, sizeof(lab->port), "%u", lab->number);
		rc = mc_httpd_listen(lab->server, &lab->listen);
	}
	assert_int_equal(rc, 0);
}

/* A body that cannot be made smaller, but by one that is much like it: those below 9 are, and the
 * others. */
static void fill(unsigned char body[SIZE], unsigned char turn)
{
	uint32_t random = turn < 9 ? 1 : 2;

	for (size_t i = 0; i < SIZE; i++) {
		random = random * 1664525 + 1013904223;
		body[i] = (unsigned char)(random >> 24);
	}
	memset(body, turn, 8);
}

/* Sends the body of a turn, which refers to that of another one unless 'before' is 0. */
static unsigned send_turn(const struct lab *lab, uint32_t from, const char *header,
			  unsigned char turn, unsigned char before)
{
	unsigned char body[SIZE], prefix[SIZE], packed[2 * SIZE];
	ZSTD_CCtx *context = ZSTD_createCCtx();
	char all[256];
	size_t size;
	int fd;

	fill(body, turn);
	fill(prefix, before);
	ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
	if (before > 0)
		ZSTD_CCtx_refPrefix(context, prefix, SIZE);
	size = ZSTD_compress2(context, packed, sizeof(packed), body, SIZE);
	ZSTD_freeCCtx(context);
	assert_true(before == 0 || size < 100);
	snprintf(all, sizeof(all),
		 "Content-Encoding: zstd\r\nCollector-Dictionary: %s\r\nContent-Length: %zu\r\n",
		 header, size);
	fd = ask_from(from, lab->number, "POST /put", all);
	send_all(fd, packed, size);
	return read_reply(fd);
}

static bool is_kept(const char *number)
{
	char header[64];

	snprintf(header, sizeof(header), HTTP_DICTIONARY_HEADER ": %s\r\n", number);
	return strstr(reply, header) != NULL;
}

static void a_body_refers_to_the_one_before(void **state)
{
	const uint32_t here = INADDR_LOOPBACK;
	struct lab lab;

	(void)state;
	open_lab(&lab, 1 << 20);
	assert_int_equal(send_turn(&lab, here, "00000001", 1, 0), 200);
	assert_true(is_kept("00000001"));
	assert_int_equal(send_turn(&lab, here, "00000002 00000001", 2, 1), 200);
	assert_true(is_kept("00000002"));
	assert_string_equal(body_of_reply(), "\2\2\2\2\2\2\2\2");
	assert_int_equal(send_turn(&lab, here, "00000003 00000001", 3, 1), 424);
	assert_false(is_kept("00000003"));
	assert_int_equal(mc_httpd_dictionaries(lab.server).used, 1);
	assert_int_equal(mc_httpd_dictionaries(lab.server).missed, 1);
	mc_httpd_free(lab.server);
}

/* The client says 1, but has packed it by another one: nothing wrong is taken. */
static void a_wrong_one_is_found_out(void **state)
{
	const uint32_t here = INADDR_LOOPBACK;
	struct lab lab;

	(void)state;
	open_lab(&lab, 1 << 20);
	assert_int_equal(send_turn(&lab, here, "00000001", 1, 0), 200);
	assert_int_equal(send_turn(&lab, here, "00000002 00000001", 10, 9), 424);
	mc_httpd_free(lab.server);
}

static void one_of_somebody_else_is_not_used(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab, 1 << 20);
	assert_int_equal(send_turn(&lab, INADDR_LOOPBACK, "00000001", 1, 0), 200);
	assert_int_equal(send_turn(&lab, INADDR_LOOPBACK + 1, "00000002 00000001", 2, 1), 424);
	assert_int_equal(send_turn(&lab, INADDR_LOOPBACK, "00000002 00000001", 2, 1), 200);
	mc_httpd_free(lab.server);
}

static void a_server_that_keeps_none_says_nothing(void **state)
{
	struct lab lab;

	(void)state;
	open_lab(&lab, 0);
	assert_int_equal(send_turn(&lab, INADDR_LOOPBACK, "00000001", 1, 0), 200);
	assert_null(strstr(reply, HTTP_DICTIONARY_HEADER));
	mc_httpd_free(lab.server);
}

static void a_header_is_read(void **state)
{
	static const char *const wrong[] = {
		"",
		"0000001",
		"000000001",
		"0000000g",
		"0000000A",
		"00000001 ",
		"00000001 0000002",
		"00000001-00000002",
		"00000001 0000000x",
		"00000001 00000002 ",
		"00000001  0000002",
		"none",
	};
	struct http_dictionary_numbers numbers = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_false(http_dictionary_read(wrong[i], &numbers));
	assert_true(http_dictionary_read("89abcdef", &numbers));
	assert_int_equal(numbers.keep, 0x89abcdef);
	assert_false(numbers.refers);
	assert_true(http_dictionary_read("00000001 ffffffff", &numbers));
	assert_int_equal(numbers.keep, 1);
	assert_int_equal(numbers.use, 0xffffffff);
	assert_true(numbers.refers);
}

/* Whatever comes, they stay within their bytes. */
static void the_oldest_make_way(void **state)
{
	struct http_dictionaries all;
	unsigned char body[SIZE];
	struct http_dictionary *found;
	size_t size;

	(void)state;
	fill(body, 1);
	http_dictionaries_init(&all, 4 * SIZE);
	for (uint32_t i = 0; i < 100; i++) {
		http_dictionaries_keep(&all, "a", i, body, SIZE);
		assert_true(all.size <= 4 * SIZE);
	}
	assert_null(http_dictionaries_take(&all, "a", 96));
	found = http_dictionaries_take(&all, "a", 97);
	assert_non_null(found);
	assert_memory_equal(http_dictionaries_bytes(found, &size), body, SIZE);
	free(found);
	assert_null(http_dictionaries_take(&all, "a", 97));
	assert_null(http_dictionaries_take(&all, "b", 98));
	http_dictionaries_keep(&all, "a", 7, body, 0);
	free(http_dictionaries_take(&all, "a", 7));
	http_dictionaries_done(&all);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_body_refers_to_the_one_before),
		cmocka_unit_test(a_wrong_one_is_found_out),
		cmocka_unit_test(one_of_somebody_else_is_not_used),
		cmocka_unit_test(a_server_that_keeps_none_says_nothing),
		cmocka_unit_test(a_header_is_read),
		cmocka_unit_test(the_oldest_make_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
