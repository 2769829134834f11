/* SPDX-License-Identifier: MIT */
/* Facts: the reference of Redis, command INFO. */
#include "info.h"

#include <string.h>

#include <collector/kit/number.h>

bool info_next(char **at, struct info_field *field)
{
	char *line, *colon;

	while (**at != '\0') {
		line = *at + strspn(*at, "\r\n");
		*at = line + strcspn(line, "\r\n");
		if (**at != '\0')
			*(*at)++ = '\0';
		colon = strchr(line, ':');
		if (line[0] == '#' || colon == NULL)
			continue;
		*colon = '\0';
		*field = (struct info_field){ line, colon + 1 };
		return true;
	}
	return false;
}

bool info_number(const char *value, double *level, int64_t *total)
{
	const char *at = value;
	uint64_t digits;

	if (*at < '0' || *at > '9' || !mc_number_take_double(&at, level))
		return false;
	at = value;
	*total = mc_number_take(&at, 10, &digits) && digits <= INT64_MAX ? (int64_t)digits : -1;
	return true;
}

bool info_item(const char *list, const char *name, double *level, int64_t *total)
{
	size_t size = strlen(name);

	for (const char *at = list; at != NULL; at = strchr(at, ',')) {
		at += *at == ',';
		if (strncmp(at, name, size) == 0 && at[size] == '=')
			return info_number(at + size + 1, level, total);
	}
	return false;
}
