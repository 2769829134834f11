/* SPDX-License-Identifier: MIT */
#include "place.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

/* The host ends at the last ':', or is in brackets. */
static bool split_host(char *host, struct place *place)
{
	char *end = strrchr(host, ':');

	if (host[0] == '[') {
		host++;
		end = strchr(host, ']');
		if (end == NULL || (end[1] != ':' && end[1] != '\0'))
			return false;
		*end = '\0';
		end = end[1] == ':' ? end + 1 : NULL;
	}
	if (end != NULL) {
		*end = '\0';
		place->port = end + 1;
	}
	place->host = host;
	return host[0] != '\0' && place->port[0] != '\0';
}

bool place_read(const char *text, struct place *place)
{
	char *copy = mc_alloc_copy(text), *at = strchr(copy, '@');

	*place = (struct place){ .name = copy, .host = "localhost", .port = "3493" };
	if (at != NULL)
		*at = '\0';
	if (copy[0] != '\0' && strpbrk(copy, " \t\"\\/") == NULL &&
	    (at == NULL || split_host(at + 1, place)))
		return true;
	place_free(place);
	return false;
}

void place_free(struct place *place)
{
	free(place->name);
	*place = (struct place){ 0 };
}
