/* SPDX-License-Identifier: MIT */
/* Guests that move, and files of what was known of them. */
#include "migration_fixture.h"
#include "record.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define S MC_SECOND

static mc_time now = 1000000 * S;

/* What is stored for a counter of that process; -1: not taken. */
static int64_t put(struct moves *moves, const char *stream, int64_t value)
{
	union mc_value values[1] = { { .derive = value } };
	struct moves_sample sample = sample_of(stream, now, now, values);

	return moves_take(moves, &sample) == MOVES_TAKEN ? values[0].derive : -1;
}

static bool killed; /* Not stopped in good order. */

static ptrdiff_t read_file(char *text, size_t size, struct moves *moves)
{
	struct record_wait *waits;
	ptrdiff_t damaged = record_read(text, size, moves, now, &waits);

	assert_null(waits);
	return damaged;
}

static void restart(struct moves *moves, mc_time later, ptrdiff_t damaged)
{
	struct mc_buffer text = { 0 };

	mc_buffer_add(&text, RECORD_HEAD, strlen(RECORD_HEAD));
	for (struct moves_guest *at = NULL; (at = moves_next(moves, at)) != NULL;)
		record_write(&text, at, now);
	moves_done(moves);
	*moves = (struct moves){ .trusts = everybody };
	now += later;
	if (!killed)
		mc_buffer_add(&text, RECORD_END, strlen(RECORD_END));
	assert_int_equal(read_file(text.at, text.size, moves), damaged);
	mc_buffer_free(&text);
}

/* What the file lacks is not taken for nothing. */
static void test_kill(void **state)
{
	struct moves moves = { .trusts = everybody };

	(void)state;
	put(&moves, A1, 1000);
	put(&moves, B2, 20);
	killed = true; /* The process goes on, and then moves. */
	restart(&moves, 5 * S, 0);
	assert_int_equal(put(&moves, B2, 70), 1070);
	assert_int_equal(put(&moves, A3, 5), 1075);
	/* It has moved while nobody looked: it may have counted 1075 or any more before. */
	restart(&moves, 5 * S, 0);
	assert_int_equal(put(&moves, "b-7 uuid m right", 9), 9);
	assert_int_equal(put(&moves, A3, 1000000), -1);
	assert_int_equal(put(&moves, "b-7 uuid m right", 11), 11);
	killed = false;
	moves_done(&moves);
}

static void test_restarts(void **state)
{
	struct moves moves = { .trusts = everybody };

	(void)state;
	put(&moves, A1, 1000);
	put(&moves, B2, 20);
	restart(&moves, 5 * S, 0);
	assert_int_equal(put(&moves, B2, 25), 1025);
	/* It moves while the collector is stopped. */
	restart(&moves, 5 * S, 0);
	assert_int_equal(put(&moves, A3, 5), 1030);
	/* The old host has a backlog: it is not back, but it has counted. */
	restart(&moves, 5 * S, 0);
	assert_int_equal(put(&moves, B2, 125), -1);
	assert_int_equal(put(&moves, A3, 6), 1131);
	/* It is back. */
	restart(&moves, 5 * S, 0);
	now += 2 * MOVES_ARRIVES;
	assert_int_equal(put(&moves, B2, 126), 1132);
	assert_int_equal(put(&moves, B2, 128), 1134);
	/* A file of last month. */
	restart(&moves, 30 * 86400 * S, 4);
	assert_int_equal(put(&moves, B2, 5), 5);
	moves_done(&moves);
}

