/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "The Render URL API", from / until. */
#include "period.h"

#include <ctype.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <collector/history.h>
#include <collector/kit/number.h>

#define LEAST INT64_C(0)
#define MOST (MC_HISTORY_LATEST / MC_SECOND)
#define DAY 86400
#define CENTURY (INT64_C(100) * 366 * DAY)
#define TEXT_SIZE 64

/* --- Intervals ------------------------------------------------------------ */

static int64_t unit_of(const char *text)
{
	static const struct {
		const char *begin;
		int64_t seconds;
	} units[] = {
		{ "s", 1 },       { "min", 60 },       { "h", 3600 },      { "d", DAY },
		{ "w", 7 * DAY }, { "mon", 30 * DAY }, { "y", 365 * DAY },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strncmp(text, units[i].begin, strlen(units[i].begin)) == 0)
			return units[i].seconds;
	return 0;
}

bool period_interval(const char *text, int64_t *seconds)
{
	int64_t sign = *text == '-' ? -1 : 1, sum = 0;

	text += *text == '-' || *text == '+';
	if (*text == '\0')
		return false;
	while (*text != '\0') {
		uint64_t number;

		if (!mc_number_take(&text, 10, &number) || number > CENTURY)
			return false;
		if (unit_of(text) == 0 || number > (uint64_t)(CENTURY / unit_of(text)))
			return false;
		sum += (int64_t)number * unit_of(text);
		if (sum > CENTURY)
			return false;
		while (isalpha((unsigned char)*text))
			text++;
	}
	*seconds = sign * sum;
	return true;
}

/* --- Days and hours -------------------------------------------------------- */

/* "18:30", "6pm", "noon" and others, which are cut from the text, as seconds of a day; false for
 * an hour that does not exist. */
static bool take_hour(const char **text, int64_t *seconds)
{
	static const struct {
		const char *name;
		int64_t hour;
	} names[] = { { "noon", 12 }, { "midnight", 0 }, { "teatime", 16 } };
	const char *at = *text;
	uint64_t hour, minute = 0;

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		if (strncmp(at, names[i].name, strlen(names[i].name)) == 0) {
			*text = at + strlen(names[i].name);
			*seconds = names[i].hour * 3600;
			return true;
		}
	if (!mc_number_take(&at, 10, &hour) || hour > 23)
		return true; /* It is a day. */
	if (*at == ':') {
		at++;
		if (!mc_number_take(&at, 10, &minute) || minute > 59)
			return false;
	} else if (strncmp(at, "am", 2) != 0 && strncmp(at, "pm", 2) != 0) {
		return true;
	}
	if (strncmp(at, "pm", 2) == 0)
		hour = (hour + 12) % 24;
	at += strncmp(at, "am", 2) == 0 || strncmp(at, "pm", 2) == 0 ? 2 : 0;
	*text = at;
	*seconds = (int64_t)(hour * 3600 + minute * 60);
	return true;
}

/* Midnight of a date that exists. */
static bool find_date(uint64_t year, uint64_t month, uint64_t day, int64_t *seconds)
{
	struct tm date = { .tm_year = (int)year - 1900,
			   .tm_mon = (int)month - 1,
			   .tm_mday = (int)day };

	if (year < 1970 || year > 2100 || month < 1 || month > 12 || day < 1 || day > 31)
		return false;
	*seconds = timegm(&date);
	return date.tm_mday == (int)day;
}

/* "20240131" or "01/31/24". */
static bool read_date(const char *text, int64_t *seconds)
{
	uint64_t month, day, year;

	if (strlen(text) == 8 && mc_number_unsigned(text, 10, 99999999, &year))
		return find_date(year / 10000, year / 100 % 100, year % 100, seconds);
	if (!mc_number_take(&text, 10, &month) || *text++ != '/' ||
	    !mc_number_take(&text, 10, &day) || *text++ != '/' ||
	    !mc_number_take(&text, 10, &year) || *text != '\0')
		return false;
	if (year < 100)
		year += year < 70 ? 2000 : 1900;
	return find_date(year, month, day, seconds);
}

/* Midnight of "monday", the last one, or "today". */
static bool read_day(const char *text, int64_t today, int64_t *seconds)
{
	static const char *const days[] = { "sun", "mon", "tue", "wed", "thu", "fri", "sat" };
	static const char *const near[] = { "yesterday", "today", "tomorrow" };
	int64_t of_week = (today / DAY + 4) % 7; /* 1970 began with a Thursday. */

	for (int i = 0; i < 3; i++)
		if (strcmp(text, near[i]) == 0) {
			*seconds = today + (i - 1) * DAY;
			return true;
		}
	for (int i = 0; i < 7; i++)
		if (strncmp(text, days[i], 3) == 0) {
			*seconds = today - (of_week - i + 7) % 7 * DAY;
			return true;
		}
	return read_date(text, seconds);
}

static bool read_reference(const char *text, int64_t now, int64_t *seconds)
{
	int64_t hour = 0, day = now - now % DAY;

	if (*text == '\0' || strcmp(text, "now") == 0) {
		*seconds = now;
		return true;
	}
	if (!take_hour(&text, &hour) || (*text != '\0' && !read_day(text, day, &day)))
		return false;
	*seconds = day + hour;
	return true;
}

/* --- All ------------------------------------------------------------------- */

/* In small letters, without '_', ',' and blanks; false: it is too long. */
static bool simplify(char out[TEXT_SIZE], const char *text)
{
	size_t size = 0;

	for (; *text != '\0'; text++) {
		if (strchr("_, ", *text) != NULL)
			continue;
		if (size + 1 == TEXT_SIZE)
			return false;
		out[size++] = (char)tolower((unsigned char)*text);
	}
	out[size] = '\0';
	return size > 0;
}

bool period_read(const char *text, int64_t now, int64_t *seconds)
{
	char plain[TEXT_SIZE], offset[TEXT_SIZE];
	int64_t interval = 0, found;
	uint64_t number;
	size_t size;

	if (!simplify(plain, text))
		return false;
	if (mc_number_unsigned(plain, 10, MOST, &number) && !read_date(plain, &found)) {
		*seconds = (int64_t)number;
		return true;
	}
	size = strcspn(plain, "+-");
	memcpy(offset, plain + size, strlen(plain + size) + 1);
	plain[size] = '\0';
	if (offset[0] != '\0' && !period_interval(offset, &interval))
		return false;
	if (!read_reference(plain, now, &found))
		return false;
	found += interval;
	*seconds = found < LEAST ? LEAST : found > MOST ? MOST : found;
	return true;
}
