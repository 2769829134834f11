/* SPDX-License-Identifier: MIT */
/* Facts: mod_status of Apache 2.4, and of lighttpd 1.4, which says BusyServers
 * and IdleServers.  Since 2.4.35 some lines come twice; the first counts. */
#include "status.h"

#include <string.h>

#include <collector/kit/number.h>

#define UNIT_BYTES 1024 /* "kBytes" */

/* The number after 'name' and blanks, if the line is of that name. */
static void take_figure(const char *line, const char *name, uint64_t unit,
			struct status_figure *figure)
{
	size_t size = strlen(name);
	uint64_t number;

	if (figure->known || strncmp(line, name, size) != 0)
		return;
	line += size;
	line += strspn(line, " \t");
	if (!mc_number_take(&line, 10, &number) || line[strspn(line, " \t\r")] > '\n' ||
	    number > (uint64_t)INT64_MAX / unit)
		return;
	*figure = (struct status_figure){ true, number * unit };
}

static void take_scoreboard(const char *line, struct status *status)
{
	static const char name[] = "Scoreboard:";

	if (status->has_scoreboard || strncmp(line, name, sizeof(name) - 1) != 0)
		return;
	line += sizeof(name) - 1;
	line += strspn(line, " \t");
	for (; *line > ' '; line++)
		status->slots[(unsigned char)*line]++;
	status->has_scoreboard = true;
}

bool status_read(const char *text, struct status *out)
{
	struct status status = { 0 };

	while (*text != '\0') {
		take_figure(text, "Total Accesses:", 1, &status.requests);
		take_figure(text, "Total kBytes:", UNIT_BYTES, &status.bytes);
		take_figure(text, "BusyWorkers:", 1, &status.busy);
		take_figure(text, "BusyServers:", 1, &status.busy);
		take_figure(text, "IdleWorkers:", 1, &status.idle);
		take_figure(text, "IdleServers:", 1, &status.idle);
		take_scoreboard(text, &status);
		text += strcspn(text, "\r\n");
		text += strspn(text, "\r\n");
	}
	if (!status.requests.known && !status.bytes.known && !status.busy.known &&
	    !status.idle.known && !status.has_scoreboard)
		return false;
	*out = status;
	return true;
}
