/* SPDX-License-Identifier: MIT */
/* Requests in JSON: the same bytes as in protobuf, and invalid ones. */
#include "formats/otlp/json.h"

#include "unit.h"

#include "otlp_fixture.h"

#define SIZE_MAX_OUT 4096

static atomic_size_t pool; /* Of all tests; empty between them. */

static const struct mc_inflate_limits limits = {
	.size_max = SIZE_MAX_OUT,
	.pool = &pool,
	.pool_max = SIZE_MAX_OUT,
};

static void assert_converted(const char *json, bool logs, const struct otlp_message *wanted)
{
	struct mc_inflated out = { 0 };
	const char *why = NULL;

	assert_int_equal(json_convert(&(struct json_request){ (const unsigned char *)json,
							      strlen(json), logs },
				      &limits, &out, &why),
			 MC_INFLATE_OKAY);
	assert_int_equal(out.size, wanted->size);
	assert_memory_equal(out.bytes, wanted->at, wanted->size);
	mc_inflate_free(&limits, &out);
	assert_int_equal(pool, 0);
}

static void assert_refused(const char *json, enum mc_inflate_result result, const char *why)
{
	struct mc_inflated out = { 0 };
	const char *got = NULL;

	assert_int_equal(json_convert(&(struct json_request){ (const unsigned char *)json,
							      strlen(json), false },
				      &limits, &out, &got),
			 result);
	assert_string_equal(got, why);
	assert_int_equal(pool, 0);
}

static void add_metric(struct otlp_message *request, unsigned template,
		       const struct otlp_message *data)
{
	struct otlp_message metric = { .size = 0 }, resource = { .size = 0 };

	otlp_add_text(&metric, 1, "load");
	otlp_add_text(&metric, 2, "of {}[]");
	otlp_add_message(&metric, template, data);
	otlp_add_pair(&resource, 1, "host.name", "web1");
	otlp_request(request, &resource, "lib", &metric);
}

#define HEAD                                                                                       \
	"{\"resourceMetrics\":[{\"resource\":{\"attributes\":[{\"key\":"                           \
	"\"host.name\",\"value\":{\"stringValue\":\"web1\"}}]},"                                   \
	"\"scopeMetrics\":[{\"scope\":{\"name\":\"lib\"},\"metrics\":"                             \
	"[{\"name\":\"load\",\"description\":\"of {}[]\","
#define TAIL "}]}]}]}"

/* Numbers as such and as strings; fields that are not read, or not known. */
static void test_points(void **state)
{
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message request;

	(void)state;
	otlp_add_fixed(&point, 3, UINT64_C(1700000000123456789));
	otlp_add_double(&point, 4, 0.5);
	otlp_add_pair(&point, 7, "cpu", "0");
	otlp_add_message(&data, 1, &point);
	point.size = 0;
	otlp_add_fixed(&point, 3, UINT64_C(1700000000123456789));
	otlp_add_fixed(&point, 6, (uint64_t)-5);
	otlp_add_number(&point, 8, 1);
	otlp_add_message(&data, 1, &point);
	point.size = 0;
	otlp_add_double(&point, 4, -INFINITY);
	otlp_add_fixed(&point, 6, 1000);
	otlp_add_message(&data, 1, &point);
	otlp_add_number(&data, 2, 2);
	otlp_add_number(&data, 3, 1);
	add_metric(&request, 7, &data);
	assert_converted(HEAD "\"later\":\"of {}[]\",\"sum\":{\"dataPoints\":["
			      "{\"timeUnixNano\":\"1700000000123456789\",\"asDouble\":0.5,"
			      "\"attributes\":[{\"key\":\"cpu\",\"value\":"
			      "{\"stringValue\":\"0\"}}],\"exemplars\":[{\"spanId\":\"0f\","
			      "\"filteredAttributes\":[[{\"asInt\":1}]]}]},"
			      "{\"time_unix_nano\":1700000000123456789,\"asInt\":\"-5\","
			      "\"startTimeUnixNano\":null,\"flags\":1},"
			      "{\"asDouble\":\"-Infinity\",\"asInt\":1e3}],"
			      "\"aggregationTemporality\":\"AGGREGATION_TEMPORALITY_"
			      "CUMULATIVE\",\"isMonotonic\":true}" TAIL,
			 false, &request);
}

static void test_histograms(void **state)
{
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message buckets = { .size = 0 }, request;

	(void)state;
	otlp_add_fixed(&point, 4, 3);
	otlp_add_fixed(&point, 6, 1);
	otlp_add_fixed(&point, 6, 2);
	otlp_add_double(&point, 7, 0.5);
	otlp_add_message(&data, 1, &point);
	otlp_add_number(&data, 2, 1);
	add_metric(&request, 9, &data);
	assert_converted(HEAD "\"histogram\":{\"dataPoints\":[{\"count\":\"3\","
			      "\"bucketCounts\":[\"1\",2],\"explicitBounds\":"
			      "[0.5]}],\"aggregationTemporality\":1}" TAIL,
			 false, &request);
	point.size = data.size = 0;
	otlp_add_number(&point, 6, 3); /* -2 */
	otlp_add_number(&buckets, 1, 20);
	otlp_add_number(&buckets, 2, 300);
	otlp_add_message(&point, 8, &buckets);
	otlp_add_message(&data, 1, &point);
	add_metric(&request, 10, &data);
	assert_converted(HEAD "\"exponentialHistogram\":{\"dataPoints\":[{"
			      "\"scale\":-2,\"positive\":{\"offset\":10,"
			      "\"bucketCounts\":[\"300\"]}}]}" TAIL,
			 false, &request);
}

