/* SPDX-License-Identifier: MIT */
/* OTLP, read: what we write comes back the same, and nothing else does harm. */
#include "unit.h"

#include <collector/writer.h>

#include <stdlib.h>

#include "otlp_fixture.h"

#define SEEDS 50

/* --- There and back ------------------------------------------------------ */

static uint64_t next_random(uint64_t *seed)
{
	*seed ^= *seed << 13;
	*seed ^= *seed >> 7;
	*seed ^= *seed << 17;
	return *seed;
}

/* Numbers that have gone wrong before, and any others. */
static union mc_value any_value(uint64_t *seed)
{
	static const uint64_t special[] = {
		0,
		1,
		INT64_MAX,
		UINT64_C(1) << 63,
		UINT64_MAX,
		UINT64_C(0x7ff8000000000000), /* NaN, */
		UINT64_C(0x7ff4000000000001), /* with a payload, */
		UINT64_C(0x7ff0000000000000), /* infinity, */
		UINT64_C(0x8000000000000000), /* minus zero. */
	};
	uint64_t n = next_random(seed);

	if (n % 2 == 0)
		n = special[n / 2 % (sizeof(special) / sizeof(*special))];
	return (union mc_value){ .counter = n };
}

static void any_part(uint64_t *seed, char out[128], size_t least)
{
	static const char alphabet[] = "ab-c.d_0 \xc3\xa9=,";
	size_t size = least + next_random(seed) % (next_random(seed) % 8 == 0 ? 127 - least : 4);

	for (size_t i = 0; i < size; i++)
		out[i] = alphabet[next_random(seed) % (sizeof(alphabet) - 1)];
	out[size] = '\0';
}

static struct mc_series *any_series(struct otlp_lab *lab, uint64_t *seed)
{
	static const struct mc_type *const types[] = { &otlp_gauge, &otlp_octets, &otlp_mixed };
	char parts[4][128];

	any_part(seed, parts[0], 1);
	any_part(seed, parts[1], 1);
	any_part(seed, parts[2], 0);
	any_part(seed, parts[3], 0);
	return otlp_series(lab,
			   MC_ID(.host = parts[0], .plugin = parts[1], .plugin_instance = parts[2],
				 .type_instance = parts[3]),
			   types[next_random(seed) % 3]);
}

static void fill(struct otlp_lab *lab, uint64_t *seed)
{
	union mc_value values[4];
	size_t len = 1 + next_random(seed) % 200;
	struct mc_series *series = any_series(lab, seed);

	for (size_t i = 0; i < len; i++) {
		struct mc_stamp stamp = { OTLP_TIME + (mc_time)i, (1 + i % 3) * MC_SECOND };

		if (next_random(seed) % 3 > 0)
			series = any_series(lab, seed);
		for (unsigned n = 0; n < 4; n++)
			values[n] = any_value(seed);
		mc_put_at(&lab->batch, series, stamp, values, series->type->sources_len);
	}
}

static bool is_sample(const struct mc_otlp *otlp, const struct mc_sample *s)
{
	return s->time == otlp->stamp.time && s->interval == otlp->stamp.interval &&
	       strcmp(mc_name(s->series), otlp->name.name) == 0 &&
	       strlen(mc_host(s->series)) == otlp->name.host_size &&
	       strlen(mc_plugin(s->series)) == otlp->name.plugin_size &&
	       strlen(mc_plugin_instance(s->series)) == otlp->name.plugin_instance_size &&
	       strlen(mc_type_instance(s->series)) == otlp->name.type_instance_size &&
	       mc_otlp_is(otlp, mc_type(s->series)) &&
	       memcmp(s->values, otlp->values, s->values_len * sizeof(*s->values)) == 0;
}

static void read_all(struct mc_otlp *otlp, const struct mc_otlp_bytes *bytes,
		     const struct mc_batch *batch)
{
	unsigned len = 0;

	mc_otlp_open(otlp, bytes->at, bytes->size, false, "nobody");
	while (mc_otlp_next(otlp) == MC_OTLP_SAMPLE) {
		const struct mc_sample *s = mc_next(batch, NULL);

		while (s != NULL && !is_sample(otlp, s))
			s = mc_next(batch, s);
		assert_non_null(s);
		len++;
	}
	assert_int_equal(len, bytes->samples_len);
	assert_int_equal(mc_otlp_next(otlp), MC_OTLP_END);
}

