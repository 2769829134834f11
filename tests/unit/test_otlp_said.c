/* SPDX-License-Identifier: MIT */
/* What a metric says of itself: metadata of its series, and from there in the
 * metric that is written. */
#include "unit.h"

#include <collector/metadata.h>

#include <math.h>
#include <stdlib.h>

#include "otlp_desk.h"
#include "otlp_fixture.h"

static void renew(struct desk *desk)
{
	mc_discard(desk->batch);
	desk->batch = mc_begin(desk->ctx);
}

struct metric { /* Of one point; NULL: not said. */
	const char *name, *description, *unit;
	bool sum;
};

/* A request of somebody else, each metric in it a piece of its own. */
static void make(struct otlp_message *request, const struct metric *metrics, size_t len)
{
	request->size = 0;
	for (size_t i = 0; i < len; i++) {
		struct otlp_message point = { .size = 0 }, data = { .size = 0 };
		struct otlp_message metric = { .size = 0 }, one;
		struct otlp_message resource = { .size = 0 };

		otlp_add_fixed(&point, 3, OTLP_TIME);
		otlp_add_fixed(&point, 6, 7);
		otlp_add_message(&data, 1, &point);
		if (metrics[i].sum) {
			otlp_add_number(&data, 2, 2);
			otlp_add_number(&data, 3, 1);
		}
		otlp_add_text(&metric, 1, metrics[i].name);
		if (metrics[i].description != NULL)
			otlp_add_text(&metric, 2, metrics[i].description);
		if (metrics[i].unit != NULL)
			otlp_add_text(&metric, 3, metrics[i].unit);
		otlp_add_message(&metric, metrics[i].sum ? 7 : 5, &data);
		otlp_add_pair(&resource, 1, "host.name", "far");
		otlp_request(&one, &resource, "", &metric);
		otlp_add(request, one.at, one.size);
	}
}

static void put(struct desk *desk, const void *bytes, size_t size)
{
	struct mc_otlp_owners owners = { 0 };
	const struct mc_otlp_request request = {
		.stamp = { OTLP_TIME, 60 * MC_SECOND },
		.host = "peer",
		.bytes = bytes,
		.size = size,
		.owners = &owners,
	};
	struct mc_otlp_result result;

	assert_true(mc_otlp_put(desk->batch, &request, &result));
	assert_int_equal(result.rejected, 0);
	mc_otlp_owners_done(&owners);
}

static void put_metrics(struct desk *desk, const struct metric *metrics, size_t len)
{
	struct otlp_message request;

	make(&request, metrics, len);
	put(desk, request.at, request.size);
}

static void assert_text(struct mc_otlp_text text, const char *expected)
{
	if (expected == NULL)
		expected = "";
	assert_int_equal(text.size, strlen(expected));
	assert_memory_equal(text.at, expected, text.size);
}

/* The metrics that are written of the batch are these, in any order. */
static struct mc_otlp_bytes assert_written(struct desk *desk, const struct metric *metrics,
					   size_t len)
{
	struct mc_otlp_bytes bytes;
	struct mc_otlp otlp;
	size_t seen = 0;

	assert_non_null(mc_otlp_write(desk->writer, desk->batch, NULL, &bytes));
	mc_otlp_open(&otlp, bytes.at, bytes.size, false, "");
	for (; mc_otlp_next(&otlp) == MC_OTLP_SAMPLE; seen++) {
		size_t i = 0;

		while (i < len && strstr(otlp.name.name, metrics[i].name) == NULL)
			i++;
		assert_true(i < len);
		assert_text(otlp.said[0].description, metrics[i].description);
		assert_text(otlp.said[0].unit, metrics[i].unit);
	}
	assert_int_equal(seen, len);
	return bytes;
}

static struct mc_series *series_of(struct desk *desk, const char *instance, const char *type)
{
	return mc_series(desk->batch, MC_ID(.host = "far", .plugin = "otlp",
					    .plugin_instance = instance, .type = type));
}

static const char *info_of(const struct mc_series *series)
{
	const struct mc_metadata *metadata = mc_get_metadata(series, 0);
	const char *info = mc_metadata_attribute(metadata, "info");

	mc_release_metadata(metadata); /* Its series has it, too. */
	return info;
}

static const struct metric all[] = {
	{ "requests", "Requests\nof clients.", "{request}", true },
	{ "sent", "What was sent.", "By", true },
	{ "queue", "", "requests", false }, /* Not as UCUM has it. */
	{ "load", NULL, NULL, false },
	{ "time", "How long it took.", "ms", false },
	{ "rpm", "M\xc3\xa9lange", "rpm", true },
	{ "share", NULL, "1", false },
	{ "speed", NULL, "By/s", true },
	{ "odd", NULL, "{a b}/x y", false },
};
#define ALL_LEN (sizeof(all) / sizeof(*all))

