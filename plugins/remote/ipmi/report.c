/* SPDX-License-Identifier: MIT */
#include "report.h"

#include <string.h>

#include <collector/kit/number.h>

#define SECONDS_MAX UINT64_C(9000000000)

/* The next field, and moves on; NULL without one. */
static char *take(char **rest)
{
	char *field = *rest, *end;

	if (field == NULL)
		return NULL;
	end = strchr(field, '\t');
	if (end != NULL)
		*end++ = '\0';
	*rest = end;
	return field;
}

static bool take_number(char **rest, uint64_t max, uint64_t *number)
{
	const char *field = take(rest);

	return field != NULL && mc_number_unsigned(field, 10, max, number);
}

static bool take_id(char **rest, struct report *report)
{
	uint64_t id;

	if (!take_number(rest, UINT32_MAX, &id))
		return false;
	report->id = (unsigned)id;
	return true;
}

static bool take_series(char **rest, struct report *report)
{
	report->type = take(rest);
	report->type_instance = take(rest);
	report->text = take(rest);
	return report->text != NULL;
}

static bool take_event(char **rest, struct report *report)
{
	uint64_t severity, seconds;

	if (!take_number(rest, MC_OKAY, &severity) || !take_number(rest, SECONDS_MAX, &seconds) ||
	    (severity != MC_FAILURE && severity != MC_WARNING && severity != MC_OKAY) ||
	    !take_series(rest, report))
		return false;
	report->severity = (enum mc_severity)severity;
	report->time = (mc_time)seconds * MC_SECOND;
	while (*rest != NULL && report->fields_len < MC_FIELDS_MAX) {
		char *name = take(rest), *value = strchr(name, '=');

		if (value == NULL)
			return false;
		*value++ = '\0';
		report->fields[report->fields_len++] =
			(struct mc_field){ .name = name, .value = value };
	}
	return true;
}

static bool take_fields(char **rest, struct report *report)
{
	const char *value;

	switch (report->letter) {
	case '.':
	case 'u':
		return true;
	case 'd':
	case 'i':
		report->why = take(rest);
		return report->why != NULL;
	case 'e':
		return take_event(rest, report);
	case '-':
	case 'n':
		return take_id(rest, report);
	case '+':
		return take_id(rest, report) && take_series(rest, report);
	case 'f':
		if (!take_id(rest, report))
			return false;
		report->why = take(rest);
		return report->why != NULL;
	case 'v':
		value = take_id(rest, report) ? take(rest) : NULL;
		return value != NULL && mc_number_double(value, &report->value);
	default:
		return false;
	}
}

bool report_read(char *line, struct report *report)
{
	char *rest = line;
	const char *letter = take(&rest);

	*report = (struct report){ .letter = letter[0] };
	return letter[0] != '\0' && letter[1] == '\0' && take_fields(&rest, report) && rest == NULL;
}
