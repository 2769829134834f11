/* SPDX-License-Identifier: MIT */
/* Followers of the stream: the lines of each, and the reports of lost ones. */
#include "tap.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <collector/writer.h>

/* Of the core: a batch of one sample, whose series is its type and its name. */
struct mc_batch {
	struct mc_sample *sample;
};

struct mc_series {
	const struct mc_type *type;
	const char *name;
};

static const struct mc_type derive = {
	.name = "derive",
	.sources_len = 1,
	.sources = { { .name = "value", .kind = MC_DERIVE } },
};

const struct mc_sample *mc_next_shown(const struct mc_batch *batch, const struct mc_sample *sample)
{
	(void)batch;
	return sample;
}

const char *mc_name(const struct mc_series *series)
{
	return series->name;
}

static void give(struct tap_board *board, const char *name, int64_t value)
{
	struct mc_sample *sample = calloc(1, sizeof(*sample) + 2 * sizeof(union mc_value));
	struct mc_series series = { &derive, name };
	struct mc_batch batch = { sample };

	sample->series = &series;
	sample->time = 1182204284 * MC_SECOND;
	sample->interval = 10 * MC_SECOND;
	sample->values_len = 1;
	sample->values[0].derive = value;
	tap_batch(board, &batch);
	free(sample);
}

static void assert_taken(struct tap_board *board, struct tap *tap, const char *expected)
{
	struct mc_buffer out = { 0 };

	tap_take(board, tap, &out);
	reply_add(&out, "", 1);
	assert_string_equal(out.at, expected);
	mc_buffer_free(&out);
}

static void each_gets_what_it_asked_for(void **state)
{
	struct tap_board board;

	(void)state;
	assert_int_equal(tap_init(&board), 0);

	struct tap *all = tap_open(&board, NULL);
	struct tap *some = tap_open(&board, "h/cpu*");

	assert_int_equal(tap_len(&board), 2);
	give(&board, "h/cpu-0/derive", 1);
	give(&board, "h/if eth0/derive", 2);
	assert_taken(&board, all,
		     "PUTVAL h/cpu-0/derive interval=10 1182204284:1\n"
		     "PUTVAL \"h/if eth0/derive\" interval=10 1182204284:2\n");
	assert_taken(&board, some, "PUTVAL h/cpu-0/derive interval=10 1182204284:1\n");
	assert_taken(&board, some, "");
	tap_close(&board, all);
	assert_int_equal(tap_len(&board), 1);
	tap_done(&board);
}

static void notifications_are_one_line(void **state)
{
	struct mc_notification notification = {
		.severity = MC_WARNING,
		.time = 1182204284 * MC_SECOND,
		.id = { .host = "h", .plugin = "cpu", .type_instance = "" },
		.message = "one \"line\"\nor two",
		.fields = (const struct mc_field[]){ { "disk", "v d" }, { "none", "" } },
		.fields_len = 2,
	};
	struct tap_board board;

	(void)state;
	assert_int_equal(tap_init(&board), 0);

	struct tap *some = tap_open(&board, "h/cpu/*");
	struct tap *other = tap_open(&board, "h/disk*");

	tap_notification(&board, &notification);
	assert_taken(&board, some,
		     "PUTNOTIF severity=warning time=1182204284 host=h "
		     "plugin=cpu s:disk=\"v d\" "
		     "message=\"one \\\"line\\\" or two\"\n");
	assert_taken(&board, other, "");
	tap_done(&board);
}

/* The gap is where LOST is: nothing is added after it before the report. */
static void the_slow_are_told_of_every_line(void **state)
{
	static const size_t line = sizeof("PUTVAL h/cpu-0/derive interval=10 "
					  "1182204284:1") -
				   1 + 1;
	size_t fit = TAP_MAX / line;
	struct mc_buffer out = { 0 };
	struct tap_board board;
	char last[32];

	(void)state;
	assert_int_equal(tap_init(&board), 0);

	struct tap *tap = tap_open(&board, NULL);

	for (size_t i = 0; i < fit + 7; i++)
		give(&board, "h/cpu-0/derive", 1);
	tap_take(&board, tap, &out);
	assert_true(out.size > fit * line && out.size < TAP_MAX + 64);
	snprintf(last, sizeof(last), "%.*s", 7, out.at + out.size - sizeof("LOST 7\n") + 1);
	assert_string_equal(last, "LOST 7\n");
	mc_buffer_free(&out);
	give(&board, "h/cpu-0/derive", 2);
	assert_taken(&board, tap, "PUTVAL h/cpu-0/derive interval=10 1182204284:2\n");
	tap_done(&board);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(each_gets_what_it_asked_for),
		cmocka_unit_test(notifications_are_one_line),
		cmocka_unit_test(the_slow_are_told_of_every_line),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
