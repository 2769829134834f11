/* SPDX-License-Identifier: MIT */
/* Metadata of sources: kept, replaced, gone with the series, bounded. */
#include "unit.h"

#include <collector/metadata.h>

#include <stdio.h>
#include <string.h>

#include "engine/store/metadata.h"
#include "lab.h"

static const struct mc_plugin source_plugin = { .api = MC_API,
						.name = "source" };
static struct {
	struct lab lab;
	struct mc_ctx *ctx;
} all;

static int open_lab(void **state)
{
	(void)state;
	lab_open(&all.lab, 1 << 20);
	all.ctx = engine_ctx(
		engine_add(all.lab.engine, &source_plugin, "source"));
	return engine_start_idle(all.lab.engine);
}

static int close_lab(void **state)
{
	(void)state;
	lab_close(&all.lab);
	return 0;
}

static struct mc_series *series_of(struct mc_batch *batch, const char *instance)
{
	return mc_series(batch,
			 MC_ID(.type = "if_octets", .type_instance = instance));
}

static void each_source_has_its_own(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *a = series_of(batch, "a"), *b = series_of(batch, "b");
	struct mc_metadata in = { .label = "in\n", .failure = { NAN, 10 } };
	struct mc_metadata out;

	(void)state;
	assert_false(mc_get_metadata(a, 0, &out));
	assert_true(isnan(out.warning.min) && isnan(out.failure.max));
	assert_string_equal(out.label, "");
	mc_set_metadata(all.ctx, a, 0, &in);
	in.failure.max = 11;
	memset(in.unit, 'x', sizeof(in.unit));
	mc_set_metadata(all.ctx, a, 1, &in);
	assert_true(mc_get_metadata(a, 0, &out));
	assert_string_equal(out.label, "in ");
	assert_string_equal(out.unit, "");
	assert_true(out.failure.max == 10);
	assert_true(mc_get_metadata(a, 1, &out));
	assert_true(out.failure.max == 11);
	assert_int_equal(strlen(out.unit), MC_METADATA_SIZE - 1);
	assert_false(mc_get_metadata(b, 0, &out));
	mc_set_metadata(all.ctx, a, 0, &in); /* The last one counts. */
	assert_true(mc_get_metadata(a, 0, &out) && out.failure.max == 11);
	mc_set_metadata(all.ctx, a, 2, &in); /* There is no such source. */
	mc_set_metadata(all.ctx, NULL, 0, &in);
	mc_discard(batch);
}

/* The sanitizer of leaks proves that the memory is free again. */
static void goes_with_the_series(void **state)
{
	struct mc_metadata in = { .label = "a" }, out;
	struct mc_batch *batch;

	(void)state;
	for (int i = 0; i < 2; i++) {
		batch = mc_begin(all.ctx);
		assert_false(mc_get_metadata(series_of(batch, "a"), 0, &out));
		mc_set_metadata(all.ctx, series_of(batch, "a"), 0, &in);
		mc_discard(batch);
		clock_step(200 * MC_SECOND);
		engine_read_once(all.lab.engine);
	}
}

static void there_is_a_limit(void **state)
{
	struct mc_metadata in = { .label = "a" }, out;
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *last = NULL;
	char name[16];

	struct store *store = all.lab.engine->catalog.store;

	(void)state;
	store_set_limits(store, METADATA_SOURCES_MAX + 10, 2);
	for (int i = 0; i <= METADATA_SOURCES_MAX; i++) {
		snprintf(name, sizeof(name), "%d", i);
		last = mc_series(batch,
				 MC_ID(.type = "gauge", .type_instance = name));
		mc_set_metadata(all.ctx, last, 0, &in);
	}
	assert_non_null(last);
	assert_false(mc_get_metadata(last, 0, &out));
	mc_discard(batch);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_source_has_its_own),
		TEST(goes_with_the_series),
		TEST(there_is_a_limit),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