static void test_there_and_back(void **state)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(1 << 20);
	struct mc_otlp *otlp = malloc(sizeof(*otlp));
	struct mc_otlp_bytes bytes;

	(void)state;
	assert_non_null(otlp);
	for (uint64_t n = 1; n <= SEEDS; n++) {
		uint64_t seed = n * UINT64_C(0x9e3779b97f4a7c15);
		struct otlp_lab lab;

		otlp_lab_open(&lab);
		fill(&lab, &seed);
		assert_ptr_equal(mc_otlp_write(writer, &lab.batch, NULL, &bytes), lab.batch.last);
		assert_int_equal(bytes.samples_len, lab.batch.accepted);
		read_all(otlp, &bytes, &lab.batch);
		otlp_lab_close(&lab);
	}
	free(otlp);
	mc_otlp_writer_free(writer);
}

/* Of one series, the older sample comes first. */
static void test_order(void **state)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(1 << 20);
	struct mc_otlp_bytes bytes;
	struct mc_series *a, *b;
	struct mc_otlp otlp;
	union mc_value value = { .gauge = 1 };
	mc_time last = 0;
	struct otlp_lab lab;

	(void)state;
	otlp_lab_open(&lab);
	a = otlp_series(&lab, MC_ID(.host = "h", .plugin = "p"), &otlp_gauge);
	b = otlp_series(&lab, MC_ID(.host = "h", .plugin = "q"), &otlp_gauge);
	for (unsigned i = 0; i < 100; i++) {
		struct mc_stamp stamp = { OTLP_TIME + i, 1 + i % 2 };

		mc_put_at(&lab.batch, i % 3 ? b : a, stamp, &value, 1);
	}
	mc_otlp_write(writer, &lab.batch, NULL, &bytes);
	mc_otlp_open(&otlp, bytes.at, bytes.size, false, "");
	while (mc_otlp_next(&otlp) == MC_OTLP_SAMPLE) {
		if (otlp.name.name[2] != 'p' || otlp.stamp.interval != 1)
			continue;
		assert_true(otlp.stamp.time > last);
		last = otlp.stamp.time;
	}
	assert_true(last > 0);
	otlp_lab_close(&lab);
	mc_otlp_writer_free(writer);
}

static void test_notification_there_and_back(void **state)
{
	static const enum mc_severity severities[] = { MC_FAILURE, MC_WARNING, MC_OKAY };
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_otlp_bytes bytes;
	struct mc_otlp otlp;

	(void)state;
	for (unsigned i = 0; i < 3; i++) {
		struct mc_notification notification = {
			.fields = (const struct mc_field[]){ { "disk", "vda" },
							     { "none", "" },
							     { "path", "/a b\n" } },
			.fields_len = i + 1,
			.severity = severities[i],
			.time = OTLP_TIME + i,
			.id = { "h", "df", i == 0 ? "root" : NULL, i == 1 ? "percent" : "",
				"free" },
			.message = "caf\xc3\xa9 is full",
		};

		mc_otlp_write_notification(writer, &notification, &bytes);
		mc_otlp_open(&otlp, bytes.at, bytes.size, true, "nobody");
		assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_NOTICE);
		assert_int_equal(otlp.notification.severity, notification.severity);
		assert_true(otlp.notification.time == notification.time);
		assert_string_equal(otlp.notification.id.host, "h");
		assert_string_equal(otlp.notification.id.plugin, "df");
		assert_string_equal(otlp.notification.id.plugin_instance, i == 0 ? "root" : "");
		assert_string_equal(otlp.notification.id.type, i == 1 ? "percent" : "");
		assert_string_equal(otlp.notification.id.type_instance, "free");
		assert_string_equal(otlp.notification.message, notification.message);
		assert_int_equal(otlp.notification.fields_len, i + 1);
		assert_string_equal(otlp.notification.fields[0].name, "disk");
		assert_string_equal(otlp.notification.fields[0].value, "vda");
		for (unsigned n = 1; n <= i; n++) {
			assert_string_equal(otlp.notification.fields[n].name,
					    n == 1 ? "none" : "path");
			assert_string_equal(otlp.notification.fields[n].value,
					    n == 1 ? "" : "/a b ");
		}
		assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);
	}
	mc_otlp_writer_free(writer);
}

