/* SPDX-License-Identifier: MIT */
#include "answer.h"

#include <stdlib.h>
#include <string.h>

static bool says(const char *body, const char *const *texts)
{
	for (; *texts != NULL; texts++)
		if (strstr(body, *texts) != NULL)
			return true;
	return false;
}

enum answer_why answer_why(const char *body)
{
	static const char *const old[] = { "too old sample", "out of bounds",
					   "err-mimir-sample-out-of-order-window",
					   "too far in the past", NULL };
	static const char *const there[] = { "out of order", "out-of-order", "duplicate sample",
					     "duplicate-timestamp", NULL };

	if (says(body, old))
		return ANSWER_WHY_OLD;
	return says(body, there) ? ANSWER_WHY_THERE : ANSWER_WHY_OTHER;
}

/* A gateway may say 200 of what it could not pass on. */
static bool is_error(const char *body)
{
	static const char *const texts[] = { "\"status\":\"error\"",
					     "\"status\": \"error\"",
					     "\"error\":",
					     "<html",
					     "<HTML",
					     NULL };

	return says(body, texts);
}

/* A receiver that knows 1.0 alone finds nothing in a request of 2.0, and says 2xx: the header of
 * the counts is what shows it. */
static enum answer read_success(enum remote_write_version version, const struct answer_reply *reply)
{
	uint64_t written;

	if (is_error(reply->body))
		return ANSWER_LATER;
	if (version == REMOTE_WRITE_2 && !answer_written(reply->written, &written))
		return ANSWER_OLDER;
	return ANSWER_TAKEN;
}

enum answer answer_read(enum remote_write_version version, const struct answer_reply *reply)
{
	long status = reply->status;

	if (status >= 200 && status < 300)
		return read_success(version, reply);
	switch (status) {
	case 400:
	case 413:
	case 422:
		return ANSWER_REFUSED;
	case 415:
		return version == REMOTE_WRITE_2 ? ANSWER_OLDER : ANSWER_LATER;
	default:
		break;
	}
	if (status >= 500 && answer_why(reply->body) != ANSWER_WHY_OTHER)
		return ANSWER_REFUSED;
	return ANSWER_LATER;
}

bool answer_may_be_stored(long status)
{
	return status == 0 || (status >= 500 && status != 503) || (status >= 200 && status < 300);
}

bool answer_written(const char *header, uint64_t *samples)
{
	char *end;
	uint64_t number;

	if (*header < '0' || *header > '9')
		return false;
	number = strtoull(header, &end, 10);
	if (*end != '\0')
		return false;
	*samples = number;
	return true;
}

void answer_text(const char *body, char *out, size_t size)
{
	size_t at = 0;

	for (; at + 1 < size && body[at] != '\0' && body[at] != '\n' && body[at] != '\r'; at++)
		out[at] = (unsigned char)body[at] < ' ' || body[at] == '\x7f' ? '?' : body[at];
	out[at] = '\0';
}
