/* SPDX-License-Identifier: MIT */
/* Requests of remote write: the expected bytes were put together by hand, from the specifications
 * and protobuf.dev, "Encoding". */
#include "unit.h"

#include <stdio.h>
#include <string.h>

#include "formats/remote_write/remote_write.h"

#define TIME INT64_C(1700000000123)
#define ONE UINT64_C(0x3ff0000000000000)

struct fixture {
	struct symbols symbols;
	struct remote_write_buffer buffer;
	struct remote_write_series *up, *idle;
	char seen[1024]; /* What was read. */
	size_t seen_size;
};

static const struct remote_write_label up_labels[] = {
	{ "__name__", "up" },
	{ "instance", "a" },
};
static const struct remote_write_label idle_labels[] = {
	{ "__name__", "cpu" },
	{ "instance", "a" },
};

static struct fixture *setup(void)
{
	static struct fixture fixture;

	fixture = (struct fixture){ .seen_size = 0 };
	fixture.up = remote_write_series_new(&fixture.symbols, &(struct remote_write_about){
								       .labels = up_labels,
								       .labels_len = 2,
								       .type = REMOTE_WRITE_GAUGE,
								       .help = "Works.",
							       });
	fixture.idle =
		remote_write_series_new(&fixture.symbols, &(struct remote_write_about){
								  .labels = idle_labels,
								  .labels_len = 2,
								  .type = REMOTE_WRITE_COUNTER,
								  .help = "",
								  .unit = "s",
								  .start = TIME - 1,
							  });
	return &fixture;
}

static void tear_down(struct fixture *fixture)
{
	remote_write_series_free(&fixture->symbols, fixture->up);
	remote_write_series_free(&fixture->symbols, fixture->idle);
	assert_int_equal(fixture->symbols.map.len, 0);
	symbols_done(&fixture->symbols);
	remote_write_buffer_free(&fixture->buffer);
}

static void see(void *argument, const struct remote_write_read_sample *sample)
{
	struct fixture *fixture = argument;
	size_t room = sizeof(fixture->seen), *at = &fixture->seen_size;

	for (size_t i = 0; i < sample->labels_len; i++)
		*at += (size_t)snprintf(fixture->seen + *at, room - *at, "%.*s ",
					(int)sample->labels[i].size, sample->labels[i].at);
	*at += (size_t)snprintf(
		fixture->seen + *at, room - *at, "%llx %lld %lld %llu '%.*s' '%.*s'\n",
		(unsigned long long)sample->bits, (long long)sample->start, (long long)sample->time,
		(unsigned long long)sample->type, (int)sample->help.size, sample->help.at,
		(int)sample->unit.size, sample->unit.at);
}

static void reads(struct fixture *fixture, enum remote_write_version version,
		  struct remote_write_bytes bytes, const char *expected)
{
	fixture->seen_size = 0;
	fixture->seen[0] = '\0';
	assert_true(remote_write_read(version, bytes.at, bytes.size, see, fixture));
	assert_string_equal(fixture->seen, expected);
}

/* 2^63 - 1 and a time before 1970 have the longest varints. */
static void test_version_1(void **state)
{
	struct fixture *fixture = setup();
	const struct remote_write_sample samples[] = {
		{ fixture->up, ONE, TIME },
		{ fixture->up, REMOTE_WRITE_STALE, TIME + 1 },
		{ fixture->idle, 0, -1 },
	};
	static const char expected[] =
		"\x0a\x43"
		"\x12\x10\x10\xfb\xd0\x95\xff\xbc\x31\x09\0\0\0\0\0\0\xf0\x3f"
		"\x12\x10\x10\xfc\xd0\x95\xff\xbc\x31\x09\x02\0\0\0\0\0\xf0\x7f"
		"\x0a\x0e\x0a\x08__name__\x12\x02up"
		"\x0a\x0d\x0a\x08instance\x12\x01"
		"a"
		"\x0a\x36"
		"\x12\x14\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x09\0\0\0\0\0\0\0\0"
		"\x0a\x0f\x0a\x08__name__\x12\x03"
		"cpu"
		"\x0a\x0d\x0a\x08instance\x12\x01"
		"a";
	struct remote_write_bytes bytes;

	(void)state;
	bytes = remote_write_encode(&fixture->buffer, &fixture->symbols, REMOTE_WRITE_1, samples,
				    3);
	reads(fixture, REMOTE_WRITE_1, bytes,
	      "__name__ up instance a 3ff0000000000000 0 1700000000123 0 '' ''\n"
	      "__name__ up instance a 7ff0000000000002 0 1700000000124 0 '' ''\n"
	      "__name__ cpu instance a 0 0 -1 0 '' ''\n");
	assert_int_equal(bytes.size, sizeof(expected) - 1);
	assert_memory_equal(bytes.at, expected, bytes.size);
	tear_down(fixture);
}

