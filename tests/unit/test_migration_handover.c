/* SPDX-License-Identifier: MIT */
/* Values of a guest's new host that wait for those of the old one. */
#include "migration_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#define S MC_SECOND

static mc_time now = 1000000 * S;
static mc_time ago; /* So much older than that are samples. */

/* What is stored for a counter of that process; -1: not taken; -2: from an unauthorized host; -3:
 * it waits; -4: it has no room for that. */
static int64_t put(struct moves *moves, const char *stream, int64_t value)
{
	union mc_value values[1] = { { .derive = value } };
	struct moves_sample sample = sample_of(stream, now, now - ago, values);

	switch (moves_take(moves, &sample)) {
	case MOVES_TAKEN:
		return values[0].derive;
	case MOVES_LATE:
	case MOVES_PAST:
	case MOVES_MERGED:
		return -1;
	case MOVES_STRANGE:
		return -2;
	case MOVES_WAITS:
		moves_keep(moves, &sample, NULL);
		return -3;
	case MOVES_CROWDED:
		return -4;
	}
	return -5;
}

static void has_left(struct moves *moves, const char *hypervisor)
{
	moves_events_hear(moves, &(struct moves_event){ .kind = MOVES_STOPPED,
							.host = "web1",
							.hypervisor = hypervisor,
							.now = now,
							.time = now });
}

/* Releases all that is due, and returns the last value of it; -1: nothing is. */
static int64_t release(struct moves *moves, mc_time when)
{
	struct moves_guest *guest;
	struct handover waiting;
	int64_t last = -1;

	while ((guest = moves_due(moves, when)) != NULL) {
		while (moves_release(moves, guest, &waiting)) {
			for (struct handover_sample *at = waiting.samples; at != NULL;
			     at = at->next) {
				struct moves_sample sample = waited_sample(at, now);

				assert_int_equal(moves_take(moves, &sample), MOVES_TAKEN);
				assert_true(at->values[0].derive > last);
				last = at->values[0].derive;
			}
			handover_free(&waiting);
		}
	}
	return last;
}

static void test_the_old_host_has_a_backlog(void **state)
{
	struct moves moves = { .wait = 30 * S };

	(void)state;
	assert_int_equal(put(&moves, A1, 1000), 1000);
	now += 8 * S; /* Its link is down. */
	assert_int_equal(put(&moves, B2, 20), -3);
	now += S;
	assert_int_equal(put(&moves, B2, 30), -3);
	assert_int_equal(release(&moves, now), -1);
	assert_int_equal(put(&moves, "c-3 uuid m third", 2), -3); /* It moves on. */
	for (ago = 8 * S; ago > 2 * S; ago -= S)
		assert_int_equal(put(&moves, A1, 1100 - ago / S), 1100 - ago / S);
	assert_int_equal(release(&moves, now), -1);
	ago = 0;
	has_left(&moves, "left");
	has_left(&moves, "right");
	now += 3 * S; /* That was nearly all, and nothing more comes. */
	assert_int_equal(release(&moves, now), 1097 + 30 + 2);
	assert_int_equal(put(&moves, "c-3 uuid m third", 3), 1130);
	assert_int_equal(moves.late + moves.refused + moves.overdue, 0);
	assert_int_equal(moves.waited, 3);
	assert_int_equal(moves.waiting_size, 0);
	moves_done(&moves);
}

/* As is known from another guest that it measures, or from its own values. */
static void test_the_old_host_has_sent_all(void **state)
{
	struct moves moves = { .wait = 30 * S };
	union mc_value value = { .derive = 5 };
	struct moves_sample other = { .host = "web2",
				      .name = "virt/virt_cpu_total",
				      .stream = "d-9 other - left",
				      .interval = S,
				      .counters = 1,
				      .values = &value,
				      .values_len = 1 };

	(void)state;
	for (unsigned own = 0; own < 2; own++) {
		moves = (struct moves){ .wait = 30 * S };
		put(&moves, A1, 1000);
		now += 8 * S;
		assert_int_equal(put(&moves, B2, 20), -3);
		other.now = now;
		other.time = now - S;
		moves_take(&moves, &other);
		assert_int_equal(release(&moves, now), -1);
		other.time = now;
		if (own != 0)
			moves_reach(&moves, "left", now);
		else
			moves_take(&moves, &other);
		assert_int_equal(release(&moves, now), 1020);
		assert_int_equal(moves.overdue, 0);
		has_left(&moves, "right");
		/* And so the next move to it waits for nothing. */
		assert_int_equal(put(&moves, A3, 1), 1021);
		moves_done(&moves);
	}
}

