/* SPDX-License-Identifier: MIT */
/* Outliers: the formula, and hours of fleets under a clock of ours.  A fleet has log-normal levels
 * and noise, and a wave that all have; FLEET_GUESTS and FLEET_ROUNDS make it larger. */
#include "group.h"
#include "words.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define S MC_SECOND
#define STEP (10 * S)
#define LEARNED 90

static const struct group_rule rule = {
	.deviation = { .mads = 5, .factor = 2, .above = true, .weight = 10.0 / 3600 },
	.rounds = 3,
	.peers_min = 10,
	.share_max = 0.05,
	.change_min = 0.1,
	.keep = 6 * 3600 * S,
};

/* --- Random numbers, the same in each run ------------------------------------- */

static uint64_t random_state;

static double uniform(void) /* Above 0, up to 1: splitmix64. */
{
	uint64_t z = random_state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
	return ((double)((z ^ z >> 31) >> 11) + 1) / 9007199254740992.0;
}

static double normal(void)
{
	return sqrt(-2 * log(uniform())) * cos(6.283185307179586 * uniform());
}

/* --- A fleet -------------------------------------------------------------------- */

struct fleet {
	struct group group;
	struct peer *peers;
	double *levels, *noises;
	size_t len, round;
	unsigned news[4];
	const struct peer *last; /* Of GROUP_OUT, */
	mc_time told;            /* and when that was. */
	mc_time time;            /* Of the value of now. */
	char words[WORDS_SIZE];
};

/* What a guest does beside its level in a round, 1: nothing; 0: it has no value. */
typedef double fleet_plan(size_t guest, size_t round);

static double calm(size_t guest, size_t round)
{
	(void)guest;
	(void)round;
	return 1;
}

static void tell(void *argument, enum group_news news, const struct peer *peer)
{
	struct fleet *fleet = argument;

	fleet->news[news]++;
	if (news == GROUP_OUT) {
		fleet->last = peer;
		fleet->told = fleet->time;
	}
	words_news(fleet->words, news, "cpu of guest web7", peer);
}

static void fleet_new(struct fleet *fleet, size_t len, const struct group_rule *its)
{
	random_state = 42;
	*fleet = (struct fleet){ .len = len };
	fleet->group.rule = its;
	fleet->group.interval = STEP;
	fleet->peers = calloc(len, sizeof(*fleet->peers));
	fleet->levels = calloc(len, sizeof(*fleet->levels));
	fleet->noises = calloc(len, sizeof(*fleet->noises));
	for (size_t i = 0; i < len; i++) {
		fleet->levels[i] = exp(normal());
		fleet->noises[i] = 0.05 + 0.25 * uniform();
	}
}

static void fleet_free(struct fleet *fleet)
{
	for (size_t i = 0; i < fleet->len; i++)
		group_leave(&fleet->peers[i], tell, fleet);
	group_done(&fleet->group);
	free(fleet->peers);
	free(fleet->levels);
	free(fleet->noises);
}

/* All values of a round, each with the phase of its guest. */
static void fleet_round(struct fleet *fleet, fleet_plan *plan)
{
	size_t round = fleet->round++;
	double hours = (double)round * 10 / 3600;
	double wave = 1 + 0.7 * sin(hours / 24 * 6.283185307179586);

	for (size_t i = 0; i < fleet->len; i++) {
		mc_time time = 1700000000 * S + (mc_time)round * STEP +
			       (mc_time)i * STEP / (mc_time)fleet->len;
		double value =
			fleet->levels[i] * wave * exp(fleet->noises[i] * normal()) * plan(i, round);

		fleet->time = time;
		if (value == 0)
			continue;
		if (fleet->peers[i].group != NULL)
			assert_true(group_take(&fleet->peers[i], time, value, tell, fleet));
		else
			deviation_learn(&fleet->peers[i].own, value);
		if (fleet->peers[i].group == NULL && fleet->peers[i].own.values == LEARNED)
			group_join(&fleet->group, &fleet->peers[i]);
	}
}

static void fleet_run(struct fleet *fleet, size_t rounds, fleet_plan *plan)
{
	while (rounds-- > 0)
		fleet_round(fleet, plan);
}

/* The number of an environment variable, of longer forms. */
static size_t size_of(const char *name, size_t usual)
{
	const char *text = getenv(name);

	return text != NULL ? strtoul(text, NULL, 10) : usual;
}

/* --- The formula ----------------------------------------------------------------- */

