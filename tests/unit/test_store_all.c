/* SPDX-License-Identifier: MIT */
/* All series of a store, looked at while they come and go. */
#include "unit.h"

#include <collector/serve.h>

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "engine/store/listing.h"
#include "engine/store/recent.h"
#include "engine/store/store.h"
#include "engine/store/store_internal.h"
#include "engine/write/slot.h"
#include "kinds.h"

#define WALL (INT64_C(1700000000) * MC_SECOND)

/* More than one piece of a copy. */
enum { NAMES = 3000, ROUNDS = 40 };

static struct {
	struct type_set *types;
	struct store *store;
	struct mc_ctx ctx;
	_Atomic bool ends;
	bool sweeps; /* While all series are looked for. */
	struct mc_series *series[NAMES];
	unsigned shown[NAMES]; /* How often each was, by number. */
} lab;

size_t __real_store_all(struct store *, struct mc_series ***out);
size_t __wrap_store_all(struct store *, struct mc_series ***out);

static void on_forget(void *argument, unsigned slot, void *pointer)
{
	(void)argument;
	(void)slot;
	(*(unsigned *)pointer)++;
}

static int open_lab(void **state)
{
	struct store_settings settings = { .limit = 2 * NAMES,
					   .timeout = 2,
					   .slots_len = 1,
					   .history_bytes = 1 << 20,
					   .forget = on_forget };

	(void)state;
	clock_stop(100 * MC_SECOND, WALL);
	memset(&lab, 0, sizeof(lab));
	lab.types = kinds_new();
	lab.store = store_new(&settings);
	lab.ctx = (struct mc_ctx){ .name = "test", .interval = 10 * MC_SECOND };
	return 0;
}

static int close_lab(void **state)
{
	(void)state;
	store_free(lab.store);
	type_set_free(lab.types);
	return 0;
}

static struct mc_series *make(unsigned n)
{
	char instance[16], name[SERIES_NAME_SIZE];
	struct mc_id id = { "h", "p", instance, "gauge", NULL };
	struct mc_name_parts parts;
	struct mc_series *series = NULL;

	snprintf(instance, sizeof(instance), "%u", n);
	assert_true(series_join(&id, name, &parts));
	store_make(lab.store, &parts, kind(lab.types, "gauge"), NULL, &series);
	return series;
}

static void ignore(void *argument, struct mc_series *series, mc_time silent)
{
	(void)argument;
	(void)series;
	(void)silent;
}

static void sweep(void)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);

	clock_step(121 * MC_SECOND);
	store_sweep(lab.store, batch, ignore, NULL);
	store_release(lab.store, batch);
}

static void on_slot(void *argument, void *pointer)
{
	(void)argument;
	(*(unsigned *)pointer)++;
}

static void clear_slots(void)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);

	slot_clear(lab.store, batch, 0, on_slot, NULL);
	store_release(lab.store, batch);
}

/* While they are looked for all are silent, and back by the sample of a batch that was begun
 * before: so some would be in the table neither before nor after. */
size_t __wrap_store_all(struct store *store, struct mc_series ***out)
{
	struct mc_batch *batch;
	size_t len;

	if (!lab.sweeps)
		return __real_store_all(store, out);
	batch = store_begin(store, &lab.ctx);
	for (unsigned i = 0; i < NAMES; i++)
		mc_gauge(batch, lab.series[i], 1);
	sweep();
	len = __real_store_all(store, out);
	store_apply(store, batch);
	store_release(store, batch);
	return len;
}

static void each_slot_is_cleared_once(void **state)
{
	(void)state;
	for (unsigned i = 0; i < NAMES; i++) {
		lab.series[i] = make(i);
		*series_slot(lab.series[i], 0) = &lab.shown[i];
	}
	lab.sweeps = true;
	clear_slots();
	for (unsigned i = 0; i < NAMES; i++) {
		assert_int_equal(lab.shown[i], 1);
		assert_null(*series_slot(lab.series[i], 0));
	}
}

/* Others are freed, or revived, while one is looked at. */
static void on_retired_slot(void *argument, void *pointer)
{
	struct mc_batch **pinned = argument;

	(*(unsigned *)pointer)++;
	if (*pinned == NULL)
		return;
	assert_true(lab.series[NAMES - 1]->retired > 0);
	assert_non_null(*series_slot(lab.series[NAMES - 1], 0));
	for (unsigned i = 0; i < NAMES; i += 3)
		mc_hold(lab.series[i]);
	store_release(lab.store, *pinned);
	*pinned = NULL;
}

