/* SPDX-License-Identifier: MIT */
/* What becomes of the metrics and logs of foreign senders. */
#include "formats/otlp/otlp_point.h"

#include "unit.h"

#include "otlp_fixture.h"

struct foreign {           /* A metric of one point. */
	unsigned template; /* Field of the metric: 5 gauge, 7 sum. */
	unsigned temporality;
	bool monotonic, integer;
	double number;
	uint64_t count;
};

static void request_of(struct otlp_message *request, const struct otlp_message *resource,
		       const struct foreign *foreign)
{
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message metric = { .size = 0 };

	otlp_add_fixed(&point, 3, 1000);
	if (foreign->integer)
		otlp_add_fixed(&point, 6, foreign->count);
	else
		otlp_add_double(&point, 4, foreign->number);
	otlp_add_pair(&point, 7, "state", "idle");
	otlp_add_pair(&point, 7, "cpu", "cpu0");
	otlp_add_message(&data, 1, &point);
	if (foreign->temporality != 0)
		otlp_add_number(&data, 2, foreign->temporality);
	if (foreign->monotonic)
		otlp_add_number(&data, 3, 1);
	otlp_add_text(&metric, 1, "system.cpu");
	otlp_add_message(&metric, foreign->template, &data);
	otlp_request(request, resource, "otelcol/hostmetricsreceiver", &metric);
}

static enum mc_otlp_item read_foreign(struct mc_otlp *otlp, const struct otlp_message *resource,
				      const struct foreign *foreign)
{
	struct otlp_message request;

	request_of(&request, resource, foreign);
	mc_otlp_open(otlp, request.at, request.size, false, "127.0.0.1");
	return mc_otlp_next(otlp);
}

static void test_types(void **state)
{
	static const struct {
		struct foreign foreign;
		const char *type;
		enum mc_kind kind;
	} rows[] = {
		{ { 5, 0, false, false, 0.5, 0 }, "gauge", MC_GAUGE },
		{ { 5, 0, false, true, 0, 5 }, "gauge", MC_GAUGE },
		{ { 7, 2, true, true, 0, 5 }, "derive", MC_DERIVE },
		{ { 7, 2, false, true, 0, 5 }, "gauge", MC_GAUGE },
		{ { 7, 2, true, false, 5.75, 0 }, "derive", MC_DERIVE },
		{ { 7, 1, true, false, 0.5, 0 }, "gauge", MC_GAUGE },
		{ { 7, 1, true, true, 0, 5 }, "absolute", MC_ABSOLUTE },
		{ { 7, 1, false, true, 0, 5 }, "gauge", MC_GAUGE },
	};
	struct otlp_message resource = { .size = 0 };
	struct mc_otlp otlp;
	char name[128];

	(void)state;
	otlp_add_pair(&resource, 1, "host.name", "web1");
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		assert_int_equal(read_foreign(&otlp, &resource, &rows[i].foreign), MC_OTLP_SAMPLE);
		snprintf(name, sizeof(name), "web1/otlp-system.cpu/%s-cpu=cpu0,state=idle",
			 rows[i].type);
		assert_string_equal(otlp.name.name, name);
		assert_int_equal(otlp.kinds[0], rows[i].kind);
		if (rows[i].kind != MC_GAUGE)
			assert_int_equal(otlp.values[0].counter, 5);
		else
			assert_true(otlp.values[0].gauge == (rows[i].foreign.integer ? 5 : 0.5));
		assert_int_equal(otlp.stamp.interval, 0);
		assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);
	}
}

/* Reads a cumulative monotonic sum. */
static enum mc_otlp_item read_sum(struct mc_otlp *otlp, double number, const char *unit)
{
	struct otlp_message resource = { .size = 0 }, request;
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message metric = { .size = 0 };

	otlp_add_double(&point, 4, number);
	otlp_add_message(&data, 1, &point);
	otlp_add_number(&data, 2, 2);
	otlp_add_number(&data, 3, 1);
	otlp_add_text(&metric, 1, "cpu.time");
	otlp_add_text(&metric, 3, unit);
	otlp_add_message(&metric, 7, &data);
	otlp_request(&request, &resource, "js", &metric);
	mc_otlp_open(otlp, request.at, request.size, false, "h");
	return mc_otlp_next(otlp);
}

