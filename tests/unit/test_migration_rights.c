/* SPDX-License-Identifier: MIT */
/* Which host may send values of a guest, whatever others claim and whenever they say it. */
#include "migration_fixture.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#define S MC_SECOND
#define NOW (1000000 * S)

#define C4 "c-4 uuid m third"

enum { NOT_TAKEN = -1, REFUSED = -2, WAITS = -3 };

static mc_time now;
static mc_time skew_of_right; /* So much is its clock ahead. */

static mc_time clock_of(const char *hypervisor)
{
	return now + (strcmp(hypervisor, "right") == 0 ? skew_of_right : 0);
}

static int64_t said(struct moves *moves, const struct moves_sample *sample)
{
	switch (moves_take(moves, sample)) {
	case MOVES_TAKEN:
		return sample->values[0].derive;
	case MOVES_WAITS:
		moves_keep(moves, sample, NULL);
		return WAITS;
	case MOVES_STRANGE:
		return REFUSED;
	default:
		return NOT_TAKEN;
	}
}

/* What is stored for a counter of that process. */
static int64_t put(struct moves *moves, const char *stream, int64_t value)
{
	union mc_value values[1] = { { .derive = value } };
	mc_time time = clock_of(strrchr(stream, ' ') + 1);
	struct moves_sample sample = sample_of(stream, now, time, values);

	return said(moves, &sample);
}

static void hear_at(struct moves *moves, enum moves_kind kind, const char *hypervisor, mc_time time)
{
	moves_events_hear(moves,
			  &(struct moves_event){ .kind = kind,
						 .host = "web1",
						 .hypervisor = hypervisor,
						 .now = now,
						 .time = time,
						 .figures = { .downtime = 0.031, .duration = 4 } });
}

static void hear(struct moves *moves, enum moves_kind kind, const char *hypervisor)
{
	hear_at(moves, kind, hypervisor, clock_of(hypervisor));
}

struct seen {
	unsigned moved, lost, refused;
	char rival[STREAM_PART_SIZE], owner[STREAM_PART_SIZE];
};

static void see(void *argument, enum moves_news news, const struct moves_guest *guest)
{
	struct seen *seen = argument;

	seen->moved += news == MOVES_HAS_MOVED;
	seen->lost += news == MOVES_IS_LOST;
	if (news != MOVES_IS_REFUSED)
		return;
	seen->refused++;
	memcpy(seen->rival, guest->rival, sizeof(seen->rival));
	memcpy(seen->owner, guest->generations[guest->current].stream.hypervisor,
	       sizeof(seen->owner));
}

static struct seen look(struct moves *moves)
{
	struct seen seen = { 0 };

	moves_events_look(moves, now, see, &seen);
	return seen;
}

struct released {
	unsigned taken, refused;
	int64_t last;
};

/* As release.c does it. */
static struct released release(struct moves *moves)
{
	struct released released = { .last = -1 };
	struct moves_guest *guest;
	struct handover waiting;

	while ((guest = moves_due(moves, now)) != NULL) {
		while (moves_release(moves, guest, &waiting)) {
			for (struct handover_sample *at = waiting.samples; at; at = at->next) {
				struct moves_sample sample = waited_sample(at, now);
				int64_t stored = said(moves, &sample);

				released.taken += stored >= 0;
				released.refused += stored == REFUSED;
				if (stored >= 0)
					released.last = stored;
			}
			handover_free(&waiting);
		}
	}
	return released;
}

static void begin(struct moves *moves, mc_time wait)
{
	*moves = (struct moves){ .wait = wait };
	now = NOW;
	skew_of_right = 0;
	assert_int_equal(put(moves, A1, 1000), 1000);
}

/* --- One claims it ------------------------------------------------------------------- */

static void test_a_claim_is_no_right(void **state)
{
	struct moves moves;
	struct released released = { 0 }, some;
	struct seen seen;

	(void)state;
	begin(&moves, 10 * S);
	/* It says all that a host can say of itself. */
	hear(&moves, MOVES_CAME, "right");
	for (int i = 1; i <= 30; i++) {
		int64_t stored;

		now += S;
		assert_int_equal(put(&moves, A1, 1000 + i), 1000 + i);
		stored = put(&moves, B2, i);
		assert_int_equal(stored, i <= 12 ? WAITS : REFUSED);
		some = release(&moves);
		released.taken += some.taken;
		released.refused += some.refused;
		seen = look(&moves);
		assert_int_equal(seen.moved + seen.lost, 0);
		assert_int_equal(seen.refused, i >= 12);
		if (seen.refused != 0) {
			assert_string_equal(seen.rival, "right");
			assert_string_equal(seen.owner, "left");
		}
	}
	assert_int_equal(released.taken, 0);
	assert_int_equal(released.refused, 12);
	assert_int_equal(moves.waiting_size, 0);
	/* At last the old host lets it go. */
	hear(&moves, MOVES_STOPPED, "left");
	assert_int_equal(put(&moves, B2, 31), 1030 + 31);
	assert_int_equal(look(&moves).refused, 0);
	moves_done(&moves);
}