/* What others send goes into lines of logs, and to receivers that are strict. */
static void test_notification_of_others(void **state)
{
	struct otlp_message record = { .size = 0 }, resource = { .size = 0 };
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	struct mc_notification notification = {
		.fields = (const struct mc_field[]){ { "k\xe9y", "v\xff" } },
		.fields_len = 1,
		.severity = MC_OKAY,
		.time = OTLP_TIME,
		.id = { "h\xe4", "p\xc3", NULL, "t\xc3\xa4", "i" },
		.message = "\xfc"
			   "ber\xc3\xa4\xe2\x82",
	};
	struct otlp_message request;
	struct mc_otlp_bytes bytes;
	struct mc_otlp otlp;

	(void)state;
	otlp_add_pair(&resource, 1, "host.name", "h\n[info] all is well");
	otlp_add_fixed(&record, 1, OTLP_TIME);
	otlp_add_pair(&record, 6, "plugin", "p\r\xff");
	otlp_add_pair(&record, 6, "type", "t\x7f");
	otlp_request(&request, &resource, "collector/notification", &record);
	mc_otlp_open(&otlp, request.at, request.size, true, "nobody");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_NOTICE);
	assert_string_equal(otlp.notification.id.host, "h [info] all is well");
	assert_string_equal(otlp.notification.id.plugin, "p ?");
	assert_string_equal(otlp.notification.id.type, "t ");

	mc_otlp_write_notification(writer, &notification, &bytes);
	mc_otlp_open(&otlp, bytes.at, bytes.size, true, "nobody");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_NOTICE);
	assert_string_equal(otlp.notification.id.host, "h?");
	assert_string_equal(otlp.notification.id.plugin, "p?");
	assert_string_equal(otlp.notification.id.type, "t\xc3\xa4");
	assert_string_equal(otlp.notification.message, "?ber\xc3\xa4??");
	assert_string_equal(otlp.notification.fields[0].name, "k?y");
	assert_string_equal(otlp.notification.fields[0].value, "v?");
	mc_otlp_writer_free(writer);
}

/* --- Bad input ----------------------------------------------------------- */

/* A request that ends where its memory ends, so that reading beyond is seen. */
static enum mc_otlp_item read_copy(struct mc_otlp *otlp, const unsigned char *bytes, size_t size,
				   unsigned *samples)
{
	unsigned char *copy = malloc(size > 0 ? size : 1);
	enum mc_otlp_item item;

	assert_non_null(copy);
	memcpy(copy, bytes, size);
	*samples = 0;
	mc_otlp_open(otlp, copy, size, false, "nobody");
	while ((item = mc_otlp_next(otlp)) == MC_OTLP_SAMPLE)
		(*samples)++;
	free(copy);
	return item;
}

/* Cut anywhere but between two resources, it is not a request. */
static void test_cut(void **state)
{
	struct mc_otlp_writer *writer = mc_otlp_writer_new(MC_OTLP_SIZE_MIN);
	union mc_value values[4] = { { .counter = 1 } };
	struct mc_otlp_bytes bytes;
	struct mc_otlp otlp;
	struct otlp_lab lab;
	unsigned samples;

	(void)state;
	otlp_lab_open(&lab);
	for (unsigned i = 0; i < 2; i++)
		mc_put(&lab.batch,
		       otlp_series(
			       &lab,
			       MC_ID(.host = "h", .plugin = "p", .plugin_instance = i ? "1" : "0"),
			       &otlp_mixed),
		       values, 4);
	mc_otlp_write(writer, &lab.batch, NULL, &bytes);
	for (size_t size = 1; size < bytes.size; size++)
		assert_int_equal(read_copy(&otlp, bytes.at, size, &samples), MC_OTLP_FAULT);
	assert_int_equal(read_copy(&otlp, bytes.at, 0, &samples), MC_OTLP_END);
	assert_int_equal(read_copy(&otlp, bytes.at, bytes.size, &samples), MC_OTLP_END);
	assert_int_equal(samples, 2);
	otlp_lab_close(&lab);
	mc_otlp_writer_free(writer);
}

static void test_no_protobuf(void **state)
{
	static const struct {
		const char *bytes;
		size_t size;
	} faults[] = {
		{ "\x00\x00", 2 },                 /* Field 0. */
		{ "\x0b\x0c", 2 },                 /* A group. */
		{ "\x0e", 1 },                     /* Wire type 6. */
		{ "\x0a\xff\xff\xff\xff\x0f", 6 }, /* A size of 4 GiB. */
		{ "\x0a\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01", 11 },
		{ "\x08\x80\x80\x80\x80\x80\x80\x80\x80\x80\x80\x01", 12 },
		{ "\xff\xff\xff\xff\x7f\x00", 6 }, /* Field of 32 bits. */
		{ "\x0a\x02\x12\x05", 4 },         /* Beyond its message. */
	};
	struct mc_otlp otlp;
	unsigned samples;

	(void)state;
	for (size_t i = 0; i < sizeof(faults) / sizeof(*faults); i++) {
		assert_int_equal(read_copy(&otlp, (const unsigned char *)faults[i].bytes,
					   faults[i].size, &samples),
				 MC_OTLP_FAULT);
		assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);
	}
}

