/* SPDX-License-Identifier: MIT */
/* The ring of the recorder: what is put is there, as far as it is not too old; where the memory is
 * full the oldest goes; a copy can be read. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <collector/writer.h>
#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/write/recorder/ring.h"
#include "plugins/write/recorder/ring_view.h"

#define SECOND MC_SECOND
#define TICK (SECOND / 10)
#define BEGIN (INT64_C(1700000000) * SECOND)

/* --- Series, without an engine ------------------------------------------------- */

struct mc_series {
	const struct mc_type *type;
	const char *name, *instance;
};

static const struct mc_type gauge = { .name = "gauge",
				      .sources_len = 1,
				      .sources = { { "value", MC_GAUGE, 0, NAN } } };
static const struct mc_type octets = { .name = "if_octets",
				       .sources_len = 2,
				       .sources = { { "rx", MC_DERIVE, 0, NAN },
						    { "tx", MC_DERIVE, 0, NAN } } };

const char *mc_name(const struct mc_series *series)
{
	return series->name;
}

const char *mc_host(const struct mc_series *series)
{
	(void)series;
	return "host";
}

const char *mc_plugin(const struct mc_series *series)
{
	(void)series;
	return "p";
}

const char *mc_plugin_instance(const struct mc_series *series)
{
	(void)series;
	return "";
}

const char *mc_type_instance(const struct mc_series *series)
{
	return series->instance;
}

/* --- The ring -------------------------------------------------------------------- */

static struct ring *make(void **memory, size_t size, mc_time window)
{
	const struct ring_settings settings = { TICK, window };

	*memory = calloc(1, size);
	assert_non_null(*memory);
	return ring_new(*memory, size, &settings);
}

struct seen {
	size_t series, samples, notes;
	mc_time first, last; /* Of the last series. */
	double sum;
	char text[64]; /* The first bytes of the notices. */
};

static bool see(void *argument, const struct ring_view_series *series)
{
	struct seen *seen = argument;

	seen->series++;
	seen->samples += series->len;
	seen->first = series->times[0];
	seen->last = series->times[series->len - 1];
	for (size_t i = 0; i < series->len; i++) {
		assert_true(i == 0 || series->times[i] > series->times[i - 1]);
		for (unsigned j = 0; j < series->sources_len; j++)
			seen->sum += series->kinds[j] == MC_GAUGE
					     ? series->values[i].gauge
					     : (double)series->values[i * series->sources_len + j]
						       .derive;
	}
	return true;
}

static bool see_note(void *argument, const void *bytes, size_t size)
{
	struct seen *seen = argument;

	(void)size;
	if (seen->notes < sizeof(seen->text) - 1)
		seen->text[seen->notes] = *(const char *)bytes;
	seen->notes++;
	return true;
}

static struct seen look(const struct ring *ring, mc_time since)
{
	struct seen seen = { 0 };
	struct ring_view view;
	size_t size;
	void *copy = ring_copy(ring, &size);

	assert_int_equal(ring_view_open(&view, copy, size), 0);
	ring_view_each(&view, since, &(struct ring_view_visitor){ NULL, see, &seen });
	ring_view_each_note(&view, since, see_note, &seen);
	free(copy);
	return seen;
}

static bool is_of_b(void *argument, const struct mc_name_parts *name)
{
	(void)argument;
	return name->type_instance_size == 1 && strstr(name->name, "-b") != NULL;
}

static void test_some_are_wanted(void **state)
{
	const struct mc_series load = { &gauge, "host/p/gauge-a", "a" };
	const struct mc_series rxtx = { &octets, "host/p/if_octets-b", "b" };
	void *memory;
	struct ring *ring = make(&memory, RING_SIZE_MIN, 60 * SECOND);
	struct ring_series *a = ring_begin_series(ring, &load), *b = ring_begin_series(ring, &rxtx);
	struct seen seen = { 0 };
	struct ring_view view;
	size_t size;
	void *copy;

	(void)state;
	for (int i = 0; i < 100; i++) {
		ring_set_time(ring, BEGIN + i * TICK);
		ring_put(ring, a, &(union mc_value){ .gauge = i });
		ring_put(ring, b, (union mc_value[]){ { .derive = i }, { .derive = 2 * i } });
	}
	copy = ring_copy(ring, &size);
	assert_int_equal(ring_view_open(&view, copy, size), 0);
	ring_view_each(&view, 0, &(struct ring_view_visitor){ is_of_b, see, &seen });
	assert_int_equal(seen.series, 1);
	free(copy);
	ring_free(ring);
	free(memory);
}

