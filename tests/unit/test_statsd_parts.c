/* SPDX-License-Identifier: MIT */
/* Lines of statsd, and what becomes of them in an interval. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/metadata.h>
#include <collector/metric.h>
#include <collector/writer.h>

#include "formats/statsd/line.h"
#include "metrics.h"
#include "timer.h"
#include "unit.h"

/* --- Lines ---------------------------------------------------------------- */

/* "TYPE NAME VALUE WEIGHT TAGS" of each line, "?FAULT" of a bad one. */
static const char *read_lines(const char *sent)
{
	static char out[1024];
	size_t size = strlen(sent), at = 0, line_size;
	/* A byte that is read beyond the end is found by a sanitizer. */
	char *copy = mc_alloc_bytes(sent, size > 0 ? size : 1);
	const char *rest = copy, *text;
	struct line line;

	out[0] = '\0';
	while (line_cut(&rest, copy + size, &text, &line_size)) {
		enum line_fault fault = line_parse(text, line_size, &line);
		const char *gap = at > 0 ? ", " : "";
		size_t room = sizeof(out) - at;

		if (fault != LINE_GOOD)
			at += (size_t)snprintf(out + at, room, "%s?%d", gap, (int)fault);
		else if (line.type == LINE_SET)
			at += (size_t)snprintf(out + at, room, "%ss %.*s %.*s", gap,
					       (int)line.name_size, line.name,
					       (int)line.member_size, line.member);
		else
			at += (size_t)snprintf(out + at, room, "%s%c %.*s %s%.12g %.12g %.*s", gap,
					       "cgts"[line.type], (int)line.name_size, line.name,
					       line.relative ? "by " : "", line.value, line.weight,
					       (int)line.tags_size,
					       line.tags_size > 0 ? line.tags : "");
	}
	free(copy);
	return out;
}

static void lines_of_each_type(void **state)
{
	(void)state;
	assert_string_equal(read_lines("a:1|c\nb:2.5|g\nc:320|ms\nd:x y|s"),
			    "c a 1 1 , g b 2.5 1 , t c 320 1 , s d x y");
	assert_string_equal(read_lines("a:1|c|@0.1\nb:7|ms|@0.5\r\n\n"), "c a 1 10 , t b 7 2 ");
	assert_string_equal(read_lines("a:+1|g\nb:-2|g\nc:-3|c\nd:+4|c"),
			    "g a by 1 1 , g b by -2 1 , c c -3 1 , c d 4 1 ");
	assert_string_equal(read_lines("a/b:1|c\nc:d:2|c\nip:10.0.0.1:80|s"),
			    "c a/b 1 1 , c c:d 2 1 , s ip:10.0.0.1 80");
	assert_string_equal(read_lines("a:|s"), "s a ");
}

static void fields_of_dogstatsd(void **state)
{
	static const char tags[] = "zone:b:c,,env:a/b,env:a/b,alone";
	char sorted[sizeof(tags)];
	size_t size;

	(void)state;
	assert_string_equal(read_lines("a:1|c|@0.5|#x:y,b\nb:2|g|#k:v|c:ci-1\nc:3|ms|#"),
			    "c a 1 2 x:y,b, g b 2 1 k:v, t c 3 1 ");
	assert_string_equal(read_lines("a:1|h\na:1|d\n_e{1,2}:a|bc\n_sc|a|0\n"
				       "a:1|g|T1700000000"),
			    "?4, ?4, ?7, ?7, ?7");
	size = line_sort_tags(tags, sizeof(tags) - 1, sorted);
	sorted[size] = '\0';
	assert_string_equal(sorted, "alone,env=a_b,zone=b:c");
	assert_int_equal(line_sort_tags(",", 1, sorted), 0);
}

