/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <collector/control.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/store/store.h"
#include "kinds.h"

#define WALL (INT64_C(1700000000) * MC_SECOND)

static struct {
	struct type_set *types;
	struct store *store;
	struct mc_ctx ctx;
	unsigned forgotten, ended, back;
} lab;

static void on_forget(void *argument, unsigned slot, void *pointer)
{
	(void)argument;
	assert_int_equal(slot, 1);
	assert_ptr_equal(pointer, &lab);
	lab.forgotten++;
}

static int open_lab(void **state)
{
	struct store_settings settings = {
		.limit = 3, .timeout = 2, .slots_len = 2, .forget = on_forget
	};

	(void)state;
	clock_stop(100 * MC_SECOND, WALL);
	lab.types = kinds_new();
	lab.store = store_new(&settings);
	lab.ctx = (struct mc_ctx){ .name = "test", .interval = 10 * MC_SECOND };
	lab.forgotten = lab.ended = lab.back = 0;
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	store_free(lab.store);
	type_set_free(lab.types);
	return 0;
}

static struct mc_series *make(const char *instance, const char *type)
{
	struct mc_id id = { "h", "p", instance, type, NULL };
	char name[SERIES_NAME_SIZE];
	struct mc_name_parts parts;
	struct mc_series *series = NULL;

	assert_true(series_join(&id, name, &parts));
	assert_null(series_fault(&parts));
	store_make(lab.store, &parts, kind(lab.types, type), NULL, &series);
	return series;
}

static struct mc_series *find(const char *name)
{
	return store_find(lab.store, name, strlen(name));
}

/* One sample of one series, now.  Returns how many were accepted. */
static uint64_t apply(const char *instance, const char *type, int64_t value)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	uint64_t accepted;

	mc_derive(batch, make(instance, type), value);
	store_apply(lab.store, batch);
	accepted = batch->accepted;
	store_release(lab.store, batch);
	return accepted;
}

static void on_end(void *argument, struct mc_series *series, mc_time silent)
{
	(void)argument;
	assert_string_equal(mc_plugin(series), "p");
	assert_true(silent == 0 || silent > 20 * MC_SECOND);
	lab.ended += silent > 0;
	lab.back += silent == 0;
}

static void sweep(void)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);

	store_sweep(lab.store, batch, on_end, NULL);
	store_release(lab.store, batch);
}

static void a_name_is_interned_once(void **state)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	struct mc_series *series = make("a", "gauge");

	(void)state;
	assert_ptr_equal(make("a", "gauge"), series);
	assert_ptr_equal(find("h/p-a/gauge"), series);
	assert_null(find("h/p-a/gaug"));
	assert_null(find("h/p-a/gauges"));
	store_release(lab.store, batch);
}

static void new_series_are_refused_beyond_the_limit(void **state)
{
	struct store_counts counts;

	(void)state;
	assert_non_null(make("a", "gauge"));
	assert_non_null(make("b", "gauge"));
	assert_non_null(make("c", "gauge"));
	assert_null(make("d", "gauge"));
	assert_non_null(make("a", "gauge"));
	store_count(lab.store, &counts);
	assert_int_equal(counts.series, 3);
	assert_int_equal(counts.refused, 1);
}

static void rates_come_with_the_second_sample(void **state)
{
	struct mc_latest latest;
	struct mc_batch *batch;

	(void)state;
	assert_int_equal(apply("a", "derive", 1000), 1);
	clock_step(10 * MC_SECOND);
	assert_int_equal(apply("a", "derive", 1500), 1);

	batch = store_begin(lab.store, &lab.ctx);
	store_latest(lab.store, find("h/p-a/derive"), &latest);
	assert_int_equal(latest.time, WALL + 10 * MC_SECOND);
	assert_int_equal(latest.interval, 10 * MC_SECOND);
	assert_int_equal(latest.values_len, 1);
	assert_int_equal(latest.values[0].derive, 1500);
	assert_true(latest.rates[0] == 50);
	assert_string_equal(latest.made_by, "test");
	store_release(lab.store, batch);
}

static void samples_carry_their_rates(void **state)
{
	struct mc_batch *batch;

	(void)state;
	apply("a", "derive", 1000);
	clock_step(10 * MC_SECOND);
	batch = store_begin(lab.store, &lab.ctx);
	mc_derive(batch, make("a", "derive"), 1700);
	store_apply(lab.store, batch);
	assert_true(mc_rate(mc_next(batch, NULL), 0) == 70);
	assert_null(mc_next(batch, mc_next(batch, NULL)));
	store_release(lab.store, batch);
}

