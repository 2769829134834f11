/* SPDX-License-Identifier: MIT */
/* Numbers as a person reads them. */
#include "ctl/print/human.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#define MINUTE 60.0
#define HOUR 3600.0
#define DAY 86400.0

/* Three significant digits, without an exponent: 1.23, 12.3, 123. */
static struct human three_digits(double value, const char *unit)
{
	struct human out;
	int decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;

	snprintf(out.text, sizeof(out.text), "%.*f%s", decimals, value, unit);
	return out;
}

static struct human two_parts(double seconds, double large, double small, const char *fmt)
{
	struct human out;
	/* Rounded first, so that no part can become "60". */
	double parts = round(seconds / small);
	double per = large / small;

	snprintf(out.text, sizeof(out.text), fmt, floor(parts / per), fmod(parts, per));
	return out;
}

static struct human positive_seconds(double seconds)
{
	struct human out;

	if (seconds == floor(seconds) && seconds < 2 * MINUTE) {
		snprintf(out.text, sizeof(out.text), "%.0f s", seconds);
		return out;
	}
	if (seconds < 0.9995e-3)
		return three_digits(seconds * 1e6, " us");
	if (seconds < 0.9995)
		return three_digits(seconds * 1e3, " ms");
	if (seconds < 2 * MINUTE - 0.5)
		return three_digits(seconds, " s");
	if (seconds < HOUR - 0.5)
		return two_parts(seconds, MINUTE, 1, "%.0f min %02.0f s");
	if (seconds < DAY - MINUTE / 2)
		return two_parts(seconds, HOUR, MINUTE, "%.0f h %02.0f min");
	return two_parts(seconds, DAY, HOUR, "%.0f d %02.0f h");
}

struct human human_seconds(double seconds)
{
	struct human out = { "-" };

	if (isnan(seconds))
		return out;
	if (seconds == 0)
		return (struct human){ "0" };
	if (seconds > 0)
		return positive_seconds(seconds);

	struct human positive = positive_seconds(-seconds);

	memcpy(out.text + 1, positive.text, sizeof(out.text) - 2);
	return out;
}

struct human human_ago(double seconds)
{
	struct human out;

	if (seconds < 1)
		return (struct human){ "just now" };
	snprintf(out.text, sizeof(out.text), "%.26s ago", human_seconds(seconds).text);
	return out;
}

struct human human_bytes(double bytes)
{
	static const char *const units[] = { " KiB", " MiB", " GiB", " TiB", " PiB" };
	struct human out;
	size_t unit = 0;

	if (isnan(bytes))
		return (struct human){ "-" };
	if (bytes < 999.5) {
		snprintf(out.text, sizeof(out.text), "%.0f B", bytes);
		return out;
	}
	bytes /= 1024;
	while (bytes >= 999.5 && unit < sizeof(units) / sizeof(*units) - 1) {
		bytes /= 1024;
		unit++;
	}
	return three_digits(bytes, units[unit]);
}

struct human human_count(double count)
{
	static const char *const units[] = { " k", " M", " G", " T", " P" };
	struct human out;
	size_t unit = 0;

	if (isnan(count))
		return (struct human){ "-" };
	if (count < 9999.5) {
		unsigned n = (unsigned)(count + 0.5);

		if (n < 1000)
			snprintf(out.text, sizeof(out.text), "%u", n);
		else
			snprintf(out.text, sizeof(out.text), "%u,%03u", n / 1000, n % 1000);
		return out;
	}
	count /= 1000;
	while (count >= 999.5 && unit < sizeof(units) / sizeof(*units) - 1) {
		count /= 1000;
		unit++;
	}
	return three_digits(count, units[unit]);
}

struct human human_value(double value)
{
	struct human out;

	if (isnan(value))
		return (struct human){ "-" };
	/* Whole numbers in full as long as a double holds them exactly. */
	if (value == trunc(value) && fabs(value) < 1e15)
		snprintf(out.text, sizeof(out.text), "%.0f", value);
	else
		snprintf(out.text, sizeof(out.text), "%.4g", value);
	return out;
}

struct human human_share(double share)
{
	if (isnan(share))
		return (struct human){ "-" };
	if (share < 0.000005)
		return (struct human){ "0 %" };
	return three_digits(share * 100, " %");
}

struct human human_clock(double time, double now)
{
	struct human out;
	time_t at = (time_t)time, today = (time_t)now;
	struct tm tm, tm_now;

	localtime_r(&at, &tm);
	localtime_r(&today, &tm_now);
	if (tm.tm_year == tm_now.tm_year && tm.tm_yday == tm_now.tm_yday)
		strftime(out.text, sizeof(out.text), "%H:%M:%S", &tm);
	else
		strftime(out.text, sizeof(out.text), "%Y-%m-%d %H:%M:%S", &tm);
	return out;
}