/* What is counted with a fraction is a count all the same, and seconds keep three digits of it. */
static void test_fractions(void **state)
{
	struct mc_otlp otlp;

	(void)state;
	assert_int_equal(read_sum(&otlp, 12.3456, "s"), MC_OTLP_SAMPLE);
	assert_string_equal(otlp.name.name, "h/otlp-cpu.time/total_time_in_ms");
	assert_int_equal(otlp.kinds[0], MC_DERIVE);
	assert_int_equal(otlp.values[0].derive, 12346);
	assert_int_equal(read_sum(&otlp, 0.2 + 0.7, "s"), MC_OTLP_SAMPLE);
	assert_int_equal(otlp.values[0].derive, 900);
	assert_int_equal(read_sum(&otlp, 7.99, "{request}"), MC_OTLP_SAMPLE);
	assert_string_equal(otlp.name.name, "h/otlp-cpu.time/derive");
	assert_int_equal(otlp.values[0].derive, 7);
	assert_int_equal(read_sum(&otlp, 9e18, ""), MC_OTLP_SAMPLE);
	assert_int_equal(read_sum(&otlp, 9.3e18, ""), MC_OTLP_REJECT);
	assert_string_equal(otlp.why, "count out of range");
	assert_int_equal(read_sum(&otlp, -1, ""), MC_OTLP_REJECT);
	assert_string_equal(otlp.why, "negative count");
	assert_int_equal(read_sum(&otlp, NAN, ""), MC_OTLP_REJECT);
	assert_int_equal(read_sum(&otlp, INFINITY, ""), MC_OTLP_REJECT);
}

static void test_hosts(void **state)
{
	struct foreign gauge = { 5, 0, false, false, 1, 0 };
	struct otlp_message resource = { .size = 0 };
	struct mc_otlp otlp;

	(void)state;
	read_foreign(&otlp, &resource, &gauge);
	assert_memory_equal(otlp.name.name, "127.0.0.1/otlp-", 15);
	otlp_add_pair(&resource, 1, "k8s.pod.name", "pod");
	otlp_add_pair(&resource, 1, "service.name", "shop");
	read_foreign(&otlp, &resource, &gauge);
	assert_memory_equal(otlp.name.name, "pod/shop-", 9);
	otlp_add_pair(&resource, 1, "host.name", "node");
	otlp_add_pair(&resource, 1, "service.instance.id", "1");
	read_foreign(&otlp, &resource, &gauge);
	assert_memory_equal(otlp.name.name, "node/shop-", 10);
}

static void assert_instance(const struct otlp_message *resource, const char *instance)
{
	struct foreign gauge = { 5, 0, false, false, 1, 0 };
	struct mc_otlp otlp;
	const char *at;

	assert_int_equal(read_foreign(&otlp, resource, &gauge), MC_OTLP_SAMPLE);
	at = strrchr(otlp.name.name, '/');
	assert_memory_equal(at, "/gauge-", 7);
	assert_string_equal(at + 7, instance);
}

/* Attributes that distinguish a resource are in the name, in the order of keys; descriptive ones
 * are not. */
static void test_resources(void **state)
{
	static const char point[] = "cpu=cpu0,state=idle";
	struct otlp_message resource = { .size = 0 }, unnamed = { .size = 0 };
	struct otlp_message pair = { .size = 0 }, any = { .size = 0 };
	char text[200];

	(void)state;
	otlp_add_pair(&resource, 1, "service.name", "shop");
	otlp_add_pair(&resource, 1, "host.name", "dock1");
	otlp_add_pair(&resource, 1, "telemetry.sdk.name", "opentelemetry");
	otlp_add_pair(&resource, 1, "os.type", "linux");
	otlp_add_pair(&resource, 1, "host.id", "0a1b");
	otlp_add_pair(&resource, 1, "process.command_line", "/bin/shop -x");
	assert_instance(&resource, point);
	otlp_add_pair(&resource, 1, "service.instance.id", "2");
	otlp_add_pair(&resource, 1, "container.name", "nginx");
	otlp_add_number(&any, 3, 17);
	otlp_add_text(&pair, 1, "process.pid");
	otlp_add_message(&pair, 2, &any);
	otlp_add_message(&resource, 1, &pair);
	snprintf(text, sizeof(text), "container.name=nginx,process.pid=17,service.instance.id=2,%s",
		 point);
	assert_instance(&resource, text);
	otlp_add_pair(&unnamed, 1, "host.id", "0a1b");
	otlp_add_pair(&unnamed, 1, "service.instance.id", "2");
	snprintf(text, sizeof(text), "host.id=0a1b,%s", point);
	assert_instance(&unnamed, text);
}

struct claims {
	enum mc_otlp_name answer;
	unsigned len;
	uint64_t series, sender; /* Of the last. */
};