/* It has said nothing of the move, as its collector was killed, and has values in its journal. */
static void test_the_old_host_was_killed(void **state)
{
	struct moves moves = { .wait = 30 * S };

	(void)state;
	put(&moves, A1, 1000);
	now += 2 * S;
	assert_int_equal(put(&moves, B2, 20), -3);
	now += 5 * S;
	assert_int_equal(release(&moves, now), -1);
	ago = 6 * S;
	assert_int_equal(put(&moves, A1, 1100), 1100);
	ago = 0;
	now += 4 * S;
	moves_reach(&moves, "left", now);
	assert_int_equal(release(&moves, now), 1120);
	assert_int_equal(moves.late + moves.overdue, 0);
	moves_done(&moves);
}

static void test_the_old_host_has_died(void **state)
{
	struct moves moves = { .wait = 30 * S };

	(void)state;
	put(&moves, A1, 1000);
	now += 8 * S;
	for (int i = 1; i <= 30; i++, now += S) {
		assert_int_equal(put(&moves, B2, i), -3);
		assert_int_equal(release(&moves, now), -1);
	}
	assert_int_equal(release(&moves, now), 1030);
	assert_int_equal(moves.overdue, 1);
	/* It was not dead. */
	ago = 25 * S;
	assert_int_equal(put(&moves, A1, 1100), -1);
	ago = 0;
	assert_int_equal(moves.late, 1);
	assert_int_equal(put(&moves, B2, 31), 1131);
	moves_done(&moves);
}

static void test_values_that_need_not_wait(void **state)
{
	struct moves moves = { .wait = 30 * S };

	(void)state;
	/* It was off for long, and starts elsewhere. */
	put(&moves, A1, 1000);
	now += 100 * S;
	assert_int_equal(put(&moves, "b-5 uuid - right", 7), 7);
	moves_done(&moves);
	moves = (struct moves){ .wait = 30 * S, .trusts = everybody };
	/* The usual move. */
	put(&moves, A1, 1000);
	now += S;
	assert_int_equal(put(&moves, B2, 20), 1020);
	now += 20 * S;
	/* On the same host. */
	assert_int_equal(put(&moves, "b-6 uuid m right", 5), 1025);
	now += 20 * S;
	/* At the end nothing waits. */
	moves.wait = 0;
	assert_int_equal(put(&moves, A3, 2), 1027);
	moves_done(&moves);
}

static int64_t put_of(struct moves *moves, const char *host, const char *stream, int64_t value)
{
	union mc_value values[1] = { { .derive = value } };
	struct moves_sample sample = sample_of(stream, now, now, values);

	sample.host = host;
	switch (moves_take(moves, &sample)) {
	case MOVES_TAKEN:
		return values[0].derive;
	case MOVES_WAITS:
		moves_keep(moves, &sample, NULL);
		return -3;
	default:
		return -1;
	}
}

/* Two guests of one host move at once, to two others; each waits for itself. */
static void test_two_move_at_once(void **state)
{
	struct moves moves = { .wait = 30 * S, .trusts = everybody };
	struct moves_guest *guest;
	struct handover waiting;

	(void)state;
	put_of(&moves, "web1", "a-1 one - left", 100);
	put_of(&moves, "web2", "a-2 two - left", 200);
	now += 8 * S; /* The link of their host is down. */
	assert_int_equal(put_of(&moves, "web1", "b-1 one m right", 1), -3);
	now += S;
	assert_int_equal(put_of(&moves, "web2", "c-1 two m third", 2), -3);
	assert_null(moves_due(&moves, now));
	moves_reach(&moves, "left", now - S); /* All of before the first one went. */
	guest = moves_due(&moves, now);
	assert_string_equal(guest->host, "web1");
	assert_null(moves_due(&moves, now));
	while (moves_release(&moves, guest, &waiting)) {
		struct moves_sample sample = waited_sample(waiting.samples, now);

		assert_int_equal(moves_take(&moves, &sample), MOVES_TAKEN);
		assert_int_equal(sample.values[0].derive, 101);
		handover_free(&waiting);
	}
	assert_int_equal(put_of(&moves, "web1", "b-1 one m right", 5), 105);
	assert_int_equal(put_of(&moves, "web2", "c-1 two m third", 3), -3);
	moves_reach(&moves, "left", now);
	guest = moves_due(&moves, now);
	assert_string_equal(guest->host, "web2");
	while (moves_release(&moves, guest, &waiting)) {
		for (struct handover_sample *at = waiting.samples; at != NULL; at = at->next) {
			struct moves_sample sample = waited_sample(at, now);

			sample.host = "web2";
			assert_int_equal(moves_take(&moves, &sample), MOVES_TAKEN);
		}
		handover_free(&waiting);
	}
	assert_int_equal(put_of(&moves, "web2", "c-1 two m third", 4), 204);
	moves_done(&moves);
}

