/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "The Render URL API", from / until. */
#include "period.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <collector/history.h>

#define LEAST INT64_C(0)
#define MOST (MC_HISTORY_LATEST / MC_SECOND)

static int64_t unit_of(const char *text)
{
	static const struct {
		const char *begin;
		int64_t seconds;
	} units[] = {
		{ "s", 1 },         { "min", 60 },         { "h", 3600 },        { "d", 86400 },
		{ "w", 7 * 86400 }, { "mon", 30 * 86400 }, { "y", 365 * 86400 },
	};

	for (size_t i = 0; i < sizeof(units) / sizeof(*units); i++)
		if (strncmp(text, units[i].begin, strlen(units[i].begin)) == 0)
			return units[i].seconds;
	return 0;
}

bool period_read(const char *text, int64_t now, int64_t *seconds)
{
	bool back;
	long long number;
	char *end;

	if (strncmp(text, "now", 3) == 0) {
		text += 3;
		if (*text == '\0') {
			*seconds = now;
			return true;
		}
	}
	back = *text == '-';
	errno = 0;
	number = strtoll(text + back, &end, 10);
	if (end == text + back || errno != 0 || number < 0 || number > MOST)
		return false;
	if (back && (unit_of(end) == 0 || number > MOST / unit_of(end)))
		return false;
	if (!back && *end != '\0')
		return false;
	*seconds = back ? now - number * unit_of(end) : number;
	if (*seconds < LEAST)
		*seconds = LEAST;
	return true;
}
