/* SPDX-License-Identifier: MIT */
/* Quotas: living series, new ones, by name, and in which order they are shown.
 * Of metadata see test_metadata.c. */
#include "unit.h"

#include <collector/private/status.h>
#include <collector/quota.h>

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "engine/store/quota/quota.h"
#include "engine/store/store.h"
#include "kinds.h"
#include "model/batch.h"
#include "model/series.h"

static struct {
	struct type_set *types;
	struct store *store;
	struct mc_ctx ctx;
	struct mc_quota *quota; /* Of those that make() makes. */
} lab;

static int open_lab(void **state)
{
	const struct store_settings settings = { .limit = 4, .timeout = 2 };

	(void)state;
	clock_stop(100 * MC_SECOND, 1700000000 * MC_SECOND);
	lab.types = kinds_new();
	lab.store = store_new(&settings);
	lab.ctx = (struct mc_ctx){ .name = "test", .interval = 10 * MC_SECOND };
	lab.quota = NULL;
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
	store_make(lab.store, &parts, kind(lab.types, type), lab.quota, &series);
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

	store_sweep(lab.store, batch, ignore, NULL);
	store_release(lab.store, batch);
}

static struct mc_quota *quota_of(const char *name, int64_t series, int64_t new_series)
{
	const struct quota_name key = { "test", name };
	const struct mc_quota_limits limits = { series, new_series };

	return store_quota_new(lab.store, &key, MC_QUOTA_SOURCE, &limits);
}

/* Two at once and one every 10 s, and no more than two at a time. */
static void new_series_of_one_maker_are_refused(void **state)
{
	struct store_counts counts;

	(void)state;
	lab.quota = quota_of("a", 2, 360);
	assert_non_null(make("a", "gauge"));
	assert_non_null(make("b", "gauge"));
	assert_null(make("c", "gauge"));
	assert_non_null(make("a", "gauge"));
	assert_int_equal(mc_quota_refused(lab.quota), 1);
	clock_step(1000 * MC_SECOND);
	assert_null(make("c", "gauge"));
	sweep(); /* They end, and leave room. */
	assert_non_null(make("c", "gauge"));
	assert_non_null(make("d", "gauge"));
	clock_step(121 * MC_SECOND);
	sweep();
	assert_non_null(make("e", "gauge"));
	store_count(lab.store, &counts);
	assert_int_equal(counts.refused, 0);
	assert_int_equal(mc_quota_refused(lab.quota), 2);
	mc_quota_free(lab.quota); /* One of its series still lives. */
	lab.quota = quota_of("b", 1, 1);
	assert_non_null(make("f", "gauge"));
	mc_quota_free(lab.quota);
	lab.quota = NULL;
	clock_step(121 * MC_SECOND);
	sweep();
}

/* One that is silent until all of its series end may make them again, but not
 * whenever it pauses. */
static void new_series_are_made_so_fast(void **state)
{
	(void)state;
	lab.quota = quota_of("a", 2, 1);
	assert_non_null(make("a", "gauge"));
	assert_non_null(make("b", "gauge"));
	clock_step(121 * MC_SECOND);
	sweep();
	assert_null(make("c", "gauge")); /* One an hour, */
	clock_step(3600 * MC_SECOND);
	assert_non_null(make("c", "gauge")); /* and then both. */
	assert_non_null(make("d", "gauge"));
	clock_step(121 * MC_SECOND);
	sweep();
	assert_null(make("c", "gauge"));
	mc_quota_free(lab.quota);
	lab.quota = quota_of("b", 2, 3600);
	assert_non_null(make("a", "gauge"));
	assert_non_null(make("b", "gauge"));
	clock_step(121 * MC_SECOND);
	sweep();
	assert_non_null(make("c", "gauge"));
	mc_quota_free(lab.quota);
	lab.quota = quota_of("c", 0, 1); /* No limit. */
	assert_non_null(make("d", "gauge"));
	assert_non_null(make("e", "gauge"));
	mc_quota_free(lab.quota);
	lab.quota = NULL;
}

/* A client that goes and comes back has its former quota. */
static void a_quota_is_found_again(void **state)
{
	struct mc_quota *one = quota_of("a", 1, 1), *two;

	(void)state;
	lab.quota = one;
	assert_non_null(make("a", "gauge"));
	mc_quota_free(one);
	sweep();
	two = quota_of("a", 2, 1);
	assert_ptr_equal(one, two);
	lab.quota = two;
	assert_null(make("b", "gauge")); /* One an hour. */
	clock_step(3600 * MC_SECOND);
	assert_non_null(make("b", "gauge"));
	assert_null(make("c", "gauge"));
	mc_quota_free(two);
	lab.quota = NULL;
	clock_step(121 * MC_SECOND);
	sweep(); /* Its series end, */
	sweep(); /* and so does it. */
	lab.quota = quota_of("a", 1, 1);
	assert_int_equal(mc_quota_refused(lab.quota), 0);
	mc_quota_free(lab.quota);
	lab.quota = NULL;
}

static void show_quota(void *argument, const struct mc_quota_status *status)
{
	char *shown = argument;
	size_t size = strlen(shown);

	assert_string_equal(status->plugin, "test");
	assert_int_equal(status->kind, MC_QUOTA_SOURCE);
	snprintf(shown + size, 128 - size, "%s %llu/%llu-%llu ", status->name,
		 (unsigned long long)status->series, (unsigned long long)status->series_limit,
		 (unsigned long long)status->series_refused);
}