static void test_median_and_mad(void **state)
{
	float five[] = { 9, 1, 1.5F, 1, 0.5F };
	float same[] = { 1, 1, 1, 1 };
	struct deviation_peers peers = deviation_peers_of(five, 5);
	float many[1001], sorted[1001];

	(void)state;
	assert_float_equal(peers.median, 1, 0);
	assert_float_equal(peers.mad, 0.5, 0);
	assert_int_equal(peers.len, 5);
	peers = deviation_peers_of(same, 4);
	assert_float_equal(peers.median, 1, 0);
	assert_float_equal(peers.mad, 0, 0);
	random_state = 1;
	for (unsigned turn = 0; turn < 200; turn++) {
		size_t len = 1 + (size_t)(uniform() * 1000), rank;

		for (size_t i = 0; i < len; i++) /* Often the same. */
			sorted[i] = many[i] = (float)(int)(uniform() * (turn + 1));
		for (size_t i = 1; i < len; i++)
			for (size_t j = i; j > 0 && sorted[j] < sorted[j - 1]; j--) {
				float kept = sorted[j];

				sorted[j] = sorted[j - 1];
				sorted[j - 1] = kept;
			}
		rank = (size_t)(uniform() * (double)len) % len;
		assert_float_equal(deviation_rank(many, len, rank), sorted[rank], 0);
	}
}

static void test_means(void **state)
{
	struct deviation_own own = { 0 };
	const struct deviation_peers peers = { .median = 1, .mad = 0.1F, .len = 10 };

	(void)state;
	assert_true(isnan(deviation_ratio(&own, 1)));
	deviation_learn(&own, 2);
	deviation_learn(&own, 4);
	assert_float_equal(own.mean, 3, 1e-9);
	assert_float_equal(deviation_ratio(&own, 24), 8, 1e-6);
	own = (struct deviation_own){ .mean = 3, .spread = 0.1, .values = 1000 };
	deviation_follow(&own, &rule.deviation, &peers, 3e9, 1e6F);
	assert_float_equal(own.mean, 3 * (1 + rule.deviation.weight), 1e-9); /* As 2 times. */
	own = (struct deviation_own){ .mean = 0, .values = 1000 };
	assert_float_equal(deviation_ratio(&own, 0), 1, 0);
	assert_float_equal(deviation_ratio(&own, 0.1), 1e6, 0);
	own.mean = -1;
	assert_true(isnan(deviation_ratio(&own, 1)));
}

static void test_sides(void **state)
{
	const struct deviation_own own = { .mean = 1, .spread = 0.1, .values = 100 };
	const struct deviation_own restless = { .mean = 1, .spread = 0.8, .values = 100 };
	const struct deviation_peers peers = { .median = 1, .mad = 0.1F, .len = 100 };
	struct deviation_rule both = rule.deviation;

	(void)state;
	both.below = true;
	assert_int_equal(deviation_side(&own, &both, &peers, 2.1F, 1), DEVIATION_ABOVE);
	assert_int_equal(deviation_side(&own, &both, &peers, 1.9F, 1), DEVIATION_NONE);
	assert_int_equal(deviation_side(&own, &both, &peers, 1.9F, 0.5), DEVIATION_ABOVE);
	assert_int_equal(deviation_side(&own, &both, &peers, 0.4F, 1), DEVIATION_BELOW);
	assert_int_equal(deviation_side(&own, &rule.deviation, &peers, 0.4F, 1), DEVIATION_NONE);
	assert_int_equal(deviation_side(&restless, &both, &peers, 4.9F, 1), DEVIATION_NONE);
	assert_int_equal(deviation_side(&restless, &both, &peers, 5.1F, 1), DEVIATION_ABOVE);
}

/* --- Fleets ------------------------------------------------------------------------ */

/* An hour of 2,000 guests, after they have learned their means. */
static void test_nothing_happens(void **state)
{
	size_t guests = size_of("FLEET_GUESTS", 2000), rounds = size_of("FLEET_ROUNDS", 360);
	struct fleet fleet;

	(void)state;
	fleet_new(&fleet, guests, &rule);
	fleet_run(&fleet, LEARNED + rounds, calm);
	assert_int_equal(fleet.group.peers.len, guests);
	assert_int_equal(fleet.news[GROUP_OUT], 0);
	fleet_free(&fleet);
}

static double one_at_eight(size_t guest, size_t round)
{
	return guest == 7 && round >= 300 && round < 400 ? 8 : 1;
}

