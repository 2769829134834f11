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

static bool has(const struct mc_series *series, unsigned source)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, source);

	mc_release_metadata(metadata);
	return metadata != NULL;
}

static double failure_max(const struct mc_series *series, unsigned source)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, source);
	double max;

	assert_non_null(metadata);
	max = metadata->failure.max;
	mc_release_metadata(metadata);
	return max;
}

static void each_source_has_its_own(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *a = series_of(batch, "a"), *b = series_of(batch, "b");
	struct mc_metadata in = { .label = "in", .failure = { NAN, 10 } };

	(void)state;
	assert_false(has(a, 0));
	mc_set_metadata(all.ctx, a, 0, &in);
	in.failure.max = 11;
	mc_set_metadata(all.ctx, a, 1, &in);
	assert_true(failure_max(a, 0) == 10 && failure_max(a, 1) == 11);
	assert_false(has(b, 0));
	mc_set_metadata(all.ctx, a, 0, &in); /* The last one counts. */
	assert_true(failure_max(a, 0) == 11);
	mc_set_metadata(all.ctx, a, 2, &in); /* There is no such source. */
	mc_set_metadata(all.ctx, NULL, 0, &in);
	mc_release_metadata(NULL);
	mc_discard(batch);
}

static void what_is_equal_is_kept_once(void **state)
{
	const struct mc_attribute title = { "graph_title", "Load" };
	struct mc_metadata in = { .label = "a",
				  .warning = { NAN, NAN },
				  .attributes = &title,
				  .attributes_len = 1 };
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *a = series_of(batch, "a"), *b = series_of(batch, "b");
	const struct mc_metadata *first, *second;

	(void)state;
	mc_set_metadata(all.ctx, a, 0, &in);
	mc_set_metadata(all.ctx, b, 1, &in);
	first = mc_get_metadata(a, 0);
	second = mc_get_metadata(b, 1);
	assert_ptr_equal(first, second);
	mc_release_metadata(second);
	in.warning.max = 1;
	mc_set_metadata(all.ctx, a, 0, &in);
	in.attributes_len = 0;
	mc_set_metadata(all.ctx, b, 1, &in);
	/* It stays what it is as long as somebody has it. */
	assert_true(isnan(first->warning.max));
	assert_string_equal(mc_metadata_attribute(first, "graph_title"),
			    "Load");
	mc_release_metadata(first);
	second = mc_get_metadata(b, 1);
	assert_null(mc_metadata_attribute(second, "graph_title"));
	mc_release_metadata(second);
	assert_null(mc_metadata_attribute(NULL, "graph_title"));
	mc_discard(batch);
}

/* They come from others. */
static void texts_are_bounded_and_printable(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *series = series_of(batch, "a");
	struct mc_attribute attributes[MC_ATTRIBUTES_MAX + 1];
	char text[2 * MC_METADATA_TEXT_SIZE];
	struct mc_metadata in = { .label = "in\n",
				  .unit = text,
				  .attributes = attributes,
				  .attributes_len = MC_ATTRIBUTES_MAX + 1 };
	const struct mc_metadata *out, *again;

	(void)state;
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t i = 0; i < MC_ATTRIBUTES_MAX + 1; i++)
		attributes[i] = (struct mc_attribute){ "info", text };
	attributes[1].value = "\033[2J";
	attributes[2].name = NULL;
	mc_set_metadata(all.ctx, series, 0, &in);
	out = mc_get_metadata(series, 0);
	assert_non_null(out);
	assert_string_equal(out->label, "in ");
	assert_int_equal(strlen(out->unit), MC_METADATA_LABEL_SIZE - 1);
	assert_int_equal(out->attributes_len, MC_ATTRIBUTES_MAX);
	assert_int_equal(strlen(out->attributes[0].value),
			 MC_METADATA_TEXT_SIZE - 1);
	assert_string_equal(out->attributes[1].value, " [2J");
	assert_string_equal(out->attributes[2].name, "");
	mc_set_metadata(all.ctx, series, 0, &in); /* The same again. */
	again = mc_get_metadata(series, 0);
	assert_ptr_equal(out, again);
	mc_release_metadata(out);
	mc_release_metadata(again);
	mc_discard(batch);
}

/* The sanitizer of leaks proves that the memory is free again. */
static void goes_with_the_series(void **state)
{
	struct mc_metadata in = { .label = "a" };
	struct mc_batch *batch;

	(void)state;
	for (int i = 0; i < 2; i++) {
		batch = mc_begin(all.ctx);
		assert_false(has(series_of(batch, "a"), 0));
		mc_set_metadata(all.ctx, series_of(batch, "a"), 0, &in);
		mc_discard(batch);
		clock_step(200 * MC_SECOND);
		engine_read_once(all.lab.engine);
	}
}

static struct mc_series *nth(struct mc_batch *batch, int number)
{
	char name[16];

	snprintf(name, sizeof(name), "%d", number);
	return mc_series(batch, MC_ID(.type = "gauge", .type_instance = name));
}

static void sources_are_bounded(void **state)
{
	const struct mc_metadata in = { .label = "a" };
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *last = NULL;

	(void)state;
	store_set_limits(all.lab.engine->catalog.store,
			 METADATA_SOURCES_MAX + 10, 2);
	for (int i = 0; i <= METADATA_SOURCES_MAX; i++) {
		last = nth(batch, i);
		mc_set_metadata(all.ctx, last, 0, &in);
	}
	assert_non_null(last);
	assert_false(has(last, 0));
	mc_discard(batch);
}

static void what_is_said_is_bounded(void **state)
{
	char text[MC_METADATA_TEXT_SIZE];
	struct mc_attribute attributes[MC_ATTRIBUTES_MAX];
	struct mc_metadata in = { .attributes = attributes,
				  .attributes_len = MC_ATTRIBUTES_MAX };
	struct mc_batch *batch = mc_begin(all.ctx);
	const int fit =
		METADATA_BYTES_MAX / (int)sizeof(text) / MC_ATTRIBUTES_MAX;
	struct mc_series *series;

	(void)state;
	store_set_limits(all.lab.engine->catalog.store, 2 * (size_t)fit, 2);
	memset(text, 'x', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	for (size_t i = 0; i < MC_ATTRIBUTES_MAX; i++)
		attributes[i] = (struct mc_attribute){ "info", text };
	for (int i = 0; i < fit; i++) {
		in.warning.max = i;
		mc_set_metadata(all.ctx, nth(batch, i), 0, &in);
	}
	assert_true(has(nth(batch, fit / 2), 0));
	assert_false(has(nth(batch, fit - 1), 0));
	series = nth(batch, fit / 2); /* That of another is free again. */
	in.attributes_len = 0;
	mc_set_metadata(all.ctx, series, 0, &in);
	in.attributes_len = MC_ATTRIBUTES_MAX;
	mc_set_metadata(all.ctx, nth(batch, fit - 1), 0, &in);
	assert_true(has(nth(batch, fit - 1), 0));
	mc_discard(batch);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(each_source_has_its_own),
		TEST(goes_with_the_series),
		TEST(what_is_equal_is_kept_once),
		TEST(texts_are_bounded_and_printable),
		TEST(sources_are_bounded),
		TEST(what_is_said_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