static void old_and_absurd_samples_are_refused(void **state)
{
	static const mc_time times[] = { WALL,       WALL - MC_SECOND, 0,
					 -MC_SECOND, INT64_MIN,        WALL + 25 * 3600 * MC_SECOND,
					 INT64_MAX };
	union mc_value value = { .derive = 1 };
	struct mc_batch *batch;

	(void)state;
	apply("a", "derive", 1000);
	batch = store_begin(lab.store, &lab.ctx);
	for (unsigned i = 0; i < 7; i++)
		mc_put_at(batch, make("a", "derive"), (struct mc_stamp){ times[i], MC_SECOND },
			  &value, 1);
	store_apply(lab.store, batch);
	assert_int_equal(batch->accepted, 0);
	assert_int_equal(batch->refused, 7);
	assert_null(mc_next(batch, NULL));
	store_release(lab.store, batch);
}

static void a_wrong_number_of_values_is_refused(void **state)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	union mc_value values[2] = { { 0 } };

	(void)state;
	mc_put(batch, make("a", "if_octets"), values, 1);
	mc_put(batch, make("a", "gauge"), values, 2);
	mc_put(batch, NULL, values, 1);
	mc_put(batch, make("b", "if_octets"), values, 2);
	store_apply(lab.store, batch);
	assert_int_equal(batch->accepted, 1);
	assert_int_equal(batch->refused, 3);
	assert_ptr_equal(mc_next(batch, NULL)->series, make("b", "if_octets"));
	store_release(lab.store, batch);
}

static void silent_series_end_and_their_slots_are_forgotten(void **state)
{
	struct mc_batch *batch;

	(void)state;
	apply("a", "derive", 1);
	apply("b", "derive", 1);
	*series_slot(find("h/p-a/derive"), 1) = &lab;
	clock_step(20 * MC_SECOND);
	apply("b", "derive", 1);
	sweep();
	assert_int_equal(lab.ended, 0); /* Exactly two intervals: not yet. */
	clock_step(MC_SECOND);

	batch = store_begin(lab.store, &lab.ctx);
	sweep();
	assert_int_equal(lab.ended, 1);
	assert_null(find("h/p-a/derive"));
	assert_non_null(find("h/p-b/derive"));
	assert_int_equal(lab.forgotten, 0); /* 'batch' may still point to it. */
	store_release(lab.store, batch);
	assert_int_equal(lab.forgotten, 1);
}

static void an_ended_series_that_gets_a_sample_is_revived(void **state)
{
	struct mc_series *series;
	struct mc_batch *batch;

	(void)state;
	apply("a", "derive", 1);
	clock_step(30 * MC_SECOND);
	batch = store_begin(lab.store, &lab.ctx);
	series = find("h/p-a/derive");
	mc_derive(batch, series, 2);
	sweep();
	assert_null(find("h/p-a/derive"));
	store_apply(lab.store, batch);
	assert_int_equal(batch->accepted, 1);
	assert_ptr_equal(find("h/p-a/derive"), series);
	store_release(lab.store, batch);
}

static void a_sample_of_an_ended_series_goes_to_its_successor(void **state)
{
	struct mc_series *old, *new;
	struct mc_batch *batch;

	(void)state;
	apply("a", "derive", 1);
	clock_step(30 * MC_SECOND);
	batch = store_begin(lab.store, &lab.ctx);
	old = find("h/p-a/derive");
	mc_derive(batch, old, 2);
	sweep();
	new = make("a", "derive");
	assert_ptr_not_equal(new, old);
	store_apply(lab.store, batch);
	assert_ptr_equal(mc_next(batch, NULL)->series, new);
	store_release(lab.store, batch);
}