static void test_what_is_put_is_there(void **state)
{
	const struct mc_series load = { &gauge, "host/p/gauge-a", "a" };
	const struct mc_series rxtx = { &octets, "host/p/if_octets-b", "b" };
	void *memory;
	struct ring *ring = make(&memory, RING_SIZE_MIN, 60 * SECOND);
	struct ring_series *a = ring_begin_series(ring, &load), *b = ring_begin_series(ring, &rxtx);
	struct seen seen;

	(void)state;
	for (int i = 0; i < 100; i++) {
		ring_set_time(ring, BEGIN + i * TICK);
		assert_true(ring_put(ring, a, &(union mc_value){ .gauge = 0.5 }));
		/* Of the same row, as it comes a moment later. */
		ring_set_time(ring, BEGIN + i * TICK + TICK / 4);
		assert_false(ring_put(ring, a, &(union mc_value){ .gauge = 7 }));
		if (i % 2 == 0)
			assert_true(ring_put(
				ring, b, (union mc_value[]){ { .derive = 1 }, { .derive = 2 } }));
	}
	seen = look(ring, 0);
	assert_int_equal(seen.series, 2);
	assert_int_equal(seen.samples, 150);
	assert_true(seen.sum == 100 * 0.5 + 50 * 3);
	assert_int_equal(seen.first, BEGIN);
	assert_int_equal(seen.last, BEGIN + 98 * TICK);
	assert_int_equal(look(ring, BEGIN + 50 * TICK).samples, 50 + 25);
	ring_free(ring);
	free(memory);
}

/* Ten times the window: only what it needs is ever written to, and its samples are all there. */
static void test_a_window_needs_no_more(void **state)
{
	const struct mc_series one = { &gauge, "host/p/gauge-a", "a" };
	void *memory;
	struct ring *ring = make(&memory, RING_SIZE_MIN, 60 * SECOND);
	struct ring_series *series = ring_begin_series(ring, &one);
	size_t used = 0;

	(void)state;
	for (int i = 0; i < 6000; i++) {
		ring_set_time(ring, BEGIN + i * TICK);
		ring_put(ring, series, &(union mc_value){ .gauge = i * 1.1 });
		if (i == 1000)
			used = ring_used(ring);
	}
	assert_true(ring_used(ring) <= used + used / 4);
	assert_true(look(ring, BEGIN + 5400 * TICK).samples == 600);
	ring_free(ring);
	free(memory);
}

/* More series than there is memory for in the window: each keeps its newest samples. */
static void test_the_oldest_go(void **state)
{
	enum { LEN = 90 };
	struct mc_series many[LEN];
	struct ring_series *series[LEN];
	char names[LEN][32];
	void *memory;
	struct ring *ring = make(&memory, RING_SIZE_MIN, 3600 * SECOND);
	struct seen seen;

	(void)state;
	for (int i = 0; i < LEN; i++) {
		snprintf(names[i], sizeof(names[i]), "host/p/gauge-%02d", i);
		many[i] = (struct mc_series){ &gauge, names[i], names[i] + 13 };
		series[i] = ring_begin_series(ring, &many[i]);
		assert_non_null(series[i]);
	}
	for (int i = 0; i < 3000; i++) {
		ring_set_time(ring, BEGIN + i * TICK);
		for (int j = 0; j < LEN; j++)
			ring_put(ring, series[j], &(union mc_value){ .gauge = 1.0 / (i + j + 1) });
	}
	seen = look(ring, 0);
	assert_int_equal(seen.series, LEN);
	assert_true(seen.samples > 90 * 40 && seen.samples < 90 * 3000);
	assert_int_equal(seen.last, BEGIN + 2999 * TICK);
	ring_free(ring);
	free(memory);
}

