/* SPDX-License-Identifier: MIT */
/* Metadata of sources: kept, replaced, gone with the series, bounded. */
#include "unit.h"

#include <collector/metadata.h>

#include <stdio.h>
#include <string.h>

#include "engine/store/quota/quota.h"
#include "lab.h"

static const struct mc_plugin source_plugin = { .api = MC_API, .name = "source" };
static struct {
	struct lab lab;
	struct mc_ctx *ctx;
} all;

static int open_lab(void **state)
{
	(void)state;
	lab_open(&all.lab, 1 << 20);
	all.ctx = engine_ctx(engine_add(all.lab.engine, &source_plugin, "source"));
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
	return mc_series(batch, MC_ID(.type = "if_octets", .type_instance = instance));
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
	mc_set_metadata(batch, a, 0, &in);
	in.failure.max = 11;
	mc_set_metadata(batch, a, 1, &in);
	assert_true(failure_max(a, 0) == 10 && failure_max(a, 1) == 11);
	assert_false(has(b, 0));
	mc_set_metadata(batch, a, 0, &in); /* The last one counts. */
	assert_true(failure_max(a, 0) == 11);
	mc_set_metadata(batch, a, 2, &in); /* There is no such source. */
	mc_set_metadata(batch, NULL, 0, &in);
	mc_release_metadata(NULL);
	mc_discard(batch);
}

static void what_is_equal_is_kept_once(void **state)
{
	const struct mc_attribute title = { "graph_title", "Load" };
	struct mc_metadata in = {
		.label = "a", .warning = { NAN, NAN }, .attributes = &title, .attributes_len = 1
	};
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *a = series_of(batch, "a"), *b = series_of(batch, "b");
	const struct mc_metadata *first, *second;

	(void)state;
	mc_set_metadata(batch, a, 0, &in);
	mc_set_metadata(batch, b, 1, &in);
	first = mc_get_metadata(a, 0);
	second = mc_get_metadata(b, 1);
	assert_ptr_equal(first, second);
	mc_release_metadata(second);
	in.warning.max = 1;
	mc_set_metadata(batch, a, 0, &in);
	in.attributes_len = 0;
	mc_set_metadata(batch, b, 1, &in);
	/* It stays what it is as long as somebody has it. */
	assert_true(isnan(first->warning.max));
	assert_string_equal(mc_metadata_attribute(first, "graph_title"), "Load");
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
	mc_set_metadata(batch, series, 0, &in);
	out = mc_get_metadata(series, 0);
	assert_non_null(out);
	assert_string_equal(out->label, "in ");
	assert_int_equal(strlen(out->unit), MC_METADATA_LABEL_SIZE - 1);
	assert_int_equal(out->attributes_len, MC_ATTRIBUTES_MAX);
	assert_int_equal(strlen(out->attributes[0].value), MC_METADATA_TEXT_SIZE - 1);
	assert_string_equal(out->attributes[1].value, " [2J");
	assert_string_equal(out->attributes[2].name, "");
	mc_set_metadata(batch, series, 0, &in); /* The same again. */
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
		mc_set_metadata(batch, series_of(batch, "a"), 0, &in);
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

static const struct mc_bounds none = { NAN, NAN };

/* Describes series of those numbers, each with as much text as there can be, or
 * with a short one that all have. */
static void describe(struct mc_batch *batch, int first, int end, bool large)
{
	static char text[MC_METADATA_TEXT_SIZE];
	struct mc_attribute attributes[MC_ATTRIBUTES_MAX];
	struct mc_metadata in = { .label = "a",
				  .warning = none,
				  .failure = none,
				  .attributes = attributes,
				  .attributes_len = large ? MC_ATTRIBUTES_MAX : 0 };

	memset(text, 'x', sizeof(text) - 1);
	for (size_t i = 0; i < MC_ATTRIBUTES_MAX; i++)
		attributes[i] = (struct mc_attribute){ "info", text };
	for (int i = first; i < end; i++) {
		snprintf(text, sizeof(text), "%08d", i);
		text[8] = 'x';
		mc_set_metadata(batch, nth(batch, i), 0, &in);
	}
}

static int described(struct mc_batch *batch, int first, int end)
{
	int len = 0;

	for (int i = first; i < end; i++)
		len += has(nth(batch, i), 0);
	return len;
}

static struct mc_quota *quota_of(enum mc_quota_kind kind, const char *name)
{
	const struct mc_quota_limits limits = { .new_series = 1 };

	return mc_quota_new(all.ctx, kind, name, &limits);
}

static void allow_many(void)
{
	store_set_limits(all.lab.engine->registry.store, METADATA_SOURCES_MAX + 10, 2);
}

static void sources_are_bounded(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);

	(void)state;
	allow_many();
	describe(batch, 0, METADATA_SOURCES_MAX + 1, false);
	assert_true(has(nth(batch, METADATA_SOURCES_MAX - 1), 0));
	assert_false(has(nth(batch, METADATA_SOURCES_MAX), 0));
	mc_discard(batch);
}