static void held_series_stay_and_are_told_of_when_they_return(void **state)
{
	struct mc_series *series;
	struct mc_batch *batch;
	struct mc_latest latest;

	(void)state;
	apply("a", "derive", 1);
	series = mc_hold(find("h/p-a/derive"));
	clock_step(30 * MC_SECOND);
	sweep();
	sweep();
	assert_int_equal(lab.ended, 1); /* Told once. */
	assert_ptr_equal(find("h/p-a/derive"), series);
	store_latest(lab.store, series, &latest);
	assert_true(latest.missing);

	batch = store_begin(lab.store, &lab.ctx);
	mc_derive(batch, series, 2);
	store_apply(lab.store, batch);
	store_release(lab.store, batch);
	sweep();
	sweep();
	assert_int_equal(lab.back, 1); /* Told once, too. */
	store_latest(lab.store, series, &latest);
	assert_false(latest.missing);
	mc_release(series);
	clock_step(30 * MC_SECOND);
	sweep();
	assert_null(find("h/p-a/derive"));
}

/* Its holder may release it while it is missing: then it ends, without a report. */
static void a_missing_series_that_is_released_ends(void **state)
{
	struct mc_series *series;

	(void)state;
	apply("a", "derive", 1);
	series = mc_hold(find("h/p-a/derive"));
	clock_step(30 * MC_SECOND);
	sweep();
	assert_int_equal(lab.ended, 1);
	mc_release(series);
	sweep();
	assert_int_equal(lab.ended, 1);
	assert_null(find("h/p-a/derive"));
	apply("a", "derive", 2); /* It may come again, and end again. */
	clock_step(30 * MC_SECOND);
	sweep();
	assert_int_equal(lab.ended, 2);
	assert_null(find("h/p-a/derive"));
}

static void batches_are_reused(void **state)
{
	struct mc_batch *first = store_begin(lab.store, &lab.ctx);

	(void)state;
	store_release(lab.store, first);
	for (int i = 0; i < 100; i++) {
		struct mc_batch *batch = store_begin(lab.store, &lab.ctx);

		assert_ptr_equal(batch, first);
		assert_null(mc_next(batch, NULL));
		store_release(lab.store, batch);
	}
}

/* Fills a batch with that many samples. */
static struct mc_batch *fill(struct mc_ctx *ctx, unsigned len)
{
	struct mc_batch *batch = store_begin(lab.store, ctx);
	struct mc_series *series = make("a", "derive");

	for (unsigned i = 0; i < len; i++)
		mc_derive(batch, series, i);
	return batch;
}

static void who_makes_large_batches_gets_them_again(void **state)
{
	struct mc_ctx small = lab.ctx, large = lab.ctx;
	struct mc_batch *first[3], *again[3];
	size_t size;

	(void)state;
	first[0] = fill(&large, 5000);
	first[1] = fill(&small, 10);
	first[2] = fill(&small, 10);
	size = batch_size(first[0]);
	assert_true(size > 5000 * sizeof(struct mc_sample));
	for (int round = 0; round < 3; round++) {
		/* Whatever the order in which they come back. */
		for (int i = 0; i < 3; i++)
			store_release(lab.store, first[(i + round) % 3]);
		again[1] = fill(&small, 10);
		again[0] = fill(&large, 5000);
		again[2] = fill(&small, 10);
		assert_ptr_equal(again[0], first[0]);
		assert_int_equal(batch_size(again[0]), size);
		memcpy(first, again, sizeof(first));
	}
	for (int i = 0; i < 3; i++)
		store_release(lab.store, first[i]);
}

/* However large they were. */
static void what_pooled_batches_keep_is_bounded(void **state)
{
	struct mc_batch *batches[16];
	size_t size = 0;

	(void)state;
	for (int i = 0; i < 16; i++)
		batches[i] = fill(&lab.ctx, 5000);
	for (int i = 0; i < 16; i++)
		store_release(lab.store, batches[i]);
	for (int i = 0; i < 16; i++) {
		batches[i] = store_begin(lab.store, &lab.ctx);
		size += batch_size(batches[i]);
	}
	for (int i = 0; i < 16; i++)
		store_release(lab.store, batches[i]);
	assert_in_range(size, (size_t)512 << 10, (size_t)1088 << 10);
}

/* --- Look-ups without the lock -------------------------------------------- */

enum { WORKERS = 3, NAMES = 1500, ROUNDS = 30 };

static void on_silence(void *argument, struct mc_series *series, mc_time silent)
{
	(void)argument;
	(void)series;
	(void)silent;
}

/* One batch of every series, or every second one: in the order of the round before, or not.
 * Returns how many look-ups found another series than asked for. */