static void bad_lines_cost_only_themselves(void **state)
{
	(void)state;
	assert_string_equal(read_lines("a\na:1\na|c\n:1|c\na:1|c"), "?1, ?1, ?1, ?2, c a 1 1 ");
	assert_string_equal(read_lines("a:|c\na:x|c\na:1x|c\na:nan|g\n"
				       "a:0x10|c\na:1e99|c\na:-1|ms\na:+-1|g"),
			    "?3, ?3, ?3, ?3, ?3, ?3, ?3, ?3");
	assert_string_equal(read_lines("a:1|x\na:1|\na:1|cc\na:1||@1"), "?4, ?4, ?4, ?4");
	assert_string_equal(read_lines("a:1|c|@0\na:1|c|@2\na:1|c|@x\n"
				       "a:1|g|@0.5\na:1|c|@1e-300"),
			    "?5, ?5, ?5, ?5, ?5");
	assert_string_equal(read_lines("a\tb:1|c\na:1|c|#a\tb"), "?2, ?6");
	assert_string_equal(read_lines("a:1|c|x"), "?7");
}

/* --- Timers --------------------------------------------------------------- */

static void percentiles_are_interpolated(void **state)
{
	struct timer timer = { 0 };

	(void)state;
	timer_init(&timer, true);
	assert_true(isnan(timer_percentile(&timer, 50)));
	for (int ms = 1; ms <= 100; ms++)
		timer_add(&timer, ms / 1000.0, 1);
	assert_float_equal(timer.sum, 5.05, 1e-9);
	assert_float_equal(timer.min, 0.001, 0);
	assert_float_equal(timer.max, 0.1, 0);
	assert_float_equal(timer_percentile(&timer, 90), 0.09, 0.001);
	assert_float_equal(timer_percentile(&timer, 0.5), 1.5 / 1024, 1e-12);
	timer_reset(&timer);
	assert_true(isnan(timer_percentile(&timer, 90)));
	/* One that takes long makes the bins wider, for a while. */
	timer_add(&timer, 0.25, 3);
	timer_add(&timer, 100, 1);
	assert_float_equal(timer.width, 0.125, 0);
	assert_float_equal(timer_percentile(&timer, 50), 0.125 * 5 / 3, 1e-9);
	assert_float_equal(timer_percentile(&timer, 99), 100, 0.125);
	timer_reset(&timer);
	assert_float_equal(timer.width, 0.125, 0);
	timer_add(&timer, 0, 1);
	timer_reset(&timer);
	assert_float_equal(timer.width, 0.0625, 0);
	timer_done(&timer);
}

/* --- Metrics -------------------------------------------------------------- */

struct mc_batch {
	char text[2048];
	size_t size;
};

struct mc_series {
	const struct mc_type *type;
	char name[128];
};

static const struct mc_type total = { .sources_len = 1, .sources = { { .kind = MC_DERIVE } } };
static const struct mc_type level = { .sources_len = 1, .sources = { { .kind = MC_GAUGE } } };
static char described[2048]; /* "NAME KIND LABEL=VALUE RESOURCE\n" of all metrics that were set. */

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	struct mc_series *series = mc_alloc_zero(sizeof(*series));

	(void)batch;
	series->type = strcmp(id.type, "derive") == 0 ? &total : &level;
	snprintf(series->name, sizeof(series->name), "%s/%s-%s", id.plugin_instance, id.type,
		 id.type_instance);
	return series;
}

const char *mc_host(const struct mc_series *series)
{
	(void)series;
	return "here";
}

void mc_set_metric(struct mc_batch *batch, struct mc_series *series, const struct mc_metric *metric)
{
	size_t size = strlen(described);

	(void)batch;
	assert_non_null(series);
	size += (size_t)snprintf(described + size, sizeof(described) - size, "%s %c", metric->name,
				 "gcu"[metric->kind]);
	for (size_t i = 0; i < metric->labels.len; i++)
		size += (size_t)snprintf(described + size, sizeof(described) - size, " %s=%s",
					 metric->labels.items[i].name,
					 metric->labels.items[i].value);
	snprintf(described + size, sizeof(described) - size, " %s=%s\n",
		 metric->resource.items[0].name, metric->resource.items[0].value);
}

void mc_set_metadata(struct mc_batch *batch, struct mc_series *series, unsigned source,
		     const struct mc_metadata *metadata)
{
	size_t size = strlen(described);

	(void)batch;
	assert_non_null(strstr(series->name, "/latency-"));
	assert_int_equal(source, 0);
	snprintf(described + size, sizeof(described) - size, "%s: ", metadata->unit);
}

