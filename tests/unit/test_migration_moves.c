/* SPDX-License-Identifier: MIT */
/* Guests that move: their counters, and events in any order. */
#include "migration_fixture.h"
#include "tally.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define S MC_SECOND

static mc_time now = 1000000 * S;

struct seen {
	unsigned moved, lost, refused, loud;
	char from[STREAM_PART_SIZE], to[STREAM_PART_SIZE];
	double downtime;
};

static void see(void *argument, enum moves_news news, const struct moves_guest *guest)
{
	struct seen *seen = argument;

	seen->moved += news == MOVES_HAS_MOVED;
	seen->lost += news == MOVES_IS_LOST;
	seen->refused += news == MOVES_IS_REFUSED;
	seen->loud += news == MOVES_IS_LOUD;
	memcpy(seen->from, guest->from, sizeof(seen->from));
	memcpy(seen->to, guest->to, sizeof(seen->to));
	seen->downtime = guest->figures.downtime;
}

/* What is stored for a counter of that process; -1: not taken; -2: from an unauthorized host. */
static int64_t put(struct moves *moves, const char *stream, int64_t value)
{
	union mc_value values[1] = { { .derive = value } };
	struct moves_sample sample = sample_of(stream, now, now, values);
	enum moves_verdict verdict = moves_take(moves, &sample);

	if (verdict == MOVES_TAKEN)
		return values[0].derive;
	return verdict == MOVES_LATE || verdict == MOVES_PAST || verdict == MOVES_MERGED ? -1 : -2;
}

static bool hear(struct moves *moves, enum moves_kind kind, const char *hypervisor)
{
	return moves_events_hear(moves, &(struct moves_event){ .kind = kind,
							       .host = "web1",
							       .hypervisor = hypervisor,
							       .now = now,
							       .time = now,
							       .figures = { .downtime = 0.031,
									    .duration = 4 } }) !=
	       NULL;
}

static struct seen look(struct moves *moves)
{
	struct seen seen = { 0 };

	moves_events_look(moves, now, see, &seen);
	return seen;
}

static void test_counters_go_on(void **state)
{
	struct moves moves = { .trusts = everybody };

	(void)state;
	assert_int_equal(put(&moves, A1, 1000), 1000);
	now += S;
	assert_int_equal(put(&moves, A1, 1500), 1500);
	now += S;
	assert_int_equal(put(&moves, B2, 20), 1520);
	now += S;
	assert_int_equal(put(&moves, B2, 70), 1570);
	/* A chain of moves. */
	assert_int_equal(put(&moves, A3, 5), 1575);
	assert_int_equal(put(&moves, A3, 6), 1576);
	moves_done(&moves);
}

static void test_a_start_begins_anew(void **state)
{
	struct moves moves = { 0 };

	(void)state;
	put(&moves, A1, 1000);
	assert_int_equal(put(&moves, "a-4 uuid - left", 3), 3);
	/* Elsewhere, when it is off here. */
	now += 10 * S;
	assert_int_equal(put(&moves, "b-5 uuid - right", 7), 7);
	/* Another guest of that name, though it has come. */
	now += 10 * S;
	assert_int_equal(put(&moves, "a-6 other m left", 9), 9);
	moves_done(&moves);
}

/* Its host is away for days, and sends then what it has. */
static void test_a_host_comes_back(void **state)
{
	struct moves moves = { .trusts = everybody };

	(void)state;
	put(&moves, A1, 1000);
	assert_int_equal(put(&moves, B2, 20), 1020);
	now += MOVES_KEEPS - S;
	look(&moves);
	assert_int_equal(put(&moves, B2, 30), 1030);
	/* One that has ended is soon forgotten. */
	hear(&moves, MOVES_ENDED, "right");
	now += MOVES_FORGETS + S;
	look(&moves);
	assert_null(moves_find(&moves, "web1"));
	/* One of which nothing is heard, later. */
	put(&moves, A1, 1000);
	now += MOVES_KEEPS + S;
	look(&moves);
	assert_null(moves_find(&moves, "web1"));
	moves_done(&moves);
}

static void test_late_values_are_counted(void **state)
{
	struct moves moves = { .trusts = everybody };

	(void)state;
	put(&moves, A1, 1000);
	assert_int_equal(put(&moves, B2, 20), 1020);
	assert_int_equal(put(&moves, A1, 1300), -1);
	assert_int_equal(put(&moves, A1, 1200), -1); /* Out of order: it is in that. */
	assert_int_equal(put(&moves, B2, 25), 1325);
	assert_int_equal(put(&moves, A1, 1310), -1);
	assert_int_equal(put(&moves, B2, 25), 1335);
	assert_int_equal(moves.late, 3);
	moves_done(&moves);
}

