/* SPDX-License-Identifier: MIT */
#include "state_key.h"

#include <stdio.h>
#include <string.h>

size_t state_key_write(char out[STATE_KEY_SIZE], const char *group, const char *judge,
		       const char *series)
{
	int size = snprintf(out, STATE_KEY_SIZE, "%s\t%s\t%s", group, judge, series);

	return size > 0 && size < STATE_KEY_SIZE ? (size_t)size : 0;
}

/* Cuts at the tab; NULL without one. */
static char *cut(char *text)
{
	char *tab = strchr(text, '\t');

	if (tab == NULL)
		return NULL;
	*tab = '\0';
	return tab + 1;
}

enum state_key_kind state_key_read(const void *bytes, size_t size, const char *group,
				   struct state_key *out)
{
	char *judge, *series, *slash;

	if (size == 0 || size >= STATE_KEY_SIZE || memchr(bytes, '\0', size) != NULL)
		return STATE_KEY_FOREIGN;
	memcpy(out->text, bytes, size);
	out->text[size] = '\0';
	judge = cut(out->text);
	series = judge != NULL ? cut(judge) : NULL;
	slash = series != NULL ? strchr(series, '/') : NULL;
	if (slash == NULL || slash == series || *judge == '\0' || strchr(slash + 1, '/') == NULL ||
	    strchr(series, '\t') != NULL)
		return STATE_KEY_FOREIGN;
	if (strcmp(out->text, group) != 0)
		return STATE_KEY_OTHERS;
	out->judge = judge;
	out->series = series;
	return STATE_KEY_OURS;
}