static void the_fullest_quota_is_shown_first(void **state)
{
	struct mc_quota *a = quota_of("a", 2, 10), *b = quota_of("b", 1, 10);
	struct mc_quota *c = quota_of("c", 1, 10);
	char shown[128] = "";

	(void)state;
	lab.quota = a;
	assert_non_null(make("a", "gauge"));
	lab.quota = b;
	assert_non_null(make("b", "gauge"));
	assert_null(make("d", "gauge"));
	lab.quota = c;
	assert_non_null(make("c", "gauge"));
	store_each_quota(lab.store, show_quota, shown);
	assert_string_equal(shown, "b 1/1-1 c 1/1-0 a 1/2-0 ");
	mc_quota_free(a);
	mc_quota_free(b);
	mc_quota_free(c);
	lab.quota = NULL;
}

/* How many series quotas of that kind make, one after the other, which have no
 * limit of their own. */
static void fill(enum mc_quota_kind kind, unsigned quotas, char *made)
{
	const struct mc_quota_limits limits = { 0, 1 };
	size_t size = strlen(made);
	char name[32];

	for (unsigned i = 0; i < quotas; i++) {
		unsigned len = 0;

		snprintf(name, sizeof(name), "%d.%u", kind, i);
		lab.quota = store_quota_new(lab.store, &(struct quota_name){ "test", name }, kind,
					    &limits);
		do
			snprintf(name, sizeof(name), "%d.%u.%u", kind, i, len);
		while (make(name, "gauge") != NULL && ++len < 10000);
		size += (size_t)snprintf(made + size, 128 - size, "%u ", len);
		mc_quota_free(lab.quota);
	}
	lab.quota = NULL;
}

/* However many take what they can, there is room for one more client, for
 * sources, and for this host. */
static void quotas_leave_room(void **state)
{
	char made[128] = "", name[32];
	unsigned own = 0;

	(void)state;
	store_set_limits(lab.store, 1600, 2);
	fill(MC_QUOTA_CLIENT, 3, made); /* Of 1,200; then of 400. */
	fill(MC_QUOTA_CROWD, 2, made);
	fill(MC_QUOTA_SOURCE, 2, made); /* Of 200 more. */
	assert_string_equal(made, "800 267 89 39 5 134 44 ");
	do
		snprintf(name, sizeof(name), "%u", own);
	while (make(name, "gauge") != NULL && ++own < 10000);
	assert_int_equal(own, 1600 - 800 - 267 - 89 - 39 - 5 - 134 - 44);
}

static void the_rooms_of_many_series_are_bounded(void **state)
{
	struct mc_quota quota = { .kind = MC_QUOTA_CLIENT };

	(void)state;
	assert_int_equal(quota_share(&quota, 0, 1000000), 533334);
	assert_int_equal(quota_share(&quota, 900000, 1000000), 0);
	quota.kind = MC_QUOTA_CROWD;
	assert_int_equal(quota_share(&quota, 0, 8000000), 6825000);
	quota.limit = 1000; /* Its own counts, too. */
	assert_int_equal(quota_share(&quota, 0, 8000000), 1000);
}

/* After a restart the journal makes series before their sender comes back. */
static void a_series_of_the_journal_is_charged_to_its_sender(void **state)
{
	struct mc_series *series = make("a", "gauge");
	struct mc_batch *batch = store_begin(lab.store, &lab.ctx);
	char shown[128] = "";

	(void)state;
	series->uncharged = true;
	lab.quota = quota_of("a", 2, 3600);
	store_find_for(lab.store, batch, series->name, series->name_size);
	store_each_quota(lab.store, show_quota, shown);
	batch->quota = lab.quota;
	for (unsigned i = 0; i < 2; i++)
		store_find_for(lab.store, batch, series->name, series->name_size);
	store_each_quota(lab.store, show_quota, shown);
	assert_non_null(make("b", "gauge"));
	assert_null(make("c", "gauge"));
	series = make("a", "gauge");
	series->uncharged = true; /* Made again by another reader of the journal. */
	store_find_for(lab.store, batch, series->name, series->name_size);
	store_each_quota(lab.store, show_quota, shown);
	assert_string_equal(shown, "a 0/2-0 a 1/2-0 a 2/2-1 ");
	store_release(lab.store, batch);
	mc_quota_free(lab.quota);
	lab.quota = NULL;
	clock_step(121 * MC_SECOND);
	sweep();
}

static void the_log_names_the_option(void **state)
{
	char name[] = "red", out[QUOTA_FAULT_SIZE];
	struct mc_quota quota = { .name = name, .kind = MC_QUOTA_TENANT, .limit = 50 };

	(void)state;
	assert_string_equal(quota_fault(&quota, -EDQUOT, out),
			    "is beyond the 50 series that tenant 'red' may have by "
			    "MaxSeriesPerTenant");
	assert_string_equal(quota_fault(&quota, -EAGAIN, out),
			    "is beyond the new series that tenant 'red' may make by "
			    "MaxNewSeriesPerTenant");
	quota.kind = MC_QUOTA_CLIENT;
	assert_string_equal(quota_fault(&quota, -EDQUOT, out),
			    "is beyond the 50 series that client 'red' may have by "
			    "MaxSeriesPerClient");
	quota.kind = MC_QUOTA_SOURCE;
	assert_string_equal(quota_fault(&quota, -EDQUOT, out),
			    "is beyond the 50 series that 'red' may have by MaxSeries");
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(new_series_of_one_maker_are_refused),
		TEST(new_series_are_made_so_fast),
		TEST(a_quota_is_found_again),
		TEST(the_fullest_quota_is_shown_first),
		TEST(quotas_leave_room),
		TEST(a_series_of_the_journal_is_charged_to_its_sender),
		TEST(the_log_names_the_option),
		TEST(the_rooms_of_many_series_are_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