static void test_one_is_found(void **state)
{
	struct fleet fleet;
	char expected[WORDS_SIZE];

	(void)state;
	fleet_new(&fleet, 200, &rule);
	fleet_run(&fleet, 302, one_at_eight); /* The last two of these are bad. */
	assert_int_equal(fleet.news[GROUP_OUT], 0);
	fleet_run(&fleet, 1, one_at_eight);
	assert_int_equal(fleet.news[GROUP_OUT], 1);
	assert_ptr_equal(fleet.last, &fleet.peers[7]);
	assert_int_equal(fleet.last->out_since,
			 1700000000 * S + 300 * STEP + 7 * STEP / (mc_time)fleet.len);
	assert_float_equal(fleet.last->ratio, 8, 3);
	snprintf(
		expected, sizeof(expected),
		"cpu of guest web7 is %.1f times its own mean since 23:03; of 200 peers the median "
		"is %.1f (MAD %.1f)",
		(double)fleet.last->ratio, (double)fleet.group.peers.median,
		(double)fleet.group.peers.mad);
	assert_string_equal(fleet.words, expected);
	fleet_run(&fleet, 96, one_at_eight);
	assert_true(fleet.peers[7].stands);
	assert_int_equal(fleet.news[GROUP_BACK], 0);
	fleet_run(&fleet, 4, one_at_eight);
	assert_int_equal(fleet.news[GROUP_BACK], 1);
	assert_int_equal(fleet.news[GROUP_OUT], 1);
	fleet_free(&fleet);
}

/* Each of so many guests, with another noise and level, once: all are found, in three rounds. */
static size_t chosen;

static double chosen_at_eight(size_t guest, size_t round)
{
	return guest == chosen && round >= 200 ? 8 : 1;
}

static void test_all_are_found(void **state)
{
	unsigned found = 0;

	(void)state;
	for (chosen = 0; chosen < 20; chosen++) {
		struct fleet fleet;

		fleet_new(&fleet, 100, &rule);
		fleet_run(&fleet, 204, chosen_at_eight);
		found += fleet.news[GROUP_OUT] == 1 && fleet.last == &fleet.peers[chosen];
		fleet_free(&fleet);
	}
	assert_int_equal(found, 20);
}

static double all_at_eight(size_t guest, size_t round)
{
	(void)guest;
	return round >= 200 ? 8 : 1;
}

/* A tenth of them. */
static double tenth_at_eight(size_t guest, size_t round)
{
	return guest % 10 == 0 && round >= 200 ? 8 : 1;
}

static void test_all_together(void **state)
{
	struct fleet fleet;

	(void)state;
	fleet_new(&fleet, 200, &rule);
	fleet_run(&fleet, 400, all_at_eight);
	assert_int_equal(fleet.news[GROUP_OUT], 0);
	fleet_free(&fleet);
	fleet_new(&fleet, 200, &rule);
	fleet_run(&fleet, 205, tenth_at_eight);
	assert_int_equal(fleet.news[GROUP_OUT], 0);
	assert_int_equal(fleet.group.held, 20);
	fleet_free(&fleet);
}

/* One after another, for two minutes: no values while it is down and settles, as outlier.c drops
 * those. */
static double rolling(size_t guest, size_t round)
{
	size_t begin = 200 + guest * 2;

	return round >= begin && round < begin + 40 ? 0 : 1;
}

static void test_rolling_restart(void **state)
{
	struct fleet fleet;

	(void)state;
	fleet_new(&fleet, 200, &rule);
	fleet_run(&fleet, 700, rolling);
	assert_int_equal(fleet.news[GROUP_OUT], 0);
	assert_int_equal(fleet.group.peers.len, 200);
	fleet_free(&fleet);
}

/* One after another, all of a large fleet: each is down and settles for seven minutes, while as
 * many others have just come back. */
static double rolling_all(size_t guest, size_t round)
{
	size_t begin = 150 + guest / 10;

	return round >= begin && round < begin + 40 ? 0 : 1;
}

/* One at a time, for five rounds. */
static size_t chosen_from;

static double at_eight_in_turn(size_t guest, size_t round)
{
	return guest == chosen && round >= chosen_from && round < chosen_from + 5 ? 8 : 1;
}

static double in_rolling(size_t guest, size_t round)
{
	return rolling_all(guest, round) * at_eight_in_turn(guest, round);
}

static const struct show {
	const char *name;
	fleet_plan *quiet, *changed;
} shows[] = {
	{ "daily wave", calm, at_eight_in_turn },
	{ "daily wave and rolling restart of all", rolling_all, in_rolling },
};

/* Returns after how many intervals that guest is found; 10: it is not. */
static double find_changed(struct fleet *fleet, size_t guest, fleet_plan *plan)
{
	mc_time begin = 1700000000 * S + (mc_time)fleet->round * STEP +
			(mc_time)guest * STEP / (mc_time)fleet->len;

	chosen = guest;
	chosen_from = fleet->round;
	fleet->news[GROUP_OUT] = 0;
	fleet_run(fleet, 10, plan);
	return fleet->last == &fleet->peers[guest] ? (double)(fleet->told - begin) / (double)STEP
						   : 10;
}