/* What later versions add is passed over. */
static void test_unknown_fields(void **state)
{
	struct otlp_message request = { .size = 0 }, empty = { .size = 0 };
	struct mc_otlp otlp;
	unsigned samples;

	(void)state;
	otlp_add_number(&request, 99, 1);
	otlp_add_fixed(&request, 98, 1);
	otlp_add_text(&request, 97, "new");
	otlp_add_message(&request, 1, &empty);
	assert_int_equal(read_copy(&otlp, request.at, request.size, &samples), MC_OTLP_END);
	assert_int_equal(samples, 0);
}

/* Protobuf lets what describes a message come after what it describes. */
static void test_fields_in_reverse(void **state)
{
	struct otlp_message point = { .size = 0 }, sum = { .size = 0 };
	struct otlp_message metric = { .size = 0 }, scope = { .size = 0 };
	struct otlp_message scopes = { .size = 0 }, resource = { .size = 0 };
	struct otlp_message resources = { .size = 0 }, request = { .size = 0 };
	struct mc_otlp otlp;

	(void)state;
	otlp_add_pair(&point, 7, "plugin_instance", "0");
	otlp_add_fixed(&point, 6, 42);
	otlp_add_fixed(&point, 3, 1000);
	otlp_add_number(&sum, 3, 1);
	otlp_add_message(&sum, 1, &point);
	otlp_add_number(&sum, 2, 2);
	otlp_add_pair(&metric, 12, "collector.kind", "DERIVE");
	otlp_add_message(&metric, 7, &sum);
	otlp_add_text(&metric, 1, "cpu.cpu");
	otlp_add_text(&scope, 1, "collector/cpu");
	otlp_add_message(&scopes, 2, &metric);
	otlp_add_message(&scopes, 1, &scope);
	otlp_add_pair(&resource, 1, "host.name", "h");
	otlp_add_message(&resources, 2, &scopes);
	otlp_add_message(&resources, 1, &resource);
	otlp_add_message(&request, 1, &resources);
	mc_otlp_open(&otlp, request.at, request.size, false, "nobody");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_SAMPLE);
	assert_string_equal(otlp.name.name, "h/cpu-0/cpu");
	assert_int_equal(otlp.kinds[0], MC_DERIVE);
	assert_int_equal(otlp.values[0].derive, 42);
	assert_int_equal(otlp.stamp.time, 1000);
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);
}

/* A hundred sources, all of another name: more than a type can have. */
static void test_too_many_sources(void **state)
{
	struct otlp_message points = { .size = 0 }, metric = { .size = 0 };
	struct otlp_message resource = { .size = 0 }, request;
	struct mc_otlp otlp;
	char name[8];

	(void)state;
	for (unsigned i = 0; i < 100; i++) {
		struct otlp_message point = { .size = 0 };

		snprintf(name, sizeof(name), "s%u", i);
		otlp_add_double(&point, 4, i);
		otlp_add_fixed(&point, 3, 1000);
		otlp_add_pair(&point, 7, "source", name);
		otlp_add_message(&points, 1, &point);
	}
	otlp_add_text(&metric, 1, "p.t");
	otlp_add_message(&metric, 5, &points);
	otlp_add_pair(&metric, 12, "collector.kind", "GAUGE");
	otlp_add_pair(&resource, 1, "host.name", "h");
	otlp_request(&request, &resource, "collector/p", &metric);
	mc_otlp_open(&otlp, request.at, request.size, false, "nobody");
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_SAMPLE);
	assert_int_equal(otlp.values_len, MC_SOURCES_MAX);
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_SAMPLE);
	assert_int_equal(otlp.values_len, 100 - MC_SOURCES_MAX);
	assert_int_equal(mc_otlp_next(&otlp), MC_OTLP_END);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_there_and_back),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_notification_there_and_back),
		cmocka_unit_test(test_notification_of_others),
		cmocka_unit_test(test_cut),
		cmocka_unit_test(test_no_protobuf),
		cmocka_unit_test(test_unknown_fields),
		cmocka_unit_test(test_fields_in_reverse),
		cmocka_unit_test(test_too_many_sources),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