static void what_is_said_is_bounded(void **state)
{
	const int fit = METADATA_BYTES_MAX / MC_METADATA_TEXT_SIZE / MC_ATTRIBUTES_MAX;
	const struct mc_metadata small = { .label = "b", .warning = none, .failure = none };
	struct mc_batch *batch = mc_begin(all.ctx);

	(void)state;
	allow_many();
	describe(batch, 0, fit, true);
	assert_true(has(nth(batch, fit / 2), 0));
	assert_false(has(nth(batch, fit - 1), 0));
	/* That of another is free again. */
	mc_set_metadata(batch, nth(batch, fit / 2), 0, &small);
	describe(batch, fit - 1, fit, true);
	assert_true(has(nth(batch, fit - 1), 0));
	mc_discard(batch);
}

/* However many clients take what they can, there is room for one more, and more
 * for this host; what was charged is free with the series. */
static void a_client_has_a_share(void **state)
{
	enum { EACH = METADATA_SOURCES_MAX / 10 };
	struct mc_quota *clients[4], *source;
	struct mc_batch *batch = mc_begin(all.ctx);
	const int open = METADATA_SOURCES_MAX - METADATA_SOURCES_MAX / 8;

	(void)state;
	allow_many();
	for (int i = 0; i < 4; i++) {
		char name[] = { (char)('a' + i), '\0' };

		clients[i] = quota_of(MC_QUOTA_CLIENT, name);
		mc_charge(batch, clients[i]);
		describe(batch, i * EACH, (i + 1) * EACH, false);
	}
	for (int i = 0, left = open; i < 4; i++) {
		int len = described(batch, i * EACH, (i + 1) * EACH);

		assert_int_equal(len, left / 8 < EACH ? left / 8 : EACH);
		assert_int_equal(clients[i]->metadata_refused, EACH - len);
		left -= len;
	}
	source = quota_of(MC_QUOTA_SOURCE, "node");
	mc_charge(batch, source);
	describe(batch, 4 * EACH, 5 * EACH, false);
	assert_int_equal(described(batch, 4 * EACH, 5 * EACH), EACH);
	mc_discard(batch);
	clock_step(200 * MC_SECOND);
	engine_read_once(all.lab.engine);
	for (int i = 0; i < 4; i++) {
		assert_int_equal(clients[i]->metadata[METADATA_TEXTS].sources, 0);
		assert_int_equal(clients[i]->metadata[METADATA_TEXTS].bytes, 0);
		mc_quota_free(clients[i]);
	}
	mc_quota_free(source);
}

/* Where there is no room for a text there is for a limit; what was refused is
 * counted, and logged once. */