static enum mc_otlp_name answer_claim(void *argument, const struct mc_otlp_claim *claim)
{
	struct claims *claims = argument;

	claims->len++;
	claims->series = claim->series;
	claims->sender = claim->sender;
	return claims->answer;
}

/* Reads a resource that has these two attributes, and a descriptive one. */
static enum mc_otlp_item read_claimed(struct mc_otlp *otlp, struct claims *claims, const char *id,
				      const char *container)
{
	static const char *const ephemeral[] = { "container.id", "service.instance.id" };
	const struct mc_otlp_naming naming = {
		.ephemeral = ephemeral,
		.ephemeral_len = 2,
		.claim = answer_claim,
		.argument = claims,
	};
	struct foreign gauge = { 5, 0, false, false, 1, 0 };
	struct otlp_message resource = { .size = 0 }, request;

	otlp_add_pair(&resource, 1, "service.instance.id", id);
	otlp_add_pair(&resource, 1, "service.name", "shop");
	otlp_add_pair(&resource, 1, "container.id", container);
	otlp_add_pair(&resource, 1, "container.name", "nginx");
	otlp_add_pair(&resource, 1, "os.type", "linux");
	request_of(&request, &resource, &gauge);
	mc_otlp_open(otlp, request.at, request.size, false, "caller");
	mc_otlp_name_by(otlp, &naming);
	return mc_otlp_next(otlp);
}

/* Ephemeral attributes are in the name only where another has the name without. */
static void test_ephemeral(void **state)
{
	static const char random[] = "0d7a2b54-3a3f-4a0e-9b59-5d2f0c3f3f10";
	static const char made[] = "0d7a2b54-3a3f-5a0e-9b59-5d2f0c3f3f10"; /* Of version 5. */
	struct claims claims = { .answer = MC_OTLP_SHORT }, other = claims;
	struct mc_otlp otlp;

	(void)state;
	assert_int_equal(read_claimed(&otlp, &claims, random, "1f"), MC_OTLP_SAMPLE);
	assert_string_equal(otlp.name.name, "caller/shop-system.cpu/gauge-container.name=nginx,"
					    "cpu=cpu0,state=idle");
	assert_int_equal(claims.len, 1);
	assert_int_not_equal(claims.sender, 0);
	read_claimed(&otlp, &other, random, "2f");
	assert_int_equal(other.series, claims.series);
	assert_int_not_equal(other.sender, claims.sender);

	/* What does not change at each start stays, and may be the host. */
	read_claimed(&otlp, &other, made, "1f");
	assert_string_equal(otlp.name.name, "0d7a2b54-3a3f-5a0e-9b59-5d2f0c3f3f10/shop-system.cpu/"
					    "gauge-container.name=nginx,cpu=cpu0,state=idle");
	assert_int_not_equal(other.series, claims.series);
	read_claimed(&otlp, &other, "10.0.0.7:9100", "1f");
	assert_memory_equal(otlp.name.name, "10.0.0.7:9100/", 14);

	claims.answer = MC_OTLP_LONG;
	read_claimed(&otlp, &claims, random, "1f");
	assert_string_equal(strrchr(otlp.name.name, '/'),
			    "/gauge-container.id=1f,container.name=nginx,service.instance.id="
			    "0d7a2b54-3a3f-4a0e-9b59-5d2f0c3f3f10,cpu=cpu0,state=idle");
	claims.answer = MC_OTLP_UNCLEAR;
	assert_int_equal(read_claimed(&otlp, &claims, random, "1f"), MC_OTLP_REJECT);
	assert_string_equal(otlp.why, OTLP_UNCLEAR);
	assert_int_equal(otlp.rejected, 1);
}

/* As Icinga sends them: the checked host and service are in the resource. */
static void test_checks(void **state)
{
	struct otlp_message resource = { .size = 0 };

	(void)state;
	otlp_add_pair(&resource, 1, "service.name", "Icinga 2");
	otlp_add_pair(&resource, 1, "service.instance.id", "0a1b");
	otlp_add_pair(&resource, 1, "icinga2.service.name", "disk");
	otlp_add_pair(&resource, 1, "icinga2.host.name", "web02");
	assert_instance(&resource, "icinga2.host.name=web02,icinga2.service.name=disk,"
				   "cpu=cpu0,state=idle");
}

static enum mc_otlp_name always_short(void *argument, const struct mc_otlp_claim *claim)
{
	(void)argument;
	(void)claim;
	return MC_OTLP_SHORT;
}

