/* SPDX-License-Identifier: MIT */
#include "ctl/answer/when.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#define SECONDS_MAX 4e9 /* In 2096. */

/* A number without sign and exponent: digits, and perhaps a fraction. */
static const char *read_number(const char *text, double *number)
{
	size_t digits = strspn(text, "0123456789");
	char copy[24];

	if (digits == 0)
		return NULL;
	if (text[digits] == '.')
		digits += 1 + strspn(text + digits + 1, "0123456789");
	if (digits >= sizeof(copy))
		return NULL;
	memcpy(copy, text, digits);
	copy[digits] = '\0';
	*number = strtod(copy, NULL);
	return text + digits;
}

static double unit_seconds(char letter)
{
	static const struct {
		char letter;
		double seconds;
	} units[] = { { 's', 1 },     { 'm', 60 },     { 'h', 3600 },
		      { 'd', 86400 }, { 'w', 604800 }, { 'y', 365 * 86400.0 } };

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (units[i].letter == letter)
			return units[i].seconds;
	return 0;
}

bool when_duration(const char *text, mc_time *duration)
{
	double sum = 0, number;
	const char *end = read_number(text, &number);

	if (end != NULL && *end == '\0') { /* Seconds, without a unit. */
		sum = number;
	} else {
		while (*text != '\0') {
			end = read_number(text, &number);
			if (end == NULL || unit_seconds(*end) == 0)
				return false;
			sum += number * unit_seconds(*end);
			text = end + 1;
		}
	}
	if (!(sum > 0) || sum > SECONDS_MAX)
		return false;
	*duration = (mc_time)(sum * MC_SECOND);
	return *duration > 0;
}

/* --- Clocks and calendars --------------------------------------------------- */

/* Two digits, of at most 'most'. */
static const char *read_two(const char *text, int most, int *number)
{
	if (text[0] < '0' || text[0] > '9' || text[1] < '0' || text[1] > '9')
		return NULL;
	*number = 10 * (text[0] - '0') + text[1] - '0';
	return *number <= most ? text + 2 : NULL;
}

/* "17:02", "17:02:30" */
static bool read_clock(const char *text, struct tm *tm)
{
	text = read_two(text, 23, &tm->tm_hour);
	if (text == NULL || *text != ':')
		return false;
	text = read_two(text + 1, 59, &tm->tm_min);
	tm->tm_sec = 0;
	if (text != NULL && *text == ':')
		text = read_two(text + 1, 59, &tm->tm_sec);
	return text != NULL && *text == '\0';
}

/* "2026-11-24", and perhaps a clock after it. */
static bool read_date(const char *text, struct tm *tm)
{
	int century, year;

	text = read_two(text, 20, &century);
	if (text != NULL)
		text = read_two(text, 99, &year);
	if (text == NULL || *text != '-' || century < 19)
		return false;
	text = read_two(text + 1, 12, &tm->tm_mon);
	if (text == NULL || *text != '-')
		return false;
	text = read_two(text + 1, 31, &tm->tm_mday);
	if (text == NULL || tm->tm_mon == 0 || tm->tm_mday == 0)
		return false;
	tm->tm_year = 100 * century + year - 1900;
	tm->tm_mon--;
	tm->tm_hour = tm->tm_min = tm->tm_sec = 0;
	return *text == '\0' || ((*text == ' ' || *text == 'T') && read_clock(text + 1, tm));
}

static bool read_local(const char *text, mc_time now, mc_time *time)
{
	time_t seconds = (time_t)(now / MC_SECOND);
	bool clock;
	struct tm tm;

	localtime_r(&seconds, &tm);
	tm.tm_isdst = -1;
	clock = read_clock(text, &tm);
	if (!clock && strcmp(text, "today") != 0 && strcmp(text, "yesterday") != 0) {
		if (!read_date(text, &tm))
			return false;
	} else if (!clock) {
		tm.tm_hour = tm.tm_min = tm.tm_sec = 0;
		tm.tm_mday -= *text == 'y';
	}
	seconds = mktime(&tm);
	if (clock && seconds > now / MC_SECOND) {
		tm.tm_mday--;
		tm.tm_isdst = -1;
		seconds = mktime(&tm);
	}
	*time = (mc_time)seconds * MC_SECOND;
	return seconds >= 0;
}

bool when_time(const char *text, mc_time now, mc_time *time)
{
	mc_time ago;
	double number;
	const char *end = read_number(text, &number);

	if (strcmp(text, "now") == 0 || strcmp(text, "N") == 0) {
		*time = now;
		return true;
	}
	if (end != NULL && *end == '\0') {
		if (number > SECONDS_MAX)
			return false;
		*time = (mc_time)(number * MC_SECOND);
		return true;
	}
	if (when_duration(text + (*text == '-'), &ago)) {
		*time = ago < now ? now - ago : 0;
		return true;
	}
	return read_local(text, now, time);
}
