/* SPDX-License-Identifier: MIT */
#include "stream.h"

#include <string.h>

/* The next word, with the blank after it. */
static bool take(const char **text, char out[STREAM_PART_SIZE])
{
	size_t size = strcspn(*text, " \t\n");

	if (size == 0 || size >= STREAM_PART_SIZE)
		return false;
	memcpy(out, *text, size);
	out[size] = '\0';
	*text += size;
	if (**text == ' ')
		++*text;
	return true;
}

bool stream_parse(const char *text, struct stream *stream)
{
	struct stream found;
	char how[STREAM_PART_SIZE];

	if (!take(&text, found.generation) || !take(&text, found.uuid) || !take(&text, how) ||
	    !take(&text, found.hypervisor) || *text != '\0')
		return false;
	if (strcmp(how, "m") != 0 && strcmp(how, "-") != 0)
		return false;
	found.migrated = how[0] == 'm';
	*stream = found;
	return true;
}
