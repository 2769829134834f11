/* SPDX-License-Identifier: MIT */
/* What the ping plugin sends and takes, and how it counts. */
#include <arpa/inet.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "echo.h"
#include "flight.h"
#include "target.h"
#include "unit.h"
#include <collector/kit/address.h>

/* --- Packets -------------------------------------------------------------- */

/* A request of ping(8) to 127.0.0.1, but for its data: its checksum is right. */
static void packets_have_a_checksum(void **state)
{
	unsigned char out[64];
	struct echo echo = { .id = 0x1234, .sequence = 0x0102, .token = 0, .data_size = 3 };
	static const unsigned char wanted[] = { 8, 0, 0xe4, 0xc9, 0x12, 0x34, 0x01, 0x02, 0, 0, 0 };

	(void)state;
	assert_int_equal(echo_write(&echo, out), sizeof(wanted));
	assert_memory_equal(out, wanted, sizeof(wanted));
}

static void replies_are_told_from_all_else(void **state)
{
	unsigned char ip[20 + 64] = { 0x45 }, *out = ip + 20;
	struct echo echo = {
		.v6 = true, .id = 7, .sequence = 513, .token = 0x1122334455667788, .data_size = 56
	};
	uint16_t sequence = 0;

	(void)state;
	assert_int_equal(echo_write(&echo, out), 64);
	assert_int_equal(out[0], 128);
	/* A request is not a reply. */
	assert_false(echo_read(out, 64, (struct echo_how){ 0 }, &echo, &sequence));
	out[0] = 129;
	assert_true(echo_read(out, 64, (struct echo_how){ 0 }, &echo, &sequence));
	assert_int_equal(sequence, 513);
	assert_false(echo_read(out, 63, (struct echo_how){ 0 }, &echo, &sequence));
	echo.id = 8;
	assert_false(echo_read(out, 64, (struct echo_how){ 0 }, &echo, &sequence));
	assert_true(echo_read(out, 64, (struct echo_how){ .any_id = true }, &echo, &sequence));
	echo.token++;
	assert_false(echo_read(out, 64, (struct echo_how){ .any_id = true }, &echo, &sequence));
	/* Of IPv4 the checksum counts: +8 in the type, -8 in the sum. */
	echo.v6 = false;
	echo_write(&echo, out);
	out[0] = 0;
	assert_false(echo_read(ip, 84, (struct echo_how){ .with_ip = true }, &echo, &sequence));
	out[2] += 8;
	assert_true(echo_read(ip, 84, (struct echo_how){ .with_ip = true }, &echo, &sequence));
	ip[0] = 0x4f;
	assert_false(echo_read(ip, 84, (struct echo_how){ .with_ip = true }, &echo, &sequence));
	ip[0] = 0x41;
	assert_false(echo_read(ip, 84, (struct echo_how){ .with_ip = true }, &echo, &sequence));
}

/* --- What waits ----------------------------------------------------------- */

static void the_oldest_is_over_first(void **state)
{
	struct flights flights;
	unsigned target;
	uint16_t a, b, c;

	(void)state;
	flight_init(&flights, 16, 10);
	assert_true(flight_due(&flights) == INT64_MAX);
	assert_true(flight_start(&flights, 100, 1, &a));
	assert_true(flight_start(&flights, 105, 2, &b));
	assert_true(flight_start(&flights, 108, 3, &c));
	assert_int_equal(flight_due(&flights), 111);
	assert_false(flight_expire(&flights, 110, &target));
	assert_true(flight_end(&flights, flight_find(&flights, b), 115));
	assert_null(flight_find(&flights, b)); /* A second reply. */
	assert_true(flight_expire(&flights, 111, &target));
	assert_int_equal(target, 1);
	assert_null(flight_find(&flights, a)); /* It is late. */
	assert_false(flight_end(&flights, flight_find(&flights, c), 119));
	assert_false(flight_expire(&flights, 118, &target));
	assert_true(flight_expire(&flights, 119, &target));
	assert_int_equal(target, 3);
	assert_null(flight_find(&flights, (uint16_t)(c + 1)));
	assert_true(flight_due(&flights) == INT64_MAX);
	flight_done(&flights);
}