static void test_without_a_wait(void **state)
{
	struct moves moves;

	(void)state;
	begin(&moves, 0);
	assert_int_equal(put(&moves, B2, 5), REFUSED);
	assert_int_equal(put(&moves, A1, 1001), 1001);
	hear(&moves, MOVES_STOPPED, "left");
	assert_int_equal(put(&moves, B2, 6), 1007);
	moves_done(&moves);
}

static void test_the_statement_comes_after_the_claim(void **state)
{
	static const mc_time skews[] = { 0, 5 * S, -5 * S };

	(void)state;
	for (size_t i = 0; i < sizeof(skews) / sizeof(skews[0]); i++) {
		struct moves moves;
		struct released released;

		begin(&moves, 10 * S);
		skew_of_right = skews[i];
		now += S;
		assert_int_equal(put(&moves, B2, 5), WAITS);
		assert_int_equal(put(&moves, A1, 1003), 1003); /* It was on its way. */
		assert_int_equal(release(&moves).taken, 0);
		now += S;
		assert_int_equal(put(&moves, B2, 7), WAITS);
		hear(&moves, MOVES_STOPPED, "left");
		now += 3 * S;
		released = release(&moves);
		assert_int_equal(released.taken, 2);
		assert_int_equal(released.last, 1010);
		assert_int_equal(moves.refused + moves.overdue, 0);
		/* And back, by a clock that is 5 s off. */
		hear(&moves, MOVES_STOPPED, "right");
		now += S;
		if (put(&moves, A3, 1) == WAITS) {
			now += 10 * S;
			assert_int_equal(release(&moves).last, 1011);
		}
		assert_int_equal(put(&moves, A3, 2), 1012);
		moves_done(&moves);
	}
}

static void test_a_third_host_speaks(void **state)
{
	struct moves moves;
	unsigned told = 0;

	(void)state;
	begin(&moves, 0);
	hear(&moves, MOVES_SUSPENDED, "third");
	hear(&moves, MOVES_STOPPED, "third");
	hear(&moves, MOVES_JOB_DONE, "third");
	hear(&moves, MOVES_ENDED, "right");
	assert_int_equal(put(&moves, B2, 5), REFUSED);
	assert_int_equal(put(&moves, C4, 5), REFUSED);
	/* Nor does it silence its alarms, or make it lost. */
	assert_false(moves_find(&moves, "web1")->quiet);
	for (int i = 0; i < 100; i++) {
		struct seen seen = look(&moves);

		told += seen.moved + seen.lost;
		now += S;
		put(&moves, A1, 1000 + i);
	}
	assert_int_equal(told, 0);
	moves_done(&moves);
}

static void test_a_statement_is_repeated(void **state)
{
	struct moves moves;
	mc_time first;
	unsigned told = 0;

	(void)state;
	begin(&moves, 0);
	now += S;
	first = now;
	hear(&moves, MOVES_CAME, "right");
	hear(&moves, MOVES_STOPPED, "left");
	for (int i = 0; i < 4; i++) {
		assert_int_equal(put(&moves, B2, 5), 1005);
		now += S;
	}
	told += look(&moves).moved;
	hear(&moves, MOVES_CAME, "left");
	hear(&moves, MOVES_STOPPED, "right");
	now += S;
	assert_int_equal(put(&moves, A3, 1), 1006);
	/* That of its former process, as a journal sends it again. */
	for (int i = 0; i < 100; i++) {
		struct seen seen = look(&moves);

		told += seen.moved;
		assert_int_equal(seen.lost, 0);
		if (i % 7 == 0)
			hear_at(&moves, MOVES_STOPPED, "left", first);
		now += S;
		assert_int_equal(put(&moves, A3, 2 + i), 1007 + i);
		assert_int_equal(put(&moves, C4, 2 + i), REFUSED);
	}
	assert_int_equal(told, 2);
	moves_done(&moves);
}

/* --- Several claim it ----------------------------------------------------------------- */