static void what_came_is_written(void **state)
{
	struct metric expected[ALL_LEN];
	struct desk *desk = *state;
	struct mc_otlp_bytes bytes;
	unsigned char *copy;

	memcpy(expected, all, sizeof(all));
	expected[0].description = "Requests of clients."; /* For terminals. */
	put_metrics(desk, all, ALL_LEN);
	assert_string_equal(info_of(series_of(desk, "sent", "derive")), "What was sent.");
	/* As often as it is written: by what was learnt, too. */
	for (unsigned i = 0; i < 4; i++)
		bytes = assert_written(desk, expected, ALL_LEN);
	copy = malloc(bytes.size);
	assert_non_null(copy);
	memcpy(copy, bytes.at, bytes.size);

	/* And once more, by the next collector. */
	desk_close(state);
	desk_open(state);
	desk = *state;
	put(desk, copy, bytes.size);
	free(copy);
	assert_written(desk, expected, ALL_LEN);
	assert_null(mc_get_metadata(series_of(desk, "load", "gauge"), 0));
}

/* More than are kept worked out, in one request. */
static void units_are_not_mixed_up(void **state)
{
	enum { LEN = 80 };
	struct metric metrics[LEN];
	struct desk *desk = *state;
	char texts[LEN][2][8];

	for (unsigned i = 0; i < LEN; i++) {
		snprintf(texts[i][0], sizeof(texts[i][0]), "m%02u", i);
		snprintf(texts[i][1], sizeof(texts[i][1]), "{u%02u}", i);
		metrics[i] = (struct metric){ .name = texts[i][0], .unit = texts[i][1] };
	}
	put_metrics(desk, metrics, LEN);
	assert_written(desk, metrics, LEN);
}

static void a_change_is_seen(void **state)
{
	struct metric metrics[] = { { "alpha", "One.", "By", false },
				    { "beta", "Two.", "By", false } };
	struct desk *desk = *state;
	struct mc_series *series;

	put_metrics(desk, metrics, 2);
	assert_written(desk, metrics, 2);
	assert_written(desk, metrics, 2);
	assert_written(desk, metrics, 2);
	series = mc_hold(series_of(desk, "beta", "gauge"));
	assert_string_equal(info_of(series), "Two.");
	metrics[1].description = "Three.";
	metrics[1].unit = "s";
	renew(desk);
	put_metrics(desk, metrics, 2);
	assert_string_equal(info_of(series), "Three.");
	assert_written(desk, metrics, 2);
	/* Metadata that are not sent any more stay as they were. */
	metrics[1].description = metrics[1].unit = NULL;
	renew(desk);
	put_metrics(desk, metrics, 2);
	metrics[1].description = "Three.";
	metrics[1].unit = "s";
	assert_written(desk, metrics, 2);
	mc_release(series);
}

/* It is looked at when it is another, and once in an hour. */
static void it_is_looked_at_when_it_is_new(void **state)
{
	const struct metric metric = { "a", "One.", "By", false };
	const struct mc_metadata other = { .label = "other" };
	struct desk *desk = *state;
	struct mc_series *series;

	put_metrics(desk, &metric, 1);
	series = mc_hold(series_of(desk, "a", "gauge"));
	mc_set_metadata(desk->batch, series, 0, &other);
	renew(desk);
	put_metrics(desk, &metric, 1);
	assert_null(info_of(series));
	clock_step(3600 * MC_SECOND);
	renew(desk);
	put_metrics(desk, &metric, 1);
	assert_string_equal(info_of(series), "One.");
	mc_release(series);
}