static void numbers_begin_again(void **state)
{
	struct flights flights;
	unsigned target;
	uint16_t sequence;

	(void)state;
	flight_init(&flights, 4, 10); /* There is room for 16. */
	for (unsigned i = 0; i < 200000; i++) {
		assert_true(flight_start(&flights, i, i, &sequence));
		assert_int_equal(sequence, i & 0xffff);
		if (flight_expire(&flights, i, &target))
			assert_int_equal(target, i - 11);
	}
	for (unsigned i = 0; i < 5; i++)
		assert_true(flight_start(&flights, 200000, i, &sequence));
	assert_false(flight_start(&flights, 200000, 5, &sequence));
	flight_done(&flights);
}

/* --- Hosts ---------------------------------------------------------------- */

struct mc_series {
	int unused;
};

struct mc_batch {
	struct mc_series series;
	double values[3];
	unsigned len;
};

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	assert_string_equal(id.type_instance, "127.0.0.1");
	return &batch->series;
}

struct mc_series *mc_hold(struct mc_series *series)
{
	return series;
}

void mc_release(struct mc_series *series)
{
	(void)series;
}

void mc_gauge(struct mc_batch *batch, struct mc_series *series, double level)
{
	assert_ptr_equal(series, &batch->series);
	batch->values[batch->len++] = level;
}

mc_time mc_now(void)
{
	return MC_SECOND;
}

static bool takes_v4(void *argument, int family)
{
	(void)argument;
	return family == AF_INET;
}

static void values_of_a_host(void **state)
{
	struct sockaddr_storage other = { .ss_family = AF_INET };
	struct mc_batch batch = { 0 };
	struct target target;

	(void)state;
	target_init(&target, "127.0.0.1", AF_UNSPEC);
	assert_int_equal(target_report(&target, &batch), 0);
	assert_int_equal(batch.len, 0); /* Nothing was sent. */
	target_find(&target, takes_v4, NULL);
	assert_int_equal(target.address.ss_family, AF_INET);
	assert_true(target_is(&target, &target.address));
	assert_false(target_is(&target, &other));
	target_received(&target, 2 * MC_MILLISECOND);
	target_received(&target, 4 * MC_MILLISECOND);
	target_received(&target, 6 * MC_MILLISECOND);
	target_missed(&target, 1);
	assert_int_equal(target_report(&target, &batch), 0);
	assert_int_equal(batch.len, 3);
	assert_float_equal(batch.values[0], 4, 1e-9);
	assert_float_equal(batch.values[1], 2, 1e-9);
	assert_float_equal(batch.values[2], 0.25, 0);
	batch.len = 0;
	target_missed(&target, 1);
	assert_int_equal(target_report(&target, &batch), 0);
	assert_true(isnan(batch.values[0]) && isnan(batch.values[1]));
	assert_float_equal(batch.values[2], 1, 0);
	batch.len = 0;
	target_received(&target, MC_MILLISECOND);
	target_report(&target, &batch);
	assert_float_equal(batch.values[1], 0, 0);
	target_done(&target);
}

/* A request at the resolver cannot be taken back, nor be freed: it is not a leak. */
static const void *volatile asked;

/* The report is that of the last lookup until the next one has ended: else each
 * try would be two lines in the log. */
static void the_reason_stays_while_it_is_looked_up_again(void **state)
{
	struct mc_batch batch = { 0 };
	struct target target;

	(void)state;
#ifdef __SANITIZE_THREAD__
	skip();
#endif
	target_init(&target, "::1", AF_UNSPEC);
	target_find(&target, takes_v4, NULL);
	assert_true(mc_lookup_runs(&target.lookup));
	target_report(&target, &batch);
	while (mc_lookup_runs(&target.lookup)) {
		sched_yield();
		target_find(&target, takes_v4, NULL);
	}
	assert_int_equal(target_report(&target, &batch), EAI_ADDRFAMILY);
	target.backoff.until = 0;
	target_find(&target, takes_v4, NULL);
	assert_true(mc_lookup_runs(&target.lookup));
	assert_int_equal(target_report(&target, &batch), EAI_ADDRFAMILY);
	asked = target.lookup.query;
	target_done(&target);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packets_have_a_checksum),
		cmocka_unit_test(replies_are_told_from_all_else),
		cmocka_unit_test(the_oldest_is_over_first),
		cmocka_unit_test(numbers_begin_again),
		cmocka_unit_test(values_of_a_host),
		cmocka_unit_test(the_reason_stays_while_it_is_looked_up_again),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
