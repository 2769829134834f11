/* SPDX-License-Identifier: MIT */
/* Times and durations as people write them. */
#include "ctl/answer/when.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#define NOW (1800000000 * MC_SECOND) /* 2027-01-15 08:00:00 UTC, 09:00:00 there. */

static void durations(void **state)
{
	static const struct {
		const char *text;
		double seconds; /* 0: invalid. */
	} cases[] = {
		{ "90", 90 },         { "90s", 90 },      { "15m", 900 },
		{ "1h", 3600 },       { "1h30m", 5400 },  { "2d", 172800 },
		{ "1w", 604800 },     { "1y", 31536000 }, { "0.5", 0.5 },
		{ "1.5h", 5400 },     { "", 0 },          { "0", 0 },
		{ "h", 0 },           { "1 h", 0 },       { "-1h", 0 },
		{ "1h30", 0 },        { "1e3", 0 },       { "1x", 0 },
		{ "99999999999", 0 }, { "inf", 0 },       { "0x10", 0 },
		{ "1hh", 0 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		mc_time duration = -1;
		bool valid = when_duration(cases[i].text, &duration);

		if (valid != (cases[i].seconds > 0))
			fail_msg("'%s'", cases[i].text);
		assert_int_equal(duration, valid ? (mc_time)(cases[i].seconds * MC_SECOND) : -1);
	}
}

static void times(void **state)
{
	static const struct {
		const char *text;
		int64_t seconds;
	} cases[] = {
		{ "now", 1800000000 },
		{ "N", 1800000000 },
		{ "1700000000", 1700000000 },
		{ "0", 0 },
		{ "1h", 1800000000 - 3600 },
		{ "-1h30m", 1800000000 - 5400 },
		{ "08:59", 1800000000 - 60 },
		{ "08:59:30", 1800000000 - 30 },
		{ "09:00", 1800000000 },
		{ "17:02", 1800000000 + 8 * 3600 + 120 - 86400 }, /* Yesterday. */
		{ "today", 1800000000 - 9 * 3600 },
		{ "yesterday", 1800000000 - 33 * 3600 },
		{ "2027-01-14", 1800000000 - 33 * 3600 },
		{ "2027-01-14 10:30", 1800000000 - 33 * 3600 + 37800 },
		{ "2027-01-14T10:30:05", 1800000000 - 33 * 3600 + 37805 },
	};

	(void)state;
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		mc_time time = -1;

		if (!when_time(cases[i].text, NOW, &time) || time != cases[i].seconds * MC_SECOND)
			fail_msg("'%s' is %lld", cases[i].text, (long long)(time / MC_SECOND));
	}
}

static void no_times(void **state)
{
	static const char *const texts[] = { "",           "foo",         "25:00",
					     "9:00",       "10:60",       "2027-13-01",
					     "2027-1-1",   "2027-01-01 ", "--1h",
					     "2027-01-00", "99999999999", "10:00:00x",
					     "1800-01-01" };

	(void)state;
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		mc_time time = -1;

		if (when_time(texts[i], NOW, &time))
			fail_msg("'%s' is %lld", texts[i], (long long)(time / MC_SECOND));
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(durations),
		cmocka_unit_test(times),
		cmocka_unit_test(no_times),
	};

	setenv("TZ", "CET-1", 1);
	tzset();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