static void test_both_claim_it(void **state)
{
	struct moves moves;
	struct released released;
	struct seen seen;

	(void)state;
	begin(&moves, 10 * S);
	now += S;
	assert_int_equal(put(&moves, C4, 70), WAITS);
	assert_int_equal(put(&moves, B2, 5), WAITS);
	hear(&moves, MOVES_CAME, "right"); /* The one that libvirt has told. */
	hear(&moves, MOVES_STOPPED, "left");
	/* What waits without a right keeps nobody from having the guest. */
	now += S;
	put(&moves, B2, 6);
	released = release(&moves);
	assert_true(released.last == 1006 || released.last == -1);
	for (int i = 0; i < 20; i++) {
		now += S;
		put(&moves, B2, 7 + i);
		put(&moves, C4, 71 + i);
		release(&moves);
		seen = look(&moves);
	}
	assert_string_equal(moves_find(&moves, "web1")->generations[1].stream.hypervisor, "right");
	assert_int_equal(put(&moves, B2, 30), 1030);
	assert_int_equal(put(&moves, C4, 99), REFUSED);
	assert_int_equal(seen.refused, 1);
	assert_string_equal(seen.rival, "third");
	assert_string_equal(seen.owner, "right");
	moves_done(&moves);
}

/* Two hosts run it, as a cluster has started it elsewhere while the old host's link was down. */
static void test_split_brain(void **state)
{
	(void)state;
	for (unsigned events = 0; events < 2; events++) {
		const char *b5 = "b-5 uuid - right";
		struct moves moves;
		struct seen seen = { 0 };

		begin(&moves, 10 * S);
		now += 5 * S;
		if (events != 0)
			hear(&moves, MOVES_STARTED, "right");
		assert_int_equal(put(&moves, b5, 5), 5);
		for (int i = 0; i < 20; i++) {
			now += S;
			put(&moves, b5, 6 + i);
			put(&moves, A1, 1001 + i);
			if (i > 11) {
				seen = look(&moves);
				assert_int_equal(seen.refused, 1);
			}
		}
		/* The one with events has it; both are named. */
		assert_string_equal(seen.owner, events != 0 ? "right" : "left");
		assert_string_equal(seen.rival, events != 0 ? "left" : "right");
		assert_int_equal(put(&moves, b5, 40) >= 0, events != 0);
		assert_int_equal(put(&moves, A1, 1040) >= 0, events == 0);
		assert_true(moves.refused > 0);
		moves_done(&moves);
	}
}

/* Two claim it after its host has died; the second one is the one that libvirt has told. */
static void test_a_dead_host(void **state)
{
	struct moves moves;

	(void)state;
	begin(&moves, 0);
	now += 5 * S;
	assert_int_equal(put(&moves, C4, 5), 1005);
	assert_int_equal(put(&moves, B2, 7), REFUSED);
	hear(&moves, MOVES_CAME, "right");
	assert_int_equal(put(&moves, B2, 7), 1012);
	assert_int_equal(put(&moves, C4, 6), NOT_TAKEN);
	moves_done(&moves);
}

/* --- The list ------------------------------------------------------------------------- */

static bool is_cluster(const void *list, const char *host)
{
	return strcmp(host, list) != 0;
}

static void test_hosts_of_a_list(void **state)
{
	struct moves moves;

	(void)state;
	begin(&moves, 0);
	moves.trusts = is_cluster;
	moves.list = "third"; /* All but that one. */
	assert_int_equal(put(&moves, C4, 5), REFUSED);
	assert_int_equal(put(&moves, "b-9 uuid - right", 5), REFUSED); /* It does not claim it. */
	assert_int_equal(put(&moves, B2, 5), 1005);
	assert_int_equal(put(&moves, C4, 5), REFUSED);
	moves_done(&moves);
}

static void test_post_copy(void **state)
{
	struct moves moves;

	(void)state;
	begin(&moves, 0);
	now += S;
	hear(&moves, MOVES_HANDED, "left");
	hear(&moves, MOVES_CAME, "right");
	assert_int_equal(put(&moves, B2, 5), 1005);
	now += S;
	assert_int_equal(put(&moves, A1, 1002), NOT_TAKEN); /* Paused, until all pages are there. */
	assert_int_equal(put(&moves, B2, 6), 1008);
	hear(&moves, MOVES_STOPPED, "left");
	hear(&moves, MOVES_JOB_DONE, "left");
	assert_int_equal(look(&moves).moved, 1);
	moves_done(&moves);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_a_claim_is_no_right),
		cmocka_unit_test(test_without_a_wait),
		cmocka_unit_test(test_the_statement_comes_after_the_claim),
		cmocka_unit_test(test_a_third_host_speaks),
		cmocka_unit_test(test_a_statement_is_repeated),
		cmocka_unit_test(test_both_claim_it),
		cmocka_unit_test(test_split_brain),
		cmocka_unit_test(test_a_dead_host),
		cmocka_unit_test(test_hosts_of_a_list),
		cmocka_unit_test(test_post_copy),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