static void test_version_2(void **state)
{
	struct fixture *fixture = setup();
	const struct remote_write_sample samples[] = {
		{ fixture->idle, 0, TIME },
		{ fixture->up, ONE, TIME },
		{ fixture->up, ONE, TIME + 1 },
	};
	/* The last series is written first, so its texts have the first numbers. */
	static const char expected[] =
		"\x22\0"
		"\x22\x01"
		"a"
		"\x22\x08instance"
		"\x22\x02up"
		"\x22\x08__name__"
		"\x22\x06Works."
		"\x22\x03"
		"cpu"
		"\x22\x01s"
		"\x2a\x25\x2a\x04\x08\x01\x20\x07"
		"\x12\x17\x10\xfb\xd0\x95\xff\xbc\x31\x18\xfa\xd0\x95\xff\xbc\x31\x09\0\0\0\0\0\0\0"
		"\0"
		"\x0a\x04\x04\x06\x02\x01"
		"\x2a\x30\x2a\x04\x08\x02\x18\x05"
		"\x12\x10\x10\xfb\xd0\x95\xff\xbc\x31\x09\0\0\0\0\0\0\xf0\x3f"
		"\x12\x10\x10\xfc\xd0\x95\xff\xbc\x31\x09\0\0\0\0\0\0\xf0\x3f"
		"\x0a\x04\x04\x03\x02\x01";
	struct remote_write_bytes bytes;

	(void)state;
	for (int i = 0; i < 2; i++) { /* The second request has the same numbers. */
		bytes = remote_write_encode(&fixture->buffer, &fixture->symbols, REMOTE_WRITE_2,
					    samples, 3);
		reads(fixture, REMOTE_WRITE_2, bytes,
		      "__name__ cpu instance a 0 1700000000122 1700000000123 1 '' 's'\n"
		      "__name__ up instance a 3ff0000000000000 0 1700000000123 2 'Works.' ''\n"
		      "__name__ up instance a 3ff0000000000000 0 1700000000124 2 'Works.' ''\n");
		assert_int_equal(bytes.size, sizeof(expected) - 1);
		assert_memory_equal(bytes.at, expected, bytes.size);
	}
	tear_down(fixture);
}

static void test_many(void **state)
{
	struct fixture *fixture = setup();
	struct remote_write_sample samples[5000];
	size_t lines = 0;

	(void)state;
	for (size_t i = 0; i < 5000; i++)
		samples[i] = (struct remote_write_sample){ i % 2 == 0 ? fixture->up : fixture->idle,
							   i, TIME + (int64_t)i };
	for (int version = REMOTE_WRITE_1; version <= REMOTE_WRITE_2; version++) {
		struct remote_write_bytes bytes =
			remote_write_encode(&fixture->buffer, &fixture->symbols,
					    (enum remote_write_version)version, samples, 5000);

		assert_true(bytes.size > 5000 * 20);
		lines = 0;
		for (size_t i = 0; i + 2 < bytes.size; i++)
			lines += memcmp(bytes.at + i, "\xbc\x31\x09", 3) == 0;
		assert_int_equal(lines, 5000);
	}
	tear_down(fixture);
}

