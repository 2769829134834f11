/* SPDX-License-Identifier: MIT */
#include "formats/rrd/munin_datafile.h"

#include <stddef.h>
#include <string.h>

/* Ends the text at the last 'mark' and gives what follows; NULL without one. */
static char *cut_last(char *text, char mark)
{
	char *at = strrchr(text, mark);

	if (at == NULL)
		return NULL;
	*at = '\0';
	return at + 1;
}

bool mc_munin_datafile_field(char *line, struct mc_munin_field *out)
{
	char *service, *key, *field, *host;

	line[strcspn(line, " \n")] = '\0';
	service = strchr(line, ':');
	if (service == NULL)
		return false;
	*service++ = '\0';
	key = cut_last(service, '.');
	if (key == NULL || strcmp(key, "label") != 0)
		return false;
	field = cut_last(service, '.');
	host = cut_last(line, ';');
	if (field == NULL || host == NULL || *line == '\0' || *host == '\0' || *service == '\0' ||
	    *field == '\0')
		return false;
	*out = (struct mc_munin_field){ line, host, service, field };
	return true;
}