/* Of 2,000 guests for an hour, 720,000 values, none is reported; of twenty that change one after
 * another each is, within three intervals. */
static void test_figures(void **state)
{
	size_t guests = size_of("FLEET_GUESTS", 2000), rounds = size_of("FLEET_ROUNDS", 360);

	(void)state;
	for (size_t i = 0; i < sizeof(shows) / sizeof(shows[0]); i++) {
		unsigned in_time = 0, false_ones;
		double slowest = 0;
		struct fleet fleet;

		fleet_new(&fleet, guests, &rule);
		fleet_run(&fleet, LEARNED + rounds, shows[i].quiet);
		false_ones = fleet.news[GROUP_OUT];
		fleet_free(&fleet);
		fleet_new(&fleet, guests, &rule);
		fleet_run(&fleet, 300, shows[i].quiet);
		for (size_t turn = 0; turn < 20; turn++) {
			double took = find_changed(&fleet, 51 * turn, shows[i].changed);

			false_ones += fleet.news[GROUP_OUT] > 1;
			slowest = took > slowest ? took : slowest;
			in_time += took <= 3;
		}
		fleet_free(&fleet);
		printf("# %s: %zu guests, %zu values, false alarms %u; of 20 that change found "
		       "within 3 intervals %u, the last after %.1f\n",
		       shows[i].name, guests, guests * rounds, false_ones, in_time, slowest);
		assert_int_equal(false_ones, 0);
		assert_true(in_time == 20);
	}
}

static void test_small_group(void **state)
{
	struct fleet fleet;
	char words[WORDS_SIZE];

	(void)state;
	fleet_new(&fleet, 9, &rule);
	words_state(words, &fleet.peers[0], LEARNED);
	assert_string_equal(words, "waits for its mean: 0 of 90 values");
	fleet_run(&fleet, 410, one_at_eight);
	assert_int_equal(fleet.news[GROUP_OUT], 0);
	words_state(words, &fleet.peers[0], LEARNED);
	assert_non_null(strstr(words,
			       "it has 9 peers with values, and fewer than MinPeers, 10, say "
			       "nothing"));
	fleet_free(&fleet);
}

static double for_ever(size_t guest, size_t round)
{
	return guest == 7 && round >= 300 ? 8 : 1;
}

/* A level that stays is the mean after Keep; one that ends is over. */
static void test_ends(void **state)
{
	struct group_rule short_keep = rule;
	struct fleet fleet;

	(void)state;
	short_keep.keep = 600 * S;
	fleet_new(&fleet, 100, &short_keep);
	fleet_run(&fleet, 700, for_ever);
	assert_int_equal(fleet.news[GROUP_OUT], 1);
	assert_int_equal(fleet.news[GROUP_KEPT], 1);
	assert_int_equal(fleet.news[GROUP_BACK], 0);
	assert_float_equal(fleet.peers[7].ratio, 1, 0.9);
	fleet_free(&fleet);
	fleet_new(&fleet, 100, &rule);
	fleet_run(&fleet, 310, for_ever);
	assert_int_equal(fleet.group.standing, 1);
	group_leave(&fleet.peers[7], tell, &fleet);
	assert_int_equal(fleet.news[GROUP_ENDED], 1);
	assert_int_equal(fleet.group.standing, 0);
	assert_int_equal(fleet.group.len, 99);
	for (size_t i = 0; i < fleet.group.len; i++)
		assert_int_equal(fleet.group.members[i]->index, i);
	fleet_free(&fleet);
}

/* A value of long ago, as out of a journal, has no part in the round of now. */
static void test_late(void **state)
{
	struct fleet fleet;
	double mean;

	(void)state;
	fleet_new(&fleet, 20, &rule);
	fleet_run(&fleet, 100, calm);
	mean = fleet.peers[3].own.mean;
	assert_false(group_take(&fleet.peers[3], 1700000000 * S, 1e6, tell, &fleet));
	assert_float_equal(fleet.peers[3].own.mean, mean, 0);
	fleet_free(&fleet);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_median_and_mad), cmocka_unit_test(test_means),
		cmocka_unit_test(test_sides),          cmocka_unit_test(test_nothing_happens),
		cmocka_unit_test(test_one_is_found),   cmocka_unit_test(test_all_are_found),
		cmocka_unit_test(test_all_together),   cmocka_unit_test(test_rolling_restart),
		cmocka_unit_test(test_figures),        cmocka_unit_test(test_small_group),
		cmocka_unit_test(test_ends),           cmocka_unit_test(test_late),
	};

	setenv("TZ", "UTC", 1);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