/* Longer texts are cut, between characters; a zero ends them. */
static void texts_are_bounded(void **state)
{
	struct desk *desk = *state;
	struct metric metrics[] = { { "long", NULL, NULL, false }, { "unit", NULL, NULL, false } };
	char text[2 * MC_METADATA_TEXT_SIZE], unit[129];
	const char *info;

	memset(text, 'x', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	memcpy(text + MC_METADATA_TEXT_SIZE - 2, "\xc3\xa9", 2);
	memset(unit, 'u', sizeof(unit));
	unit[sizeof(unit) - 1] = '\0';
	metrics[0].description = text;
	metrics[1].unit = unit;
	put_metrics(desk, metrics, 2);
	info = info_of(series_of(desk, "long", "gauge"));
	assert_int_equal(strlen(info), MC_METADATA_TEXT_SIZE - 2);
	assert_memory_equal(info, text, MC_METADATA_TEXT_SIZE - 2);
	assert_null(mc_get_metadata(series_of(desk, "unit", "gauge"), 0));
	metrics[0].description = info;
	metrics[1].unit = NULL;
	assert_written(desk, metrics, 2);
}

/* Seconds with a fraction become milliseconds: theirs is another unit. */
static void converted_values_have_the_unit_of_their_type(void **state)
{
	const struct metric metric = { "a", NULL, "s", true };
	struct desk *desk = *state;
	struct otlp_message request;
	unsigned char *point;

	make(&request, &metric, 1);
	/* Of as_int make as_double: 7 of 64 bits is nearly nothing. */
	point = memchr(request.at, 6 << 3 | 1, request.size);
	assert_non_null(point);
	assert_int_equal(point[1], 7);
	*point = 4 << 3 | 1;
	put(desk, request.at, request.size);
	assert_null(mc_get_metadata(series_of(desk, "a", "total_time_in_ms"), 0));
}

/* Each source of a series may have its own: then each is a metric. */
static void sources_have_their_own(void **state)
{
	struct desk *desk = *state;
	struct mc_series *series =
		mc_series(desk->batch, MC_ID(.host = "far", .plugin = "p", .type = "if_octets"));
	struct mc_attribute info = { "info", "In." };
	struct mc_metadata metadata = { .unit = "bits per second",
					.attributes = &info,
					.attributes_len = 1 };
	union mc_value values[2] = { { .counter = 11 }, { .counter = 12 } };
	struct mc_otlp_bytes bytes;
	struct mc_otlp otlp;

	mc_set_metadata(desk->batch, series, 0, &metadata);
	info.value = "Out.";
	metadata.unit = "bits in and out";
	mc_set_metadata(desk->batch, series, 1, &metadata);
	mc_put_at(desk->batch, series, (struct mc_stamp){ OTLP_TIME, 10 * MC_SECOND }, values, 2);
	for (unsigned i = 0; i < 4; i++) {
		assert_non_null(mc_otlp_write(desk->writer, desk->batch, NULL, &bytes));
		mc_otlp_open(&otlp, bytes.at, bytes.size, false, "");
		assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_SAMPLE);
		assert_int_equal(otlp.values_len, 2);
		assert_int_equal(otlp.values[1].counter, 12);
		assert_text(otlp.said[0].description, "In.");
		assert_text(otlp.said[0].unit, "bit");
		assert_text(otlp.said[1].description, "Out.");
		assert_text(otlp.said[1].unit, "");
		assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);
	}
}

/* A template sets it as well, for a series that has come back, too. */
static void templates_have_it(void **state)
{
	static const struct metric metric = { "a", "One.", "requests", false };
	static const struct mc_attribute attributes[] = { { "info", "One." },
							  { "otlp_unit", "requests" } };
	static const struct mc_metadata described = { .unit = "requests",
						      .warning = { NAN, NAN },
						      .failure = { NAN, NAN },
						      .attributes = attributes,
						      .attributes_len = 2 };
	struct desk *desk = *state;
	struct mc_otlp_bytes bytes;
	struct mc_otlp_result result;
	const struct mc_metadata *metadata;
	struct mc_otlp_template *template;
	struct mc_series *series;

	series = series_of(desk, "a", "gauge");
	mc_set_metadata(desk->batch, series, 0, &described);
	mc_put_at(desk->batch, series, (struct mc_stamp){ OTLP_TIME, 10 * MC_SECOND },
		  &(union mc_value){ .gauge = 7 }, 1);
	bytes = assert_written(desk, &metric, 1);
	renew(desk);
	assert_true(mc_otlp_put_record(
		desk->batch,
		&(struct mc_otlp_request){
			.stamp = { 1, 2 }, .host = "peer", .bytes = bytes.at, .size = bytes.size },
		&result));
	template = result.template;
	assert_non_null(template);
	series = mc_hold(series_of(desk, "a", "gauge"));
	mc_set_metadata(desk->batch, series, 0, &(struct mc_metadata){ .label = "other" });
	clock_step(3600 * MC_SECOND);
	renew(desk);
	assert_true(mc_otlp_put_as(desk->batch, template, bytes.at, bytes.size, &result));
	assert_string_equal(info_of(series), "One.");
	metadata = mc_get_metadata(series, 0);
	assert_string_equal(mc_metadata_attribute(metadata, "otlp_unit"), "requests");
	mc_release_metadata(metadata);
	mc_release(series);
	mc_otlp_template_free(template);
}

#define TEST(function) cmocka_unit_test_setup_teardown(function, desk_open, desk_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(what_came_is_written),   TEST(units_are_not_mixed_up),
		TEST(a_change_is_seen),       TEST(it_is_looked_at_when_it_is_new),
		TEST(texts_are_bounded),      TEST(converted_values_have_the_unit_of_their_type),
		TEST(sources_have_their_own), TEST(templates_have_it),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