/* Names of series that have ended are free when their samples are gone, and not before. */
static void test_series_end(void **state)
{
	void *memory;
	struct ring *ring = make(&memory, RING_SIZE_MIN, 10 * SECOND);
	char name[32];
	int begun = 0;

	(void)state;
	for (int i = 0; i < 5000; i++) {
		const struct mc_series one = { &gauge, name, name + 13 };
		struct ring_series *series;

		snprintf(name, sizeof(name), "host/p/gauge-%04d", i);
		ring_set_time(ring, BEGIN + i * SECOND);
		series = ring_begin_series(ring, &one);
		if (series == NULL)
			continue;
		begun++;
		ring_put(ring, series, &(union mc_value){ .gauge = 1 });
		ring_end_series(ring, series);
	}
	assert_int_equal(begun, 5000);
	assert_int_equal(look(ring, BEGIN + 4990 * SECOND).series, 10);
	ring_free(ring);
	free(memory);
}

/* Where there is no room for a series there is some when another one has ended. */
static void test_too_many_series(void **state)
{
	const struct mc_series one = { &gauge, "host/p/gauge-a", "a" };
	void *memory;
	struct ring *ring = make(&memory, RING_SIZE_MIN, 10 * SECOND);
	struct ring_series *series, *last = NULL;

	(void)state;
	while ((series = ring_begin_series(ring, &one)) != NULL)
		last = series;
	assert_non_null(last);
	assert_null(ring_begin_series(ring, &one));
	ring_end_series(ring, last);
	assert_non_null(ring_begin_series(ring, &one));
	assert_null(ring_begin_series(ring, &one));
	ring_free(ring);
	free(memory);
}

static void test_names(void **state)
{
	char name[300] = "host/p/gauge-";
	const struct mc_series longest = { &gauge, name, name + 13 };
	void *memory;
	struct ring *ring = make(&memory, RING_SIZE_MIN, 10 * SECOND);

	(void)state;
	memset(name + 13, 'x', 200);
	assert_null(ring_begin_series(ring, &longest));
	name[176] = '\0';
	assert_non_null(ring_begin_series(ring, &longest));
	ring_free(ring);
	free(memory);
}

static void test_notices(void **state)
{
	static char big[40000];
	void *memory;
	struct ring *ring = make(&memory, RING_SIZE_MIN, 10 * SECOND);
	char note[100];
	struct seen seen;

	(void)state;
	ring_put_note(ring, BEGIN, "a", 1);
	ring_put_note(ring, BEGIN + 1, "b", 1);
	ring_put_note(ring, BEGIN + 2, "c", 1);
	seen = look(ring, BEGIN + 1);
	assert_int_equal(seen.notes, 2);
	assert_string_equal(seen.text, "bc");
	assert_false(ring_put_note(ring, BEGIN, big, sizeof(big)));
	/* Many: at least a half of the room has the last ones, in their order. */
	for (int i = 0; i < 10000; i++) {
		memset(note, 'a' + i % 26, sizeof(note));
		assert_true(ring_put_note(ring, BEGIN + 10 + i, note, sizeof(note)));
	}
	seen = look(ring, 0);
	assert_true(seen.notes >= 32768 / 120 && seen.notes <= 65536 / 120);
	assert_int_equal(look(ring, BEGIN + 10 + 9999).notes, 1);
	ring_free(ring);
	free(memory);
}

static void test_foreign(void **state)
{
	static uint64_t bytes[RING_SIZE_MIN / 8];
	struct ring_view view;

	(void)state;
	assert_int_equal(ring_view_open(&view, bytes, sizeof(bytes)), -EBADMSG);
	assert_int_equal(ring_view_open(&view, bytes, 0), -EBADMSG);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_some_are_wanted),
		cmocka_unit_test(test_what_is_put_is_there),
		cmocka_unit_test(test_a_window_needs_no_more),
		cmocka_unit_test(test_the_oldest_go),
		cmocka_unit_test(test_series_end),
		cmocka_unit_test(test_too_many_series),
		cmocka_unit_test(test_names),
		cmocka_unit_test(test_notices),
		cmocka_unit_test(test_foreign),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