static void test_logs(void **state)
{
	struct otlp_message record = { .size = 0 }, body = { .size = 0 };
	struct otlp_message resource = { .size = 0 }, request;
	char text[401], json[1024];

	(void)state;
	memset(text, 'x', 400);
	text[400] = '\0';
	otlp_add_text(&body, 1, "\xc3\xa9\n");
	otlp_add_number(&record, 2, 18);
	otlp_add_message(&record, 5, &body);
	otlp_add_pair(&record, 6, "k", text);
	otlp_request(&request, &resource, "", &record);
	snprintf(json, sizeof(json),
		 "{\"resourceLogs\":[{\"resource\":{},\"scopeLogs\":[{"
		 "\"scope\":{\"name\":\"\"},\"logRecords\":[{"
		 "\"severityNumber\":\"SEVERITY_NUMBER_ERROR2\","
		 "\"body\":{\"stringValue\":\"\\u00e9\\n\"},"
		 "\"attributes\":[{\"key\":\"k\",\"value\":{"
		 "\"stringValue\":\"%s\"}}]}]}]}]}",
		 text);
	assert_converted(json, true, &request);
}

static void test_refused(void **state)
{
	static const char kind[] = "JSON that has another kind of value where OTLP has one";
	static const char *const wrong[] = {
		"5",
		"null",
		"[]",
		"{\"resourceMetrics\":1}",
		"{\"resourceMetrics\":\"x\"}",
		"{\"resourceMetrics\":[[{}]]}",
		HEAD "\"unit\":{}" TAIL,
		HEAD "\"unit\":1" TAIL,
		HEAD "\"sum\":{\"isMonotonic\":\"true\"}" TAIL,
		HEAD "\"sum\":{\"aggregationTemporality\":\"DELTA\"}" TAIL,
		HEAD "\"gauge\":{\"dataPoints\":[{\"asInt\":1.5}]}" TAIL,
		HEAD "\"gauge\":{\"dataPoints\":[{\"asInt\":\"0x1\"}]}" TAIL,
		HEAD "\"gauge\":{\"dataPoints\":[{\"asInt\":\" 1\"}]}" TAIL,
		HEAD "\"gauge\":{\"dataPoints\":[{\"asInt\":\"\"}]}" TAIL,
		HEAD "\"gauge\":{\"dataPoints\":[{\"asInt\":"
		     "18446744073709551616}]}" TAIL,
		HEAD "\"gauge\":{\"dataPoints\":[{\"asDouble\":\"nan\"}]}" TAIL,
	};
	static const char *const broken[] = {
		"", "{", "{}{}", "{\"resourceMetrics\":[}", "{\"\xff\":1}",
	};

	(void)state;
	for (size_t i = 0; i < sizeof(wrong) / sizeof(*wrong); i++)
		assert_refused(wrong[i], MC_INFLATE_BROKEN, kind);
	for (size_t i = 0; i < sizeof(broken) / sizeof(*broken); i++)
		assert_refused(broken[i], MC_INFLATE_BROKEN, "not in the form of JSON");
}

/* Depth, of what is read and what is not, and size. */
static void test_limits(void **state)
{
	char json[3 * SIZE_MAX_OUT] = "{\"x\":";
	struct otlp_message nothing = { .size = 0 };
	size_t size = strlen(json);

	(void)state;
	memset(json + size, '[', JSON_DEPTH_MAX - 1);
	memset(json + size + JSON_DEPTH_MAX - 1, ']', JSON_DEPTH_MAX - 1);
	memcpy(json + size + 2 * (JSON_DEPTH_MAX - 1), "}", 2);
	assert_converted(json, false, &nothing);
	memset(json + size, '[', JSON_DEPTH_MAX);
	memset(json + size + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
	memcpy(json + size + 2 * JSON_DEPTH_MAX, "}", 2);
	assert_refused(json, MC_INFLATE_BROKEN, "JSON nested too deep");
	snprintf(json, sizeof(json), "%s",
		 HEAD "\"histogram\":{\"dataPoints\":[{\"bucketCounts\":[0");
	for (size = strlen(json); size < SIZE_MAX_OUT; size += 2)
		memcpy(json + size, ",0", 3);
	snprintf(json + size, sizeof(json) - size, "]}]}" TAIL);
	assert_refused(json, MC_INFLATE_TOO_BIG, "too large");
}

static void test_replies(void **state)
{
	char reply[JSON_REPLY_SIZE];

	(void)state;
	assert_int_equal(json_reply(reply, false, 0, NULL), 2);
	assert_string_equal(reply, "{}");
	json_reply(reply, false, 3, "negative count");
	assert_string_equal(reply, "{\"partialSuccess\":{"
				   "\"rejectedDataPoints\":\"3\","
				   "\"errorMessage\":\"negative count\"}}");
	json_reply(reply, true, 1, "a \"b\"");
	assert_string_equal(reply, "{\"partialSuccess\":{"
				   "\"rejectedLogRecords\":\"1\","
				   "\"errorMessage\":\"a ?b?\"}}");
	json_error(reply, "too large");
	assert_string_equal(reply, "{\"message\":\"too large\"}");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_points), cmocka_unit_test(test_histograms),
		cmocka_unit_test(test_logs),   cmocka_unit_test(test_refused),
		cmocka_unit_test(test_limits), cmocka_unit_test(test_replies),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