static void limits_do_not_give_way(void **state)
{
	struct mc_attribute info = { "info", NULL };
	struct mc_metadata in = {
		.attributes = &info, .attributes_len = 1, .warning = { NAN, 10 }, .failure = none
	};
	struct mc_quota *client = quota_of(MC_QUOTA_CLIENT, "greedy");
	struct mc_batch *batch = mc_begin(all.ctx);
	char text[MC_METADATA_TEXT_SIZE];
	const struct mc_metadata *out;
	const int fit = METADATA_BYTES_MAX / MC_METADATA_TEXT_SIZE / MC_ATTRIBUTES_MAX;

	(void)state;
	allow_many();
	memset(text, 'y', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	info.value = text;
	mc_charge(batch, client);
	describe(batch, 0, fit, true);
	assert_in_range(described(batch, 0, fit), fit / 12, fit / 8);
	/* What is left is less than 32 of these. */
	for (int i = fit; i < fit + 32; i++) {
		text[0] = (char)('A' + i - fit);
		mc_set_metadata(batch, nth(batch, i), 0, &in);
	}
	out = mc_get_metadata(nth(batch, fit + 31), 0);
	assert_non_null(out);
	assert_true(out->warning.max == 10);
	assert_int_equal(out->attributes_len, 0);
	mc_release_metadata(out);
	assert_true(has(nth(batch, fit + 30), 0));
	in.warning = none; /* A limit that holds no more does not stay. */
	mc_set_metadata(batch, nth(batch, fit + 31), 0, &in);
	assert_false(has(nth(batch, fit + 31), 0));
	assert_non_null(strstr(all.lab.log, "metadata of client 'greedy' fill its share"));
	mc_charge(batch, NULL); /* Others have room. */
	in.label = "another";
	mc_set_metadata(batch, nth(batch, fit + 31), 0, &in);
	assert_true(has(nth(batch, fit + 31), 0));
	mc_quota_free(client);
	mc_discard(batch);
}

/* Limits that come one by one leave each other and all else. */
static void a_limit_leaves_the_rest(void **state)
{
	struct mc_batch *batch = mc_begin(all.ctx);
	struct mc_series *series = series_of(batch, "a");
	const struct mc_attribute attribute = { "info", "Bytes." };
	const struct mc_metadata given = {
		.label = "in",
		.warning = { 1, NAN },
		.failure = { NAN, NAN },
		.attributes = &attribute,
		.attributes_len = 1,
	};
	const struct mc_metadata *got;

	(void)state;
	mc_set_metadata(batch, series, 0, &given);
	mc_set_limit(batch, series, 0, MC_LIMIT_WARNING, 4);
	mc_set_limit(batch, series, 0, MC_LIMIT_FAILURE, 8);
	mc_set_limit(batch, series, 0, MC_LIMIT_MIN, 0);
	mc_set_limit(batch, series, 0, MC_LIMIT_MAX, 99);
	mc_set_limit(batch, series, 0, MC_LIMIT_MAX, 100.5);
	mc_set_limit(batch, series, 0, MC_LIMIT_NONE, 7);
	mc_set_limit(batch, NULL, 0, MC_LIMIT_MAX, 7);
	got = mc_get_metadata(series, 0);
	assert_non_null(got);
	assert_string_equal(got->label, "in");
	assert_true(got->warning.min == 1 && got->warning.max == 4 && got->failure.max == 8);
	assert_string_equal(mc_metadata_attribute(got, "info"), "Bytes.");
	assert_string_equal(mc_metadata_attribute(got, "min"), "0");
	assert_string_equal(mc_metadata_attribute(got, "max"), "100.5");
	assert_int_equal(got->attributes_len, 3);
	mc_release_metadata(got);
	mc_set_limit(batch, series, 1, MC_LIMIT_FAILURE, 2);
	assert_true(failure_max(series, 1) == 2);
	mc_discard(batch);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, open_lab, close_lab)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(a_limit_leaves_the_rest),
		TEST(each_source_has_its_own),
		TEST(goes_with_the_series),
		TEST(what_is_equal_is_kept_once),
		TEST(texts_are_bounded_and_printable),
		TEST(sources_are_bounded),
		TEST(what_is_said_is_bounded),
		TEST(a_client_has_a_share),
		TEST(limits_do_not_give_way),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
