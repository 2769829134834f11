/* SPDX-License-Identifier: MIT */
#include "engine/alerts/alerts_line.h"

#include <collector/judge.h>

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIELDS 6

static const char *const kinds[] = {
	[ALERTS_LINE_STATE] = "state",
	[ALERTS_LINE_ACKNOWLEDGED] = "acknowledged",
	[ALERTS_LINE_SILENCE] = "silence",
	[ALERTS_LINE_PAST] = "past",
};

static bool read_number(const char *text, int64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoll(text, &end, 10);
	return end != text && *end == '\0' && errno == 0;
}

static bool read_kind(const char *text, enum alerts_line_kind *out)
{
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (strcmp(text, kinds[i]) == 0) {
			*out = (enum alerts_line_kind)i;
			return true;
		}
	return false;
}

static bool is_severity(int64_t number)
{
	return number == MC_FAILURE || number == MC_WARNING || number == MC_OKAY;
}

static bool is_possible(const struct alerts_line *line)
{
	switch (line->kind) {
	case ALERTS_LINE_STATE:
		return line->first != MC_OKAY && is_severity(line->first);
	case ALERTS_LINE_PAST:
		return is_severity(line->first);
	case ALERTS_LINE_ACKNOWLEDGED:
		return line->first > 0 && line->first < MC_STATES;
	case ALERTS_LINE_SILENCE:
		break;
	}
	return true;
}

bool alerts_line_parse(char *line, struct alerts_line *out)
{
	char *fields[FIELDS];
	struct alerts_line one;

	for (size_t i = 0; i < FIELDS; i++) {
		fields[i] = strsep(&line, "\t");
		if (fields[i] == NULL)
			return false;
	}
	one = (struct alerts_line){ .name = fields[1], .text = fields[4], .more = fields[5] };
	if (line != NULL || !read_kind(fields[0], &one.kind) || one.name[0] == '\0' ||
	    strlen(one.name) >= ALERTS_LINE_NAME_SIZE || !read_number(fields[2], &one.first) ||
	    !read_number(fields[3], &one.second) || !is_possible(&one))
		return false;
	*out = one;
	return true;
}

size_t alerts_line_print(const struct alerts_line *line, char out[ALERTS_LINE_SIZE])
{
	int size = snprintf(out, ALERTS_LINE_SIZE, "%s\t%s\t%" PRId64 "\t%" PRId64 "\t%s\t%s\n",
			    kinds[line->kind], line->name, line->first, line->second, line->text,
			    line->more);

	return size > 0 && size < ALERTS_LINE_SIZE ? (size_t)size : 0;
}