/* Another series of the old host, of which the new one has sent nothing so far. */
static void test_late_but_next(void **state)
{
	struct moves moves = { .trusts = everybody };
	union mc_value value = { .derive = 50 };
	struct moves_sample other = { .host = "web1",
				      .name = "virt/virt_cpu_total",
				      .stream = A1,
				      .now = now,
				      .interval = S,
				      .counters = 1,
				      .values = &value,
				      .values_len = 1 };

	(void)state;
	moves_take(&moves, &other);
	put(&moves, A1, 1000);
	put(&moves, B2, 20);
	value.derive = 60;
	assert_int_equal(moves_take(&moves, &other), MOVES_TAKEN);
	assert_int_equal(value.derive, 60);
	value.derive = 1;
	other.stream = B2;
	moves_take(&moves, &other);
	assert_int_equal(value.derive, 61);
	moves_done(&moves);
}

static void test_it_comes_back(void **state)
{
	struct moves moves = { .trusts = everybody };

	(void)state;
	put(&moves, A1, 1000);
	assert_int_equal(put(&moves, B2, 20), 1020);
	assert_int_equal(put(&moves, A1, 1100), -1);
	now += 4 * S; /* The new process has failed. */
	assert_int_equal(put(&moves, A1, 1150), 1170);
	assert_int_equal(put(&moves, A1, 1160), 1180);
	assert_int_equal(put(&moves, B2, 21), -1);
	moves_done(&moves);
}

static void test_another_host_claims_it(void **state)
{
	struct moves moves = { 0 };

	(void)state;
	put(&moves, A1, 1000);
	assert_int_equal(put(&moves, "b-9 uuid - right", 5), -2);
	assert_int_equal(look(&moves).refused, 1);
	assert_int_equal(put(&moves, A1, 1010), 1010);
	assert_int_equal(look(&moves).refused, 0);
	/* The old host says that it is gone: it has come, whoever says how. */
	assert_true(hear(&moves, MOVES_STOPPED, "left"));
	assert_int_equal(put(&moves, "b-9 uuid - right", 5), 1015);
	/* What is no stream changes nothing. */
	assert_int_equal(put(&moves, "", 1), 1);
	assert_int_equal(put(&moves, "a b", 1), 1);
	assert_int_equal(put(&moves, "a b x d", 1), 1);
	assert_int_equal(put(&moves, "a b m d e", 1), 1);
	assert_int_equal(put(&moves, "b-9 uuid - right", 6), 1016);
	moves_done(&moves);
}

static void test_many_moves(void **state)
{
	struct moves moves = { .trusts = everybody };
	int64_t last = 0, total = 0;
	char stream[64], before[64] = "g0 uuid - h0";

	(void)state;
	for (int move = 0; move < 1000; move++) {
		snprintf(stream, sizeof(stream), "g%d uuid %c h%d", move, move > 0 ? 'm' : '-',
			 move % 3);
		for (int64_t value = 1; value < 10; value++) {
			int64_t stored = put(&moves, stream, value);

			total++;
			assert_int_equal(stored, total);
			assert_true(stored > last);
			last = stored;
			if (value == 3 && move > 0) /* One that came late. */
				assert_int_equal(put(&moves, before, 9), -1);
		}
		memcpy(before, stream, sizeof(before));
		now += S;
	}
	moves_done(&moves);
}

/* --- Events ------------------------------------------------------------------------- */

static void test_one_notice(void **state)
{
	struct moves moves = { 0 };
	struct seen seen;

	(void)state;
	put(&moves, A1, 1);
	assert_true(hear(&moves, MOVES_SUSPENDED, "left"));
	assert_int_equal(look(&moves).moved, 0);
	hear(&moves, MOVES_CAME, "right");
	put(&moves, B2, 1);
	assert_int_equal(look(&moves).moved, 0);
	assert_true(hear(&moves, MOVES_STOPPED, "left"));
	assert_int_equal(look(&moves).moved, 0);
	hear(&moves, MOVES_JOB_DONE, "left");
	seen = look(&moves);
	assert_int_equal(seen.moved, 1);
	assert_string_equal(seen.from, "left");
	assert_string_equal(seen.to, "right");
	assert_true(seen.downtime == 0.031);
	now += S;
	put(&moves, B2, 2);
	hear(&moves, MOVES_CAME, "right"); /* It came twice. */
	for (int i = 0; i < 20; i++) {
		now += S;
		seen = look(&moves);
		assert_int_equal(seen.moved + seen.lost, 0);
		assert_int_equal(seen.loud, i == 9);
	}
	moves_done(&moves);
}

static void leave(struct moves *moves, const char *from, bool expected)
{
	assert_int_equal(hear(moves, MOVES_SUSPENDED, from), expected);
	assert_int_equal(hear(moves, MOVES_STOPPED, from), expected);
}

