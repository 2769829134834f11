/* SPDX-License-Identifier: MIT */
#include "formats/prometheus/refusal.h"

#include <string.h>

static bool says(const char *body, const char *const *texts)
{
	for (; *texts != NULL; texts++)
		if (strstr(body, *texts) != NULL)
			return true;
	return false;
}

enum refusal_why refusal_why(const char *body)
{
	static const char *const old[] = { "too old sample", "out of bounds",
					   "err-mimir-sample-out-of-order-window",
					   "too far in the past", NULL };
	static const char *const there[] = { "out of order", "out-of-order", "duplicate sample",
					     "duplicate-timestamp", NULL };

	if (says(body, old))
		return REFUSAL_OLD;
	return says(body, there) ? REFUSAL_THERE : REFUSAL_OTHER;
}

bool refusal_may_be_stored(long status)
{
	return status == 0 || (status >= 500 && status != 503) || (status >= 200 && status < 300);
}

void refusal_text(const char *body, char *out, size_t size)
{
	size_t at = 0;

	for (; at + 1 < size && body[at] != '\0' && body[at] != '\n' && body[at] != '\r'; at++)
		out[at] = body[at] < ' ' || body[at] > '~' ? '?' : body[at];
	out[at] = '\0';
}