struct mc_series *mc_hold(struct mc_series *series)
{
	return series;
}

void mc_release(struct mc_series *series)
{
	free(series);
}

void mc_put(struct mc_batch *batch, struct mc_series *series, const union mc_value *values,
	    unsigned values_len)
{
	bool derive = strstr(series->name, "/derive-") != NULL;

	assert_int_equal(values_len, 1);
	batch->size += (size_t)snprintf(
		batch->text + batch->size, sizeof(batch->text) - batch->size, "%s %.10g\n",
		series->name, derive ? (double)values[0].derive : values[0].gauge);
}

static unsigned checked; /* Lines that were not known as they came. */

static enum metrics_added take(struct metrics *metrics, const char *sent_line)
{
	char *text = mc_alloc_copy(sent_line), sent_room[700], clean_room[700];
	enum metrics_added added;
	struct metrics_key sent, clean;
	struct line line;

	assert_int_equal(line_split(text, strlen(text), &line), LINE_GOOD);
	sent = metrics_sent_key(&line, sent_room);
	pthread_mutex_lock(&metrics->lock);
	added = metrics_add(metrics, &line, &sent);
	pthread_mutex_unlock(&metrics->lock);
	if (added == METRICS_NEW) {
		checked++;
		assert_int_equal(line_check(&line), LINE_GOOD);
		clean = metrics_clean_key(&line, true, clean_room);
		added = metrics_find(metrics, &line, &sent, &clean);
		if (added == METRICS_NEW)
			added = metrics_make(metrics, &line, &sent, &clean);
	}
	free(text);
	return added;
}

static const char *report(struct metrics *metrics)
{
	static struct mc_batch batch;

	batch.size = 0;
	batch.text[0] = '\0';
	metrics_report(metrics, &batch);
	return batch.text;
}

static void start(struct metrics *metrics, struct metrics_options options)
{
	if (options.metrics_max == 0)
		options.metrics_max = 100;
	if (options.members_max == 0)
		options.members_max = 100;
	metrics_init(metrics, &options);
}

static void values_of_an_interval(void **state)
{
	struct metrics metrics;

	(void)state;
	start(&metrics, (struct metrics_options){ 0 });
	assert_string_equal(report(&metrics), "");
	take(&metrics, "c:1|c");
	take(&metrics, "c:0.4|c");
	take(&metrics, "c:1|c|@0.1");
	take(&metrics, "g:17|g");
	take(&metrics, "g:-2|g");
	take(&metrics, "t:100|ms");
	take(&metrics, "t:400|ms|@0.5");
	take(&metrics, "s:a|s");
	take(&metrics, "s:b|s");
	take(&metrics, "s:a|s");
	assert_string_equal(report(&metrics), "/derive-c 11\n"
					      "/gauge-g 15\n"
					      "/latency-t-average 0.3\n"
					      "/objects-s 2\n");
	take(&metrics, "c:0.2|c"); /* With what was left: 0.6. */
	take(&metrics, "s:a|s");
	assert_string_equal(report(&metrics), "/derive-c 12\n"
					      "/gauge-g 15\n"
					      "/latency-t-average nan\n"
					      "/objects-s 1\n");
	take(&metrics, "c:-5|c");
	take(&metrics, "new:1|c");
	assert_string_equal(report(&metrics), "/derive-c 7\n"
					      "/gauge-g 15\n"
					      "/latency-t-average nan\n"
					      "/objects-s 0\n"
					      "/derive-new 1\n");
	metrics_done(&metrics);
}