static void test_invalid(void **state)
{
	static const struct {
		enum remote_write_version version;
		const char *bytes;
		size_t size;
	} cases[] = {
		{ REMOTE_WRITE_1, "\x0a", 1 },                     /* Cut. */
		{ REMOTE_WRITE_1, "\x0a\x05\x0a\x03", 4 },         /* Too long. */
		{ REMOTE_WRITE_1, "\x08\x01", 2 },                 /* A series that is a number. */
		{ REMOTE_WRITE_1, "\x0a\x02\x08\x01", 4 },         /* A label that is one. */
		{ REMOTE_WRITE_1, "\x0a\x04\x12\x02\x08\x01", 6 }, /* A value that is one. */
		{ REMOTE_WRITE_2, "\x22\x00\x2a\x04\x0a\x02\x00\x01", 8 }, /* No such symbol. */
		{ REMOTE_WRITE_2, "\x22\x00\x2a\x03\x0a\x01\x00", 7 },     /* Half a label. */
		{ REMOTE_WRITE_2, "\x22\x00\x2a\x04\x2a\x02\x18\x07", 8 }, /* No such help. */
	};
	struct fixture *fixture = setup();

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		assert_false(remote_write_read(cases[i].version, cases[i].bytes, cases[i].size, see,
					       fixture));
	assert_int_equal(fixture->seen_size, 0);
	tear_down(fixture);
}

static void test_print(void **state)
{
	struct fixture *fixture = setup();
	char text[64];

	(void)state;
	remote_write_series_print(fixture->up, text, sizeof(text));
	assert_string_equal(text, "up{instance=\"a\"}");
	remote_write_series_print(fixture->up, text, 8);
	assert_string_equal(text, "up{inst");
	tear_down(fixture);
}

static bool has(const struct remote_write_bytes *bytes, const char *text, size_t size)
{
	return memmem(bytes->at, bytes->size, text, size) != NULL;
}

/* In version 1.0 a metric is described once in a turn, whatever series and parts it has. */
static void test_metadata_1(void **state)
{
	static const struct remote_write_label bucket_labels[] = {
		{ "__name__", "rpc_seconds_bucket" }, { "le", "1" }
	};
	static const char up[] = "\x1a\x0e\x08\x02\x12\x02up\x22\x06Works.";
	static const char cpu[] = "\x1a\x0a\x08\x01\x12\x03"
				  "cpu\x2a\x01s";
	static const char rpc[] = "\x1a\x0f\x08\x03\x12\x0brpc_seconds";
	struct fixture *fixture = setup();
	struct symbols *symbols = &fixture->symbols;
	struct remote_write_series *bucket = remote_write_series_new(
		symbols, &(struct remote_write_about){ .labels = bucket_labels,
						       .labels_len = 2,
						       .type = REMOTE_WRITE_HISTOGRAM });
	struct remote_write_sample samples[] = { { fixture->up, ONE, TIME },
						 { fixture->idle, ONE, TIME },
						 { bucket, ONE, TIME } };
	struct remote_write_bytes bytes;

	(void)state;
	bytes = remote_write_encode(&fixture->buffer, symbols, REMOTE_WRITE_1, samples, 3);
	assert_false(has(&bytes, up, sizeof(up) - 1));
	for (symbols->turn = 1; symbols->turn < 3; symbols->turn++) {
		bytes = remote_write_encode(&fixture->buffer, symbols, REMOTE_WRITE_1, samples, 3);
		assert_true(has(&bytes, up, sizeof(up) - 1));
		assert_true(has(&bytes, cpu, sizeof(cpu) - 1));
		assert_true(has(&bytes, rpc, sizeof(rpc) - 1));
		bytes = remote_write_encode(&fixture->buffer, symbols, REMOTE_WRITE_1, samples, 3);
		assert_false(has(&bytes, up, sizeof(up) - 1));
	}
	remote_write_series_free(symbols, bucket);
	tear_down(fixture);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_version_1), cmocka_unit_test(test_version_2),
		cmocka_unit_test(test_many),      cmocka_unit_test(test_invalid),
		cmocka_unit_test(test_print),     cmocka_unit_test(test_metadata_1),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