/* To a third host, before a value of the second one has come. */
static void test_it_moves_on(void **state)
{
	struct moves moves = { .trusts = everybody };
	struct seen seen;

	(void)state;
	put(&moves, A1, 1000);
	now += S;
	leave(&moves, "foreign", false);
	leave(&moves, "left", true);
	hear(&moves, MOVES_CAME, "right");
	hear(&moves, MOVES_JOB_DONE, "left");
	assert_int_equal(look(&moves).moved, 1);
	now += 12 * S; /* Its silence is an alarm again, */
	assert_int_equal(look(&moves).loud, 1);
	leave(&moves, "right", true); /* but not any more. */
	hear(&moves, MOVES_CAME, "third");
	hear(&moves, MOVES_JOB_DONE, "right");
	seen = look(&moves);
	assert_int_equal(seen.moved, 1);
	assert_string_equal(seen.from, "right");
	assert_string_equal(seen.to, "third");
	assert_int_equal(put(&moves, "c-9 uuid m third", 5), 1005);
	moves_done(&moves);
}

/* So soon that the first move is not reported; never is one from a host to itself. */
static void test_it_moves_on_at_once(void **state)
{
	struct moves moves = { .trusts = everybody };
	struct seen seen;

	(void)state;
	put(&moves, A1, 1000);
	now += S;
	leave(&moves, "left", true);
	hear(&moves, MOVES_CAME, "right");
	leave(&moves, "right", true);
	assert_int_equal(look(&moves).moved, 0);
	hear(&moves, MOVES_CAME, "third");
	hear(&moves, MOVES_JOB_DONE, "right");
	seen = look(&moves);
	assert_string_equal(seen.from, "right");
	assert_string_equal(seen.to, "third");
	moves_done(&moves);
}

static void test_events_in_any_order(void **state)
{
	static const enum moves_kind kinds[] = { MOVES_SUSPENDED, MOVES_CAME, MOVES_STOPPED,
						 MOVES_JOB_DONE };

	(void)state;
	for (unsigned order = 0; order < 256; order++) {
		struct moves moves = { 0 };
		unsigned moved = 0, seen = 0;

		put(&moves, A1, 1);
		for (unsigned i = 0; i < 4; i++) {
			unsigned which = order >> 2 * i & 3;

			seen |= 1u << which;
			hear(&moves, kinds[which], kinds[which] == MOVES_CAME ? "right" : "left");
		}
		put(&moves, B2, 1);
		for (int i = 0; i < 100; i++) {
			moved += look(&moves).moved;
			now += S;
			put(&moves, B2, i);
		}
		/* Without a statement of the old host that of the values suffices. */
		if (seen == 0xf || (seen & 4) != 0)
			assert_int_equal(moved, 1);
		assert_true(moved <= 1);
		moves_done(&moves);
	}
}

static void test_by_values_alone(void **state)
{
	struct moves moves = { .trusts = everybody };
	struct seen seen;

	(void)state;
	put(&moves, A1, 1);
	put(&moves, B2, 1);
	assert_int_equal(look(&moves).moved, 0);
	now += 4 * S;
	seen = look(&moves);
	assert_int_equal(seen.moved, 1);
	assert_string_equal(seen.from, "left");
	assert_string_equal(seen.to, "right");
	moves_done(&moves);
}

/* From a host that has another aggregator, to one of here, and away again. */
static void test_between_two_aggregators(void **state)
{
	struct moves moves = { 0 };
	unsigned lost = 0;
	struct seen seen;

	(void)state;
	hear(&moves, MOVES_CAME, "right");
	assert_int_equal(put(&moves, B2, 20), 20);
	now += 4 * S;
	assert_int_equal(put(&moves, B2, 25), 25);
	seen = look(&moves);
	assert_int_equal(seen.moved, 1);
	assert_string_equal(seen.to, "right");
	leave(&moves, "right", true);
	for (int i = 0; i < 100; i++, now += S) {
		seen = look(&moves);
		assert_int_equal(seen.moved + seen.refused, 0);
		lost += seen.lost;
	}
	assert_int_equal(lost, 1); /* Where it is, this one cannot know. */
	/* And back: by the same host, in another process. */
	assert_int_equal(put(&moves, "b-9 uuid m right", 5), 30);
	moves_done(&moves);
}

static void test_move_that_fails(void **state)
{
	struct moves moves = { 0 };
	unsigned moved = 0;

	(void)state;
	put(&moves, A1, 1);
	hear(&moves, MOVES_SUSPENDED, "left");
	hear(&moves, MOVES_CAME, "left"); /* As libvirt says it of one that goes on. */
	hear(&moves, MOVES_ENDED, "right");
	for (int i = 0; i < 100; i++, now += S)
		moved += look(&moves).moved + look(&moves).lost;
	hear(&moves, MOVES_SUSPENDED, "left");
	hear(&moves, MOVES_RESUMED, "left");
	for (int i = 0; i < 100; i++, now += S)
		moved += look(&moves).moved + look(&moves).lost;
	/* The destination has failed after it came, before the old one was suspended. */
	hear(&moves, MOVES_CAME, "right");
	hear(&moves, MOVES_ENDED, "right");
	for (int i = 0; i < 100; i++, now += S)
		moved += look(&moves).moved + look(&moves).lost;
	assert_int_equal(moved, 0);
	moves_done(&moves);
}