static void options_add_series(void **state)
{
	static const double percentiles[] = { 50, 99.9 };
	struct metrics metrics;

	(void)state;
	start(&metrics, (struct metrics_options){ .counter_sum = true,
						  .lower = true,
						  .upper = true,
						  .sum = true,
						  .count = true,
						  .percentiles = percentiles,
						  .percentiles_len = 2 });
	take(&metrics, "c:3|c");
	for (int i = 0; i < 4; i++)
		take(&metrics, "t:125|ms");
	assert_string_equal(report(&metrics), "/count-c 3\n"
					      "/derive-c 3\n"
					      "/latency-t-average 0.125\n"
					      "/latency-t-lower 0.125\n"
					      "/latency-t-upper 0.125\n"
					      "/latency-t-sum 0.5\n"
					      "/latency-t-percentile-50 0.1245117188\n"
					      "/latency-t-percentile-100 0.1249990234\n"
					      "/gauge-t-count 4\n");
	/* No two metrics have one series. */
	assert_int_equal(take(&metrics, "t-count:1|g"), METRICS_TAKEN);
	assert_int_equal(take(&metrics, "u-count:1|g"), METRICS_ADDED);
	assert_int_equal(take(&metrics, "u:1|ms"), METRICS_TAKEN);
	assert_int_equal(take(&metrics, "t-count:1|g|#a"), METRICS_ADDED);
	assert_int_equal(take(&metrics, "t:1|ms|#a"), METRICS_TAKEN);
	metrics_done(&metrics);
}

static void what_is_not_sent_is_forgotten(void **state)
{
	struct metrics metrics;

	(void)state;
	start(&metrics,
	      (struct metrics_options){ .forgets = { [LINE_COUNTER] = true, [LINE_SET] = true },
					.metrics_max = 3 });
	take(&metrics, "a:1|c");
	take(&metrics, "b:1|c");
	take(&metrics, "s:x|s");
	assert_int_equal(take(&metrics, "g:1|g"), METRICS_FULL);
	report(&metrics);
	take(&metrics, "b:1|c");
	assert_string_equal(report(&metrics), "/derive-b 2\n");
	assert_int_equal(take(&metrics, "a:1|c"), METRICS_ADDED);
	assert_int_equal(take(&metrics, "g:1|g"), METRICS_ADDED);
	assert_string_equal(report(&metrics), "/derive-a 1\n/gauge-g 1\n");
	assert_string_equal(report(&metrics), "/gauge-g 1\n");
	metrics_done(&metrics);
}

static void tags_make_series(void **state)
{
	struct metrics metrics;

	(void)state;
	start(&metrics, (struct metrics_options){ 0 });
	take(&metrics, "a:1|c|#z:1,b:2");
	take(&metrics, "a:2|c|#b:2,z:1");
	take(&metrics, "a:4|c");
	assert_string_equal(report(&metrics), "b=2,z=1/derive-a 3\n/derive-a 4\n");
	metrics_done(&metrics);
}

/* With tags, or '/' in its name, a metric keeps its name and all that came; without, it has
 * collectd's name alone. */
static void tags_are_labels(void **state)
{
	static const double percentiles[] = { 50 };
	struct metrics metrics;

	(void)state;
	described[0] = '\0';
	start(&metrics, (struct metrics_options){ .counter_sum = true,
						  .count = true,
						  .percentiles = percentiles,
						  .percentiles_len = 1 });
	take(&metrics, "a.b:1|c|#zone:a/b:c,alone");
	take(&metrics, "a-b:1|g|#k:v");
	take(&metrics, "page:1|ms|#k:v");
	take(&metrics, "plain:1|c");
	take(&metrics, "GET /shop:1|c");
	take(&metrics, "GET /a/b:1|ms|#k:v");
	assert_non_null(strstr(report(&metrics), "/derive-GET _shop 1\n"));
	assert_string_equal(described, "a.b.count g zone=a/b:c alone=true host.name=here\n"
				       "a.b c zone=a/b:c alone=true host.name=here\n"
				       "a-b g k=v host.name=here\n"
				       "seconds: page.average g k=v host.name=here\n"
				       "seconds: page.percentile.50 g k=v host.name=here\n"
				       "page.count g k=v host.name=here\n"
				       "GET /shop.count g host.name=here\n"
				       "GET /shop c host.name=here\n"
				       "seconds: GET /a/b.average g k=v host.name=here\n"
				       "seconds: GET /a/b.percentile.50 g k=v host.name=here\n"
				       "GET /a/b.count g k=v host.name=here\n");
	described[0] = '\0';
	take(&metrics, "a.b:1|c|#zone:a/b:c,alone");
	report(&metrics);
	assert_string_equal(described, ""); /* It is done once. */
	metrics_done(&metrics);
}

