/* SPDX-License-Identifier: MIT */
/* Facts: doc/protocol.txt of memcached, "General-purpose statistics". */
#include "stats.h"

#include <string.h>

#include <collector/kit/number.h>

enum stats_line stats_read(char *line, struct stats_stat *stat)
{
	static const char word[] = "STAT ";
	char *name = line + sizeof(word) - 1, *blank;
	struct stats_stat found;

	if (strcmp(line, "END") == 0)
		return STATS_END;
	if (strncmp(line, word, sizeof(word) - 1) != 0)
		return STATS_BAD;
	blank = strchr(name, ' ');
	if (blank == NULL || blank == name)
		return STATS_BAD;
	*blank = '\0';
	if (!mc_number_double(blank + 1, &found.level))
		return STATS_TEXT;
	found.name = name;
	if (!mc_number_signed(blank + 1, INT64_MIN, INT64_MAX, &found.total))
		found.total = found.level > -1e18 && found.level < 1e18 ? (int64_t)found.level : 0;
	*stat = found;
	return STATS_VALUE;
}