static const char *const map_without[] = { "k.", "state" };
static const struct mc_otlp_map map = {
	.attribute = "k.host",
	.host = "k.host",
	.plugin = "k.plugin",
	.plugin_instance = "k.service",
	.type_instance = "cpu",
	.metric = "system.cpu",
	.without = { map_without, 2 },
};

static void assert_mapped(const struct otlp_message *request, const char *name)
{
	const struct mc_otlp_naming naming = { .maps = &map, .maps_len = 1, .claim = always_short };
	struct mc_otlp otlp;

	mc_otlp_open(&otlp, request->at, request->size, false, "caller");
	mc_otlp_name_by(&otlp, &naming);
	if (mc_otlp_next(&otlp) == MC_OTLP_SAMPLE)
		assert_string_equal(otlp.name.name, name);
	else
		assert_string_equal(otlp.why, name);
}

static bool is_mapped_host(void *argument, const struct mc_otlp_resource *resource)
{
	(void)argument;
	return resource->host.size == 5 && memcmp(resource->host.at, "web02", 5) == 0;
}

/* A histogram of one number. */
static void histogram_of(struct otlp_message *request, const struct otlp_message *resource)
{
	struct otlp_message point = { .size = 0 }, data = { .size = 0 }, metric = { .size = 0 };

	otlp_add_fixed(&point, 3, 1000);
	otlp_add_fixed(&point, 4, 1);
	otlp_add_message(&data, 1, &point);
	otlp_add_number(&data, 2, 2);
	otlp_add_text(&metric, 1, "took");
	otlp_add_message(&metric, 9, &data);
	otlp_request(request, resource, "lib", &metric);
}

/* Attributes that a map has are parts of the name; the rest is as without it. */
static void test_maps(void **state)
{
	const struct mc_otlp_naming naming = { .maps = &map, .maps_len = 1, .claim = always_short };
	struct foreign gauge = { 5, 0, false, false, 1, 0 };
	struct otlp_message resource = { .size = 0 }, request;
	char text[128];

	(void)state;
	otlp_add_pair(&resource, 1, "host.name", "monitor");
	otlp_add_pair(&resource, 1, "service.name", "shop");
	request_of(&request, &resource, &gauge);
	assert_mapped(&request, "monitor/shop-system.cpu/gauge-cpu=cpu0,state=idle");
	otlp_add_pair(&resource, 1, "k.host", "web02");
	request_of(&request, &resource, &gauge);
	assert_mapped(&request, "web02/shop/gauge-cpu0,host.name=monitor");
	otlp_add_pair(&resource, 1, "k.more", "?");
	otlp_add_pair(&resource, 1, "k.service", "disk");
	otlp_add_pair(&resource, 1, "k.plugin", "check");
	otlp_add_pair(&resource, 1, "zone", "a");
	request_of(&request, &resource, &gauge);
	assert_mapped(&request,
		      "web02/check-disk/gauge-cpu0,host.name=monitor,service.name=shop,zone=a");
	assert_true(mc_otlp_each_resource(&(struct mc_otlp_request){ .host = "caller",
								     .bytes = request.at,
								     .size = request.size,
								     .naming = &naming },
					  is_mapped_host, NULL));
	histogram_of(&request, &resource);
	assert_mapped(&request, "web02/check-disk-took_count/derive-host.name=monitor,"
				"service.name=shop,zone=a");
	memset(text, 's', sizeof(text));
	text[sizeof(text) - 1] = '\0';
	otlp_add_pair(&resource, 1, "k.service", text);
	histogram_of(&request, &resource);
	assert_mapped(&request, OTLP_LONG_NAME);
}

/* The name of a resource that has the container of that identifier. */
static void name_long(char out[128], char id, bool shuffled)
{
	struct foreign gauge = { 5, 0, false, false, 1, 0 };
	struct otlp_message resource = { .size = 0 };
	struct mc_otlp otlp;
	char text[100];

	memset(text, id, sizeof(text));
	text[sizeof(text) - 1] = '\0';
	if (shuffled)
		otlp_add_pair(&resource, 1, "service.instance.id", "2");
	otlp_add_pair(&resource, 1, "container.id", text);
	otlp_add_pair(&resource, 1, "host.name", "dock1");
	if (!shuffled)
		otlp_add_pair(&resource, 1, "service.instance.id", "2");
	assert_int_equal(read_foreign(&otlp, &resource, &gauge), MC_OTLP_SAMPLE);
	snprintf(out, 128, "%s", strrchr(otlp.name.name, '/') + 1);
}