/* A line is looked at byte by byte only the first time that it comes so. */
static void names_are_known_as_they_came(void **state)
{
	static const char *const orders[] = {
		"x,y,z", "x,z,y", "y,x,z", "y,z,x", "z,x,y", "z,y,x"
	};
	struct metrics metrics;
	char sent[700];

	(void)state;
	start(&metrics, (struct metrics_options){ .forgets = { [LINE_COUNTER] = true } });
	checked = 0;
	for (int i = 0; i < 3; i++) {
		take(&metrics, "plain:1|c");
		take(&metrics, "a/b:1|c");
		take(&metrics, "a_b:1|c"); /* The same series. */
		take(&metrics, "tags:1|c|#k:v,a");
		take(&metrics, "tags:1|c|#a,k:v");
		take(&metrics, "tags:1|c|@0.5|#a,k:v|c:box");
	}
	assert_int_equal(checked, 4);
	/* Of six orders four are known. */
	checked = 0;
	for (int i = 0; i < 12; i++) {
		snprintf(sent, sizeof(sent), "many:1|c|#%s", orders[i % 6]);
		assert_int_equal(take(&metrics, sent), METRICS_ADDED);
	}
	assert_int_equal(checked, 6 + 2);
	assert_string_equal(report(&metrics), "/derive-plain 3\n"
					      "/derive-a_b 6\n"
					      "a,k=v/derive-tags 12\n"
					      "x,y,z/derive-many 12\n");
	/* They are forgotten with their metric. */
	assert_string_equal(report(&metrics), "");
	checked = 0;
	take(&metrics, "a/b:1|c");
	take(&metrics, "tags:1|c|#a,k:v");
	assert_int_equal(checked, 2);
	/* A long one costs no memory twice. */
	memset(sent, 'x', 600);
	memcpy(sent + 600, ":1|c|#a", 8);
	checked = 0;
	take(&metrics, sent);
	take(&metrics, sent);
	assert_int_equal(checked, 2);
	metrics_done(&metrics);
}

static void usual_lines_are_skimmed(void **state)
{
	static const struct {
		const char *text;
		enum line_type type;
		double value, weight;
	} usual[] = {
		{ "a.b:1|c\nc:2|c", LINE_COUNTER, 1, 1 },
		{ "a.b:17.25|g\nc:2|c", LINE_GAUGE, 17.25, 1 },
		{ "a.b:0.1|ms|@0.5\nc:2|c", LINE_TIMER, 0.1, 2 },
		{ "a.b:123456789012345|c|@1\nc:2|c", LINE_COUNTER, 123456789012345, 1 },
	};
	static const char *const others[] = {
		"a:1|s",
		"a:-1|g",
		"a:1|c|#b",
		"a:b:1|c",
		"a:1|c\r",
		"a:1.|c",
		"a:.1|c",
		"a:1e3|c",
		"a:1|cc",
		"a:1|m",
		"a:1|g|@0.1",
		"a:1|c|@0",
		"a:1|c|@2",
		"a:1|",
		"a:|c",
		"a:1.2.3|c",
		"a:1234567890123456|c",
		"a",
	};
	struct line line = { 0 };

	(void)state;
	for (size_t i = 0; i < sizeof(usual) / sizeof(*usual); i++) {
		const char *text = usual[i].text, *end = text + strlen(text);

		assert_ptr_equal(line_skim(text, end, &line), end - 5);
		assert_int_equal(line.type, usual[i].type);
		assert_true(line.value == usual[i].value && line.weight == usual[i].weight);
		assert_int_equal(line.name_size, 3);
		assert_ptr_equal(line_skim(end - 5, end, &line), end);
	}
	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		assert_null(line_skim(others[i], others[i] + strlen(others[i]), &line));
}