/* The lock is taken for some of them at a time. */
static void slots_of_what_is_retired_are_cleared_once(void **state)
{
	struct mc_batch *pinned, *batch;

	(void)state;
	for (unsigned i = 0; i < NAMES; i++) {
		lab.series[i] = make(i);
		*series_slot(lab.series[i], 0) = &lab.shown[i];
	}
	pinned = store_begin(lab.store, &lab.ctx);
	sweep();
	batch = store_begin(lab.store, &lab.ctx);
	slot_clear(lab.store, batch, 0, on_retired_slot, &pinned);
	assert_null(pinned);
	for (unsigned i = 0; i < NAMES; i += 3)
		mc_release(lab.series[i]);
	store_release(lab.store, batch);
	for (unsigned i = 0; i < NAMES; i++)
		assert_int_equal(lab.shown[i], 1);
}

/* Of many series, which are retired by a sweep, as they have no value. */
static void a_listing_is_kept_until_a_series_comes_or_goes(void **state)
{
	enum { MANY = 2 * NAMES - 10 };
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	struct listing *first, *second;

	(void)state;
	for (unsigned i = 0; i < MANY; i++)
		make(i);
	first = listing_take(lab.store);
	assert_int_equal(first->len, MANY);
	for (size_t i = 1; i < MANY; i++)
		assert_true((uintptr_t)first->series[i - 1] < (uintptr_t)first->series[i]);
	second = listing_take(lab.store);
	assert_ptr_equal(first, second);
	listing_leave(lab.store, second);
	make(MANY);
	second = listing_take(lab.store);
	assert_ptr_not_equal(first, second);
	assert_int_equal(second->len, MANY + 1);
	listing_leave(lab.store, first);
	listing_leave(lab.store, second);
	store_release(lab.store, batch);
	sweep();
	first = listing_take(lab.store);
	assert_int_equal(first->len, 0);
	listing_leave(lab.store, first);
}

/* Others come and go, so that the table grows and its runs move. */
static void *bring_others(void *argument)
{
	(void)argument;
	for (unsigned n = NAMES; !lab.ends; n++) {
		make(n);
		if (n % NAMES == 0)
			sweep();
	}
	return NULL;
}

static void what_stays_is_found_once(void **state)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	pthread_t thread;

	(void)state;
	for (unsigned i = 0; i < NAMES; i++) {
		lab.series[i] = mc_hold(make(i));
		*series_slot(lab.series[i], 0) = &lab.shown[i];
	}
	assert_int_equal(pthread_create(&thread, NULL, bring_others, NULL), 0);
	for (unsigned round = 1; round <= ROUNDS; round++) {
		struct mc_batch *look = store_begin(lab.store, &lab.ctx);
		struct mc_series **all;
		size_t len = store_all(lab.store, &all);

		for (size_t i = 0; i < len; i++)
			if (*series_slot(all[i], 0) != NULL)
				(*(unsigned *)*series_slot(all[i], 0))++;
		for (unsigned i = 0; i < NAMES; i++)
			assert_int_equal(lab.shown[i], round);
		free(all);
		store_release(lab.store, look);
	}
	lab.ends = true;
	pthread_join(thread, NULL);
	for (unsigned i = 0; i < NAMES; i++)
		mc_release(lab.series[i]);
	store_release(lab.store, batch);
}

static void what_stayed_for_that_leaves_later(void **state)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	struct store_counts counts;

	(void)state;
	make(1);
	clear_slots();
	sweep();
	store_count(lab.store, &counts);
	assert_int_equal(counts.series, 0);
	store_release(lab.store, batch);
}

/* As many as are remembered of the last sample; looks. */
static size_t remembered(struct mc_series *series)
{
	struct recent_copy copy;

	store_recall(lab.store, series, &copy);
	free(copy.values);
	return copy.len;
}

static void put(struct mc_batch *batch, struct mc_series *series)
{
	mc_gauge(batch, series, 1);
	store_apply(lab.store, batch);
	store_release(lab.store, batch);
}

static void what_is_kept_is_so_after_it_was_away(void **state)
{
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	struct mc_series *series = make(1);

	(void)state;
	store_keep(lab.store, batch, "h", "p");
	store_release(lab.store, batch);
	put(store_begin(lab.store, &lab.ctx), series);
	batch = store_begin(lab.store, &lab.ctx);
	sweep();
	put(batch, series); /* Revives it. */
	clock_step(10 * MC_SECOND);
	put(store_begin(lab.store, &lab.ctx), series);
	assert_true(remembered(series) >= 1);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_slot_is_cleared_once),
		TEST(slots_of_what_is_retired_are_cleared_once),
		TEST(a_listing_is_kept_until_a_series_comes_or_goes),
		TEST(what_stays_is_found_once),
		TEST(what_stayed_for_that_leaves_later),
		TEST(what_is_kept_is_so_after_it_was_away),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
