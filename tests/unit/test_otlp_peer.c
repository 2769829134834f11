/* SPDX-License-Identifier: MIT */
/* Whose a stream is. */
#include "peer.h"

#include "unit.h"

#include <stdio.h>
#include <string.h>

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	(void)ctx, (void)level, (void)fmt;
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	(void)batch, (void)id;
	return NULL;
}

void mc_derive(struct mc_batch *batch, struct mc_series *series, int64_t total)
{
	(void)batch, (void)series, (void)total;
}

mc_time mc_now(void)
{
	return 0;
}

mc_time mc_wall(void)
{
	return 0;
}

static void make_own(const struct mc_httpd_peer *peer, char stream[65], const char *text)
{
	memset(stream, 0, 65);
	snprintf(stream, 65, "%s", text);
	peer_own(peer, stream, 65);
}

/* Two runs are two, however long their names are. */
static void test_streams(void **state)
{
	static const char one[] = "s/0123456789012345678901234567890123456789-1";
	static const char two[] = "s/0123456789012345678901234567890123456789-2";
	char a[65], b[65];
	const struct mc_httpd_peer peer = { .certified = true, .name = "a" };
	const struct mc_httpd_peer other = { .certified = true, .name = "b" };

	(void)state;
	make_own(&peer, a, "s/1");
	make_own(&peer, b, "s/2");
	assert_int_equal(strlen(a), 34);
	assert_memory_equal(a, b, 33);
	assert_string_equal(a + 32, "/1");
	make_own(&other, b, "s/1");
	assert_memory_not_equal(a, b, 32);
	make_own(&peer, b, one);
	assert_memory_equal(a, b, 33);
	make_own(&peer, a, two);
	assert_memory_equal(a, b, 33);
	assert_string_not_equal(a, b);
	make_own(&peer, b, two);
	assert_string_equal(a, b);
	/* Without a certificate it stays as it is. */
	make_own(&(struct mc_httpd_peer){ 0 }, b, one);
	assert_string_equal(b, one);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_streams),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