/* A name that was skimmed may have a newline, and must be none of a metric with tags. */
static void two_lines_are_no_name_with_tags(void **state)
{
	static const char text[] = "a\nb:1|c";
	struct metrics metrics;
	struct line line = { 0 };

	(void)state;
	start(&metrics, (struct metrics_options){ 0 });
	take(&metrics, "a:1|c|#b");
	assert_non_null(line_skim(text, text + strlen(text), &line));
	assert_int_equal(line.name_size, 3);
	pthread_mutex_lock(&metrics.lock);
	assert_int_equal(
		metrics_add(&metrics, &line, &(struct metrics_key){ line.name, 3, 3, true }),
		METRICS_NEW);
	pthread_mutex_unlock(&metrics.lock);
	metrics_done(&metrics);
}

/* What is between a name and tags in a key is no way to another metric. */
static void bytes_of_keys_are_no_names(void **state)
{
	static const char *const bad[] = { "a\0b=1:1|c", "a\nb:1:1|c", "a/\x01:1|c" };
	struct metrics metrics;
	struct metrics_key key;
	struct line line;
	char room[64];

	(void)state;
	start(&metrics, (struct metrics_options){ 0 });
	take(&metrics, "a:1|c|#b:1");
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		assert_int_equal(line_split(bad[i], i == 0 ? 9 : strlen(bad[i]), &line), LINE_GOOD);
		assert_int_equal(line_check(&line), LINE_NAME);
		key = metrics_sent_key(&line, room);
		pthread_mutex_lock(&metrics.lock);
		/* A line ends at a newline, so the second one is never cut off. */
		if (i != 1)
			assert_int_equal(metrics_add(&metrics, &line, &key), METRICS_NEW);
		pthread_mutex_unlock(&metrics.lock);
	}
	assert_string_equal(report(&metrics), "b=1/derive-a 1\n");
	metrics_done(&metrics);
}

static void the_first_fault_counts(void **state)
{
	(void)state;
	assert_string_equal(read_lines("a\tb:x|c\na\tb:1|q\na:1|c|#a\tb|@7\na:1|c|@7|#a\tb\n"
				       "a:1|c|#a\tb|#c\na:1|c||#a\n_e{\n_s\na:1|c|c"),
			    "?2, ?2, ?6, ?5, ?6, ?7, ?7, ?1, ?7");
}

static void all_is_bounded(void **state)
{
	struct metrics metrics;

	(void)state;
	start(&metrics, (struct metrics_options){ .members_max = 2 });
	assert_int_equal(take(&metrics, "s:a|s"), METRICS_ADDED);
	assert_int_equal(take(&metrics, "t:b|s"), METRICS_ADDED);
	assert_int_equal(take(&metrics, "s:c|s"), METRICS_SET_FULL);
	assert_int_equal(take(&metrics, "s:a|s"), METRICS_ADDED);
	report(&metrics);
	assert_int_equal(take(&metrics, "s:c|s"), METRICS_ADDED);
	assert_int_equal(take(&metrics, "c:9007199254740992|c"), METRICS_ADDED);
	report(&metrics);
	assert_int_equal(take(&metrics, "c:2|c"), METRICS_SUM);
	assert_int_equal(take(&metrics, "c:-2|c"), METRICS_ADDED);
	metrics_done(&metrics);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_of_each_type),
		cmocka_unit_test(fields_of_dogstatsd),
		cmocka_unit_test(bad_lines_cost_only_themselves),
		cmocka_unit_test(percentiles_are_interpolated),
		cmocka_unit_test(values_of_an_interval),
		cmocka_unit_test(options_add_series),
		cmocka_unit_test(what_is_not_sent_is_forgotten),
		cmocka_unit_test(tags_make_series),
		cmocka_unit_test(tags_are_labels),
		cmocka_unit_test(names_are_known_as_they_came),
		cmocka_unit_test(usual_lines_are_skimmed),
		cmocka_unit_test(two_lines_are_no_name_with_tags),
		cmocka_unit_test(bytes_of_keys_are_no_names),
		cmocka_unit_test(the_first_fault_counts),
		cmocka_unit_test(all_is_bounded),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