static void test_too_many_wait(void **state)
{
	struct moves moves = { .wait = 30 * S };
	int64_t len = 0, last, said;

	(void)state;
	put(&moves, A1, 1);
	now += 8 * S;
	while ((said = put(&moves, B2, len + 1)) == -3)
		len++;
	assert_int_equal(said, -4);
	assert_true(moves.waiting_size >= HANDOVER_SIZE_MAX);
	assert_true(moves.waiting_size < HANDOVER_SIZE_MAX + 1024);
	last = release(&moves, now);
	assert_int_equal(last, 1 + len);
	assert_int_equal(put(&moves, B2, len + 1), 2 + len);
	assert_int_equal(moves.refused, 1);
	moves_done(&moves);
	/* What still waits at the end is freed. */
	moves = (struct moves){ .wait = 30 * S };
	put(&moves, A1, 1);
	now += 8 * S;
	assert_int_equal(put(&moves, B2, 1), -3);
	assert_non_null(moves_due(&moves, 0));
	assert_null(moves_due(&moves, 0));
	moves_done(&moves);
}

static enum moves_verdict put_gauge(struct moves *moves, const char *stream, mc_time time)
{
	union mc_value value = { .gauge = 1 };
	struct moves_sample sample = sample_of(stream, now, time, &value);

	sample.name = "virt/memory-rss";
	sample.counters = 0;
	return moves_take(moves, &sample);
}

/* Those of the old host that come too late fill the gap before those of the new one, once each. */
static void test_late_gauges_fill_the_gap(void **state)
{
	struct moves moves = { .trusts = everybody };
	mc_time begin = now;

	(void)state;
	assert_int_equal(put_gauge(&moves, A1, begin), MOVES_TAKEN);
	assert_int_equal(put_gauge(&moves, B2, begin + 10 * S), MOVES_TAKEN);
	assert_int_equal(put_gauge(&moves, A1, begin), MOVES_LATE); /* It is repeated. */
	assert_int_equal(put_gauge(&moves, A1, begin + 1 * S), MOVES_PAST);
	assert_int_equal(put_gauge(&moves, A1, begin + 1 * S), MOVES_LATE);
	assert_int_equal(put_gauge(&moves, A1, begin + 1 * S + S / 4), MOVES_LATE); /* Too many. */
	assert_int_equal(put_gauge(&moves, B2, begin + 11 * S), MOVES_TAKEN);
	assert_int_equal(put_gauge(&moves, A1, begin + 9 * S), MOVES_PAST);
	assert_int_equal(put_gauge(&moves, A1, begin + 8 * S), MOVES_LATE);
	/* By a clock that is ahead: it would lie among values of the new host. */
	assert_int_equal(put_gauge(&moves, A1, begin + 10 * S), MOVES_LATE);
	assert_int_equal(put_gauge(&moves, A1, begin + 15 * S), MOVES_LATE);
	/* It moves on: what the first host has of before the second is of no gap any more. */
	assert_int_equal(put_gauge(&moves, A3, begin + 20 * S), MOVES_TAKEN);
	assert_int_equal(put_gauge(&moves, A1, begin + 9 * S + S / 2), MOVES_LATE);
	assert_int_equal(put_gauge(&moves, B2, begin + 15 * S), MOVES_PAST);
	assert_int_equal(put_gauge(&moves, A3, begin + 21 * S), MOVES_TAKEN);
	assert_int_equal(moves.late, 10);
	moves_done(&moves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_old_host_has_a_backlog),
		cmocka_unit_test(test_the_old_host_has_sent_all),
		cmocka_unit_test(test_the_old_host_was_killed),
		cmocka_unit_test(test_the_old_host_has_died),
		cmocka_unit_test(test_values_that_need_not_wait),
		cmocka_unit_test(test_two_move_at_once),
		cmocka_unit_test(test_too_many_wait),
		cmocka_unit_test(test_late_gauges_fill_the_gap),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