/* Too long for a name: a hash stands for it. */
static void test_long_resource(void **state)
{
	char one[128], again[128], other[128];
	size_t size = strlen("gauge-resource=");

	(void)state;
	name_long(one, 'a', false);
	name_long(again, 'a', true);
	name_long(other, 'b', false);
	assert_memory_equal(one, "gauge-resource=", size);
	assert_int_equal(strspn(one + size, "0123456789abcdef"), 16);
	assert_string_equal(one + size + 16, ",cpu=cpu0,state=idle");
	assert_string_equal(one, again);
	assert_string_not_equal(one, other);
}

static void test_rejected(void **state)
{
	struct otlp_message resource = { .size = 0 }, request;
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message metric = { .size = 0 };
	struct foreign gauge = { 5, 0, false, false, 1, 0 };
	struct foreign count = { 7, 2, true, true, 0, UINT64_C(1) << 63 };
	struct mc_otlp otlp;
	char name[129];

	(void)state;
	otlp_add_message(&data, 1, &point);
	otlp_add_message(&data, 1, &point);
	otlp_add_text(&metric, 1, "latency");
	otlp_add_message(&metric, 8, &data);
	otlp_request(&request, &resource, "", &metric);
	mc_otlp_open(&otlp, request.at, request.size, false, "h");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_REJECT);
	assert_int_equal(otlp.rejected, 2);
	assert_string_equal(otlp.why, "metric of an unknown form");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);

	assert_int_equal(read_foreign(&otlp, &resource, &count), MC_OTLP_REJECT);
	assert_string_equal(otlp.why, "negative count");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);

	memset(name, 'n', 128);
	name[128] = '\0';
	otlp_add_pair(&resource, 1, "host.name", name);
	assert_int_equal(read_foreign(&otlp, &resource, &gauge), MC_OTLP_REJECT);
	assert_string_equal(otlp.why, "name of more than 127 bytes");
}

/* Says what it does not keep: it is read as a foreign metric. */
static void test_almost_ours(void **state)
{
	struct otlp_message resource = { .size = 0 }, request;
	struct otlp_message point = { .size = 0 }, data = { .size = 0 };
	struct otlp_message metric = { .size = 0 };
	struct mc_otlp otlp;

	(void)state;
	otlp_add_fixed(&point, 6, 1);
	otlp_add_message(&data, 1, &point);
	otlp_add_text(&metric, 1, "cpu.cpu");
	otlp_add_message(&metric, 5, &data);
	otlp_add_pair(&metric, 12, "collector.kind", "GAUGE");
	otlp_request(&request, &resource, "collector/df", &metric);
	mc_otlp_open(&otlp, request.at, request.size, false, "h");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_SAMPLE);
	assert_string_equal(otlp.name.name, "h/otlp-cpu.cpu/gauge");
	otlp_request(&request, &resource, "collector/cpu", &metric);
	mc_otlp_open(&otlp, request.at, request.size, false, "h");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_REJECT);
	assert_string_equal(otlp.why, "number that is not of its kind");
}

static void test_foreign_log(void **state)
{
	struct otlp_message resource = { .size = 0 }, request;
	struct otlp_message record = { .size = 0 }, body = { .size = 0 };
	struct mc_otlp otlp;

	(void)state;
	otlp_add_text(&body, 1, "out of\nmemory");
	otlp_add_fixed(&record, 11, 1000);
	otlp_add_number(&record, 2, 21);
	otlp_add_message(&record, 5, &body);
	otlp_add_pair(&resource, 1, "service.name", "shop");
	otlp_request(&request, &resource, "lib", &record);
	mc_otlp_open(&otlp, request.at, request.size, true, "10.0.0.1");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_NOTICE);
	assert_int_equal(otlp.notification.severity, MC_FAILURE);
	assert_int_equal(otlp.notification.time, 1000);
	assert_string_equal(otlp.notification.id.host, "10.0.0.1");
	assert_string_equal(otlp.notification.id.plugin, "shop");
	assert_string_equal(otlp.notification.message, "out of memory");
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_types),       cmocka_unit_test(test_fractions),
		cmocka_unit_test(test_hosts),       cmocka_unit_test(test_resources),
		cmocka_unit_test(test_checks),      cmocka_unit_test(test_long_resource),
		cmocka_unit_test(test_rejected),    cmocka_unit_test(test_almost_ours),
		cmocka_unit_test(test_foreign_log), cmocka_unit_test(test_ephemeral),
		cmocka_unit_test(test_maps),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