static void test_damaged_files(void **state)
{
	static const char *const lines[] = {
		"guest\t1\n",
		"guest\tx\tweb1\t" A1 "\n",
		"guest\t-1\tweb1\t" A1 "\n",
		"guest\t1000000000000000\tweb1\tnone\n",
		"guest\t99999999999999999999\tweb1\t" A1 "\n",
		"guest\t1000000000000000\tweb/1\t" A1 "\n",
		"series\tvirt/a\t1\t2\n",
		"series\n",
		"\n",
		"\t\t\t\n",
		"other\tvirt/a\n",
		"moved\t1\tleft\tright\t-\t-\n",
		"wait\t1\t1\tweb1\t" B2 "\t\tdisk_octets\tvda\t5\n",
		"of\t1\n",
		"past\t1\t5\n",
	};
	char text[256];

	(void)state;
	now = 1000000 * S;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct moves moves = { 0 };

		snprintf(text, sizeof(text), RECORD_HEAD "%s", lines[i]);
		assert_int_equal(read_file(text, strlen(text), &moves), 1);
		assert_int_equal(moves.guests.len, 0);
		moves_done(&moves);
	}
	snprintf(text, sizeof(text), "another file\n");
	assert_int_equal(read_file(text, strlen(text), &(struct moves){ 0 }), -1);
}

static void test_damaged_series(void **state)
{
	static const char *const lines[] = {
		"series\tvirt/a\t1\n",      "series\tvirt/a\t1\tx\n",  "series\tvirt/a\n",
		"series\t\t1\t2\n",         "series\tvirt/a\t1\t2\t3", "series\tvirt/a\t-1\t2\n",
		"series\tvirt/a\t1\t2\t\n",
	};
	char text[256];

	(void)state;
	now = 1000000 * S;
	for (size_t i = 0; i < sizeof(lines) / sizeof(lines[0]); i++) {
		struct moves moves = { 0 };

		snprintf(text, sizeof(text),
			 RECORD_HEAD "guest\t%lld\tweb1\t" A1 "\tx\ty\tz\tw\n%s", (long long)now,
			 lines[i]);
		assert_int_equal(read_file(text, strlen(text), &moves), 1);
		assert_int_equal(moves.guests.len, 1);
		assert_int_equal(moves_find(&moves, "web1")->series.len, 0);
		moves_done(&moves);
	}
}

static void ignore(void *argument, enum moves_news news, const struct moves_guest *guest)
{
	(void)argument;
	(void)news;
	(void)guest;
}

static void hear(struct moves *moves, enum moves_kind kind, const char *hypervisor)
{
	moves_events_hear(moves, &(struct moves_event){ .kind = kind,
							.host = "web1",
							.hypervisor = hypervisor,
							.now = now,
							.time = now,
							.figures = { 0.031, 4.21, NAN, NAN } });
}

/* Where it was is known of the last moves, also after a restart. */
static void test_moves_are_kept(void **state)
{
	struct moves moves = { .trusts = everybody };
	const struct moves_guest *guest;
	char from[32], to[32], stream[64];

	(void)state;
	put(&moves, "g uuid - kvm0", 1);
	for (int i = 1; i <= MOVES_KEPT + 4; i++) {
		snprintf(from, sizeof(from), "kvm%d", i - 1);
		snprintf(to, sizeof(to), "kvm%d", i);
		now += 60 * S;
		hear(&moves, MOVES_SUSPENDED, from);
		hear(&moves, MOVES_CAME, to);
		hear(&moves, MOVES_STOPPED, from);
		if (i != MOVES_KEPT)
			hear(&moves, MOVES_JOB_DONE, from);
		snprintf(stream, sizeof(stream), "g%d uuid m %s", i, to);
		put(&moves, stream, 1);
		now += 4 * S;
		moves_events_look(&moves, now, ignore, NULL);
	}
	restart(&moves, S, 0);
	guest = moves_find(&moves, "web1");
	assert_int_equal(guest->moves_len, MOVES_KEPT);
	assert_string_equal(guest->moves[0].from, "kvm4");
	assert_string_equal(guest->moves[MOVES_KEPT - 1].to, "kvm20");
	assert_int_equal(guest->moves[MOVES_KEPT - 1].time, now - S);
	assert_true(guest->moves[0].figures.downtime == 0.031);
	assert_true(guest->moves[0].figures.duration == 4.21);
	assert_true(isnan(guest->moves[MOVES_KEPT - 5].figures.downtime));
	moves_done(&moves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_restarts),       cmocka_unit_test(test_kill),
		cmocka_unit_test(test_damaged_files),  cmocka_unit_test(test_damaged_series),
		cmocka_unit_test(test_moves_are_kept),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
