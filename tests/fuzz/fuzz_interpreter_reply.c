/* SPDX-License-Identifier: MIT */
/* Any line as one of the program of a module. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "kit/series/interpreter/reply.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check(const char *line, const struct reply *reply)
{
	const char *end = line + strlen(line);

	if (reply->verb == REPLY_REGISTER || reply->verb == REPLY_UNREGISTER) {
		assert(reply->kind < REPLY_KINDS);
		assert(reply->interval >= 0);
	}
	if (reply->verb == REPLY_LOG)
		assert(reply->level <= MC_DEBUG);
	if (reply->verb == REPLY_LOG || reply->verb == REPLY_TYPE || reply->verb == REPLY_FAILED)
		assert(reply->text > line && reply->text <= end);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = calloc(1, size + 1), *rest = text, *line;
	struct reply reply;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	while ((line = strsep(&rest, "\n")) != NULL)
		if (reply_read(line, &reply))
			check(line, &reply);
	free(text);
	return 0;
}