static unsigned work_a_round(struct store *store, unsigned round)
{
	struct mc_batch *batch = store_begin(store, &lab.ctx);
	unsigned wrong = 0;

	for (unsigned i = 0; i < NAMES; i += 1 + round % 2) {
		unsigned n = round % 5 == 4 ? NAMES - 1 - i : i;
		char instance[16], name[SERIES_NAME_SIZE];
		struct mc_id id = { "h", "p", instance, "derive", NULL };
		struct mc_name_parts parts;
		struct mc_series *series;
		union mc_value value = { .derive = round };
		size_t size;

		snprintf(instance, sizeof(instance), "%u", n);
		series_join(&id, name, &parts);
		size = series_name_size(&parts);
		series = store_find_for(store, batch, name, size);
		if (series == NULL)
			store_make(store, &parts, kind(lab.types, "derive"), NULL, &series);
		wrong += strcmp(mc_name(series), name) != 0 ||
			 strcmp(mc_plugin_instance(series), instance) != 0;
		mc_put(batch, series, &value, 1);
	}
	store_apply(store, batch);
	store_release(store, batch);
	return wrong;
}

static void *worker(void *argument)
{
	uintptr_t wrong = 0;

	for (unsigned round = 0; round < ROUNDS; round++)
		wrong += work_a_round(argument, round);
	return (void *)wrong;
}

/* Meanwhile all is silent, again and again, and the table grows. */
static void look_ups_are_right_while_series_come_and_go(void **state)
{
	struct store_settings settings = { .limit = NAMES, .timeout = 2 };
	struct store *store = store_new(&settings);
	struct store_counts counts;
	pthread_t threads[WORKERS];
	void *wrong;

	(void)state;
	for (unsigned i = 0; i < WORKERS; i++)
		assert_int_equal(pthread_create(&threads[i], NULL, worker, store), 0);
	for (unsigned i = 0; i < 5 * ROUNDS; i++) {
		struct mc_batch *batch = store_begin(store, &lab.ctx);

		clock_step(61 * MC_SECOND);
		store_sweep(store, batch, on_silence, NULL);
		store_release(store, batch);
	}
	for (unsigned i = 0; i < WORKERS; i++) {
		pthread_join(threads[i], &wrong);
		assert_int_equal((uintptr_t)wrong, 0);
	}
	store_count(store, &counts);
	assert_int_equal(counts.refused, 0);
	assert_true(counts.series <= NAMES);
	store_free(store);
}

static void a_predicted_look_up_finds_what_took_the_place(void **state)
{
	static const char *const names[] = { "a", "b", "c", "d", "e", "f" };
	struct store_settings settings = { .limit = 10, .timeout = 2 };
	struct store *store = store_new(&settings);

	(void)state;
	for (unsigned round = 0; round < 4; round++) {
		struct mc_batch *batch = store_begin(store, &lab.ctx);

		for (unsigned i = 0; i < 6; i++) {
			/* The last two change places every second round. */
			unsigned n = i >= 4 && round / 2 ? 9 - i : i;
			struct mc_id id = { "h", "p", names[n], "gauge", "" };
			char name[SERIES_NAME_SIZE];
			struct mc_name_parts parts;
			struct mc_series *series;

			series_join(&id, name, &parts);
			series = store_find_for(store, batch, name, series_name_size(&parts));
			assert_true((series == NULL) == (round == 0));
			if (series == NULL)
				store_make(store, &parts, kind(lab.types, "gauge"), NULL, &series);
			assert_string_equal(mc_plugin_instance(series), names[n]);
		}
		store_release(store, batch);
	}
	store_free(store);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_name_is_interned_once),
		TEST(new_series_are_refused_beyond_the_limit),
		TEST(rates_come_with_the_second_sample),
		TEST(samples_carry_their_rates),
		TEST(old_and_absurd_samples_are_refused),
		TEST(a_wrong_number_of_values_is_refused),
		TEST(silent_series_end_and_their_slots_are_forgotten),
		TEST(an_ended_series_that_gets_a_sample_is_revived),
		TEST(a_sample_of_an_ended_series_goes_to_its_successor),
		TEST(held_series_stay_and_are_told_of_when_they_return),
		TEST(a_missing_series_that_is_released_ends),
		TEST(batches_are_reused),
		TEST(who_makes_large_batches_gets_them_again),
		TEST(what_pooled_batches_keep_is_bounded),
		TEST(look_ups_are_right_while_series_come_and_go),
		TEST(a_predicted_look_up_finds_what_took_the_place),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
