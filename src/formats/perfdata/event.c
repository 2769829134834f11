/* SPDX-License-Identifier: MIT */
#include "formats/perfdata/event.h"

#include <string.h>

#include <collector/kit/number.h>

#define SECONDS_MAX 9000000000u /* Of mc_time: the year 2255. */
#define TIME_KEY "TIMET::"

static bool take_time(const char *text, mc_time *time)
{
	uint64_t seconds;

	if (!mc_number_unsigned(text, 10, SECONDS_MAX, &seconds) || seconds == 0)
		return false;
	*time = (mc_time)seconds * MC_SECOND;
	return true;
}

/* The next field of a line, '\0' in the place of the tab after it; NULL at the end. */
static char *take_field(char **at)
{
	char *field = *at, *tab;

	if (field == NULL)
		return NULL;
	tab = strchr(field, '\t');
	if (tab != NULL)
		*tab++ = '\0';
	*at = tab;
	return field;
}

/* --- KEY::VALUE, in sequence ---------------------------------------------- */

struct fields { /* Of a line; a missing one is "". */
	const char *type, *time, *host, *service;
	const char *service_data, *service_command, *service_state;
	const char *service_state_type;
	const char *host_data, *host_command, *host_state, *host_state_type;
};

#define KEY(text, field)                                                                           \
	{                                                                                          \
		text, sizeof(text) - 1, offsetof(struct fields, field)                             \
	}
static const struct {
	const char *name;
	size_t size, offset;
} keys[] = {
	KEY("DATATYPE", type),
	KEY("TIMET", time),
	KEY("HOSTNAME", host),
	KEY("SERVICEDESC", service),
	KEY("SERVICEPERFDATA", service_data),
	KEY("SERVICECHECKCOMMAND", service_command),
	KEY("SERVICESTATE", service_state),
	KEY("SERVICESTATETYPE", service_state_type),
	KEY("HOSTPERFDATA", host_data),
	KEY("HOSTCHECKCOMMAND", host_command),
	KEY("HOSTSTATE", host_state),
	KEY("HOSTSTATETYPE", host_state_type),
};
#define KEYS_LEN (sizeof(keys) / sizeof(*keys))

/* Takes one field; the keys come in the order of the table in nearly all files, so that the search
 * begins after the one before.  False: it has no key. */
static bool take_pair(struct fields *fields, const char *field, size_t *next)
{
	const char *colons = strstr(field, "::");
	size_t size;

	if (colons == NULL)
		return *field == '\0';
	size = (size_t)(colons - field);
	for (size_t i = 0; i < KEYS_LEN; i++) {
		size_t at = (*next + i) % KEYS_LEN;

		if (keys[at].size != size || memcmp(keys[at].name, field, size) != 0)
			continue;
		*(const char **)((char *)fields + keys[at].offset) = colons + 2;
		*next = at + 1;
		break;
	}
	return true; /* Other keys are somebody else's. */
}

static enum event_fault read_pairs(struct event *event, char *line)
{
	struct fields fields = { "", "", "", "", "", "", "", "", "", "", "", "" };
	size_t next = 0;
	char *field;
	bool host;

	while ((field = take_field(&line)) != NULL)
		if (!take_pair(&fields, field, &next))
			return EVENT_FORM;
	host = strcmp(fields.type, "HOSTPERFDATA") == 0;
	if (!host && strcmp(fields.type, "SERVICEPERFDATA") != 0)
		return EVENT_FORM;
	if (!take_time(fields.time, &event->time))
		return EVENT_TIME;
	event->host = fields.host;
	event->service = host ? EVENT_OF_HOST : fields.service;
	event->data = host ? fields.host_data : fields.service_data;
	event->command = host ? fields.host_command : fields.service_command;
	event->state = host ? fields.host_state : fields.service_state;
	event->soft =
		strcmp(host ? fields.host_state_type : fields.service_state_type, "SOFT") == 0;
	return EVENT_GOOD;
}

/* --- Nagios' own ---------------------------------------------------------- */

/* [SERVICEPERFDATA] TIME HOST SERVICE DURATION LATENCY OUTPUT DATA, or
 * [HOSTPERFDATA] TIME HOST DURATION OUTPUT DATA.  Only OUTPUT may have tabs. */
static enum event_fault read_columns(struct event *event, char *line)
{
	const char *type = take_field(&line), *time = take_field(&line);
	bool host = strcmp(type, "[HOSTPERFDATA]") == 0;
	char *output;

	if (!host && strcmp(type, "[SERVICEPERFDATA]") != 0)
		return EVENT_FORM;
	if (time == NULL || !take_time(time, &event->time))
		return EVENT_TIME;
	event->host = take_field(&line);
	event->service = host ? EVENT_OF_HOST : take_field(&line);
	take_field(&line);
	if (!host)
		take_field(&line);
	output = line != NULL ? strrchr(line, '\t') : NULL;
	if (output == NULL)
		return EVENT_FORM;
	event->data = output + 1;
	event->command = event->state = "";
	event->soft = false;
	return EVENT_GOOD;
}

/* --- Both ----------------------------------------------------------------- */

/* "a=1 [check_remote]": the check that another monitoring system has made. */
static void take_command(struct event *event)
{
	char *data = (char *)event->data, *open;
	size_t size = strlen(data);

	while (size > 0 && data[size - 1] == ' ')
		size--;
	if (size < 2 || data[size - 1] != ']')
		return;
	open = memrchr(data, '[', size);
	if (open == NULL || (open > data && open[-1] != ' '))
		return;
	data[size - 1] = '\0';
	*open = '\0';
	event->command = open + 1;
}

enum event_fault event_read(struct event *event, char *line, size_t size)
{
	enum event_fault fault;

	if (size > 0 && line[size - 1] == '\r')
		line[--size] = '\0';
	if (size == 0)
		return EVENT_BLANK;
	if (memchr(line, '\0', size) != NULL)
		return EVENT_FORM;
	fault = line[0] == '[' ? read_columns(event, line) : read_pairs(event, line);
	if (fault != EVENT_GOOD)
		return fault;
	if (event->host[0] == '\0' || event->service[0] == '\0')
		return EVENT_NAME;
	take_command(event);
	return EVENT_GOOD;
}

mc_time event_first_time(const char *text, size_t size)
{
	const char *key = memmem(text, size, TIME_KEY, strlen(TIME_KEY));
	const char *at, *end = text + size;
	char digits[16];
	size_t len = 0;
	mc_time time;

	if (key != NULL) {
		at = key + strlen(TIME_KEY);
	} else {
		at = size > 0 && text[0] == '[' ? memchr(text, '\t', size) : NULL;
		if (at == NULL)
			return 0;
		at++;
	}
	while (at < end && *at >= '0' && *at <= '9' && len < sizeof(digits) - 1)
		digits[len++] = *at++;
	digits[len] = '\0';
	return at < end && take_time(digits, &time) ? time : 0;
}
