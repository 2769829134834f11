/* SPDX-License-Identifier: MIT */
#include "answer.h"

#include <stdlib.h>
#include <string.h>

#include "formats/prometheus/refusal.h"

/* A gateway may say 200 of what it could not pass on. */
static bool is_error(const char *body)
{
	static const char *const texts[] = { "\"status\":\"error\"", "\"status\": \"error\"",
					     "\"error\":", "<html", "<HTML" };

	for (size_t i = 0; i < sizeof(texts) / sizeof(texts[0]); i++)
		if (strstr(body, texts[i]) != NULL)
			return true;
	return false;
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
	if (status >= 500 && refusal_why(reply->body) != REFUSAL_OTHER)
		return ANSWER_REFUSED;
	return ANSWER_LATER;
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