static void test_one_that_is_lost(void **state)
{
	struct moves moves = { 0 };
	unsigned lost = 0;

	(void)state;
	put(&moves, A1, 1);
	hear(&moves, MOVES_SUSPENDED, "left");
	hear(&moves, MOVES_STOPPED, "left");
	for (int i = 0; i < 100; i++, now += S) {
		lost += look(&moves).lost;
		assert_int_equal(lost, i > 60);
	}
	hear(&moves, MOVES_CAME, "right");
	assert_int_equal(look(&moves).moved, 1);
	assert_int_equal(moves.guests.len, 1);
	now += MOVES_KEEPS + S;
	look(&moves);
	assert_int_equal(moves.guests.len, 0);
	moves_done(&moves);
}

static void test_limits(void **state)
{
	struct moves moves = { 0 };
	union mc_value value = { .derive = 1 };
	char name[64];

	(void)state;
	for (unsigned i = 0; i < MOVES_SERIES_MAX + 10; i++) {
		snprintf(name, sizeof(name), "virt/disk_octets-%u", i);
		moves_take(&moves, &(struct moves_sample){ .host = "web1",
							   .name = name,
							   .stream = A1,
							   .now = now,
							   .interval = S,
							   .counters = 1,
							   .values = &value,
							   .values_len = 1 });
	}
	assert_int_equal(moves_find(&moves, "web1")->series.len, MOVES_SERIES_MAX);
	for (unsigned i = 0; i < MOVES_GUESTS_MAX + 10; i++) {
		snprintf(name, sizeof(name), "web%u", i);
		moves_events_hear(&moves, &(struct moves_event){ .kind = MOVES_SUSPENDED,
								 .host = name,
								 .hypervisor = "left",
								 .now = now });
	}
	assert_int_equal(moves.guests.len, MOVES_HEARD_MAX);
	for (unsigned i = 0; i < MOVES_GUESTS_MAX + 10; i++) {
		snprintf(name, sizeof(name), "guest%u", i);
		moves_take(&moves, &(struct moves_sample){ .host = name,
							   .name = "virt/disk_octets-vda",
							   .stream = A1,
							   .now = now,
							   .interval = S,
							   .values = &value,
							   .values_len = 1 });
	}
	assert_int_equal(moves.guests.len, MOVES_GUESTS_MAX);
	moves_done(&moves);
}

static void test_tally(void **state)
{
	struct tally tally = { { 0 } };
	struct tally_host *hosts;
	size_t len;

	(void)state;
	for (unsigned i = 0; i < TALLY_HOSTS_MAX + 2; i++) {
		char stream[64];

		snprintf(stream, sizeof(stream), "1 uuid - kvm%u", i);
		tally_count(&tally, stream, MOVES_LATE);
	}
	tally_count(&tally, "2 uuid m kvm7", MOVES_LATE);
	tally_count(&tally, "2 uuid m kvm7", MOVES_STRANGE);
	tally_count(&tally, "invalid", MOVES_LATE);
	hosts = tally_copy(&tally, &len);
	assert_int_equal(len, TALLY_HOSTS_MAX);
	for (size_t i = 0; i < len; i++) {
		bool seventh = strcmp(hosts[i].name, "kvm7") == 0;

		assert_int_equal(hosts[i].late, seventh ? 2 : 1);
		assert_int_equal(hosts[i].refused, seventh ? 1 : 0);
	}
	free(hosts);
	tally_done(&tally);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_counters_go_on),
		cmocka_unit_test(test_a_start_begins_anew),
		cmocka_unit_test(test_a_host_comes_back),
		cmocka_unit_test(test_late_values_are_counted),
		cmocka_unit_test(test_late_but_next),
		cmocka_unit_test(test_it_comes_back),
		cmocka_unit_test(test_another_host_claims_it),
		cmocka_unit_test(test_many_moves),
		cmocka_unit_test(test_one_notice),
		cmocka_unit_test(test_it_moves_on),
		cmocka_unit_test(test_it_moves_on_at_once),
		cmocka_unit_test(test_events_in_any_order),
		cmocka_unit_test(test_by_values_alone),
		cmocka_unit_test(test_between_two_aggregators),
		cmocka_unit_test(test_move_that_fails),
		cmocka_unit_test(test_one_that_is_lost),
		cmocka_unit_test(test_limits),
		cmocka_unit_test(test_tally),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
