/* SPDX-License-Identifier: MIT */
/* Labels of series of ours, which have no other name, pass from one collector to the next. */
#include "unit.h"

#include <collector/label.h>
#include <collector/metric.h>
#include <collector/private/stream.h>
#include <collector/writer.h>

#include <stdio.h>
#include <string.h>

#include "formats/otlp/otlp_message.h"
#include "otlp_desk.h"
#include "otlp_fixture.h"

static struct mc_otlp_bytes write_all(struct desk *desk)
{
	struct mc_otlp_bytes bytes;

	assert_non_null(mc_otlp_write(desk->writer, desk->batch, NULL, &bytes));
	return bytes;
}

static void put_octets(struct desk *desk, const struct mc_metric *metric, int64_t number)
{
	struct mc_series *series = mc_series(
		desk->batch, MC_ID(.host = "r1", .plugin = "snmp", .plugin_instance = "eth0",
				   .type = "if_octets", .type_instance = "x"));

	if (metric != NULL)
		mc_set_metric(desk->batch, series, metric);
	mc_put_at(desk->batch, series, (struct mc_stamp){ OTLP_TIME + number, 10 * MC_SECOND },
		  (union mc_value[]){ { .derive = number }, { .derive = 2 * number } }, 2);
	mc_put_gauge(desk->batch, 1, .host = "r1", .plugin = "snmp", .type = "gauge");
}

/* "ifAlias=uplink speed=!10 " of the series, sorted; "none". */
static const char *labels_of(const struct mc_series *series)
{
	static char text[256];
	struct mc_metric metric;

	snprintf(text, sizeof(text), "none");
	if (!mc_get_metric(series, &metric))
		return text;
	text[0] = '\0';
	for (size_t i = 0; i < metric.labels.len; i++)
		snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s=%s ",
			 metric.labels.items[i].encoded_size > 0 ? "!" : "",
			 metric.labels.items[i].name, metric.labels.items[i].value);
	assert_string_equal(metric.name, "");
	mc_release_metric(&metric);
	return text;
}

/* Puts a request of ours as a receiver does, which has a template from the second time on; the
 * labels of its only series of two sources are these. */
static void assert_received(struct desk *desk, const struct mc_otlp_bytes *bytes,
			    const char *labels)
{
	const struct mc_otlp_request request = { .stamp = { OTLP_TIME, 60 * MC_SECOND },
						 .host = "peer",
						 .bytes = bytes->at,
						 .size = bytes->size };
	struct mc_batch *batch = mc_begin(desk->ctx);
	struct mc_otlp_result result, again;

	assert_true(mc_otlp_put_record(batch, &request, &result));
	assert_int_equal(result.samples, 2);
	assert_non_null(result.template);
	assert_true(mc_otlp_put_as(batch, result.template, bytes->at, bytes->size, &again));
	assert_int_equal(again.samples, 2);
	mc_otlp_template_free(result.template);
	MC_FOR_EACH_SAMPLE (sample, batch) {
		bool octets = sample->values_len == 2;

		assert_string_equal(mc_name(sample->series),
				    octets ? "r1/snmp-eth0/if_octets-x" : "r1/snmp/gauge");
		assert_string_equal(labels_of(sample->series), octets ? labels : "none");
	}
	mc_discard(batch);
}

static const struct mc_metric_label interface_labels[] = {
	{ .name = "ifAlias", .value = "uplink" },
	{ .name = "source", .value = "not the name's" },
	{ .name = "speed", .value = "10", .encoded = "\x18\x0a", .encoded_size = 2 },
};
static const struct mc_metric named = { .labels = { interface_labels, 3 } };
static const struct mc_metric renamed = { .labels = { interface_labels, 1 } };

/* They are attributes beside the name: a receiver has the same series with the same labels. */
static void labels_without_a_name_pass(void **state)
{
	struct desk *desk = *state;
	struct mc_otlp_bytes bytes;
	struct otlp_message first = { .size = 0 }, plain = { .size = 0 };

	put_octets(desk, NULL, 7);
	bytes = write_all(desk);
	otlp_add(&plain, bytes.at, bytes.size);
	mc_discard(desk->batch);
	desk->batch = mc_begin(desk->ctx);
	put_octets(desk, &named, 7);
	bytes = write_all(desk);
	assert_true(bytes.size > plain.size);
	otlp_add(&first, bytes.at, bytes.size);
	desk_close(state);
	desk_open(state);
	desk = *state;
	bytes = (struct mc_otlp_bytes){ .at = first.at, .size = first.size };
	assert_received(desk, &bytes, "ifAlias=uplink !speed=10 ");
	assert_received(desk, &bytes, "ifAlias=uplink !speed=10 ");
	/* They are taken away with the sender's. */
	bytes = (struct mc_otlp_bytes){ .at = plain.at, .size = plain.size };
	assert_received(desk, &bytes, "");
}

#define ROUNDS 8

/* What was written before is written again, until the labels are others. */
static void labels_are_in_plans(void **state)
{
	const struct mc_metric *metrics[ROUNDS] = { [1] = &named, [5] = &renamed };
	struct otlp_message requests[ROUNDS] = { { .size = 0 } };
	struct desk *desk = *state;
	struct mc_otlp_bytes bytes;

	for (unsigned i = 0; i < ROUNDS; i++) {
		mc_discard(desk->batch);
		desk->batch = mc_begin(desk->ctx);
		put_octets(desk, metrics[i], i);
		bytes = write_all(desk);
		otlp_add(&requests[i], bytes.at, bytes.size);
	}
	desk_close(state);
	desk_open(state);
	for (unsigned i = 0; i < ROUNDS; i++) {
		bytes = (struct mc_otlp_bytes){ .at = requests[i].at, .size = requests[i].size };
		assert_received(*state, &bytes,
				i < 1   ? "none"
				: i < 5 ? "ifAlias=uplink !speed=10 "
					: "ifAlias=uplink ");
	}
}

/* A text that is in the request of values of a guest. */
static bool sends(struct desk *desk, const char *text)
{
	struct mc_otlp_bytes bytes;

	mc_discard(desk->batch);
	desk->batch = mc_begin(desk->ctx);
	mc_set_stream(desk->batch, "r1", "then-1 uuid - left");
	put_octets(desk, NULL, 1);
	mc_put_gauge(desk->batch, 1, .host = "r2", .plugin = "virt", .type = "gauge");
	bytes = write_all(desk);
	return memmem(bytes.at, bytes.size, text, strlen(text)) != NULL;
}

/* That of samples that are sent, and that of now; neither where counters go on already. */
static void streams_end(void **state)
{
	const struct mc_field now[] = { { MC_STREAM_LABEL, "now-2 uuid m right" },
					{ "uuid", "4" } };
	struct desk *desk = *state;

	mc_otlp_writer_label(desk->writer, desk->ctx, mc_each_sent_label);
	mc_label(desk->ctx, "r1", now, 2);
	mc_label(desk->ctx, "r2", now, 2);
	assert_true(sends(desk, "then-1 uuid"));
	assert_true(sends(desk, "now-2 uuid"));
	mc_end_streams(desk->ctx, true);
	assert_false(sends(desk, "then-1 uuid"));
	assert_false(sends(desk, "now-2 uuid"));
	assert_false(sends(desk, MC_STREAM_LABEL));
	assert_true(sends(desk, "uuid"));
	mc_end_streams(desk->ctx, false);
	assert_true(sends(desk, "then-1 uuid"));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, desk_open, desk_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(labels_without_a_name_pass),
		TEST(labels_are_in_plans),
		TEST(streams_end),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
