/* SPDX-License-Identifier: MIT */
#include "retry.h"

#include <string.h>

#define FIRST (500 * MC_MILLISECOND)
#define RETRY_AFTER_MAX                                                        \
	3600 /* Seconds: no receiver may silence us for ever.                  \
	      */

enum retry_verdict retry_verdict(long status)
{
	switch (status) {
	case 200:
	case 202:
	case 204:
		return RETRY_DONE;
	case 0:
	case 401: /* Somebody has to do something; until then we keep it. */
	case 403:
	case 429:
	case 502:
	case 503:
	case 504:
		return RETRY_LATER;
	default:
		return RETRY_NEVER;
	}
}

/* xorshift64: to keep a thousand senders apart, not to keep secrets. */
static uint64_t next_random(struct retry *retry)
{
	retry->random ^= retry->random << 13;
	retry->random ^= retry->random >> 7;
	retry->random ^= retry->random << 17;
	return retry->random;
}

void retry_failed(struct retry *retry, mc_time now, int64_t retry_after)
{
	mc_time most = FIRST;

	for (unsigned i = 0; i < retry->failures && most < retry->longest; i++)
		most *= 2;
	if (most > retry->longest)
		most = retry->longest;
	retry->failures++;
	retry->until = now + (mc_time)(next_random(retry) % (uint64_t)most);
	if (retry_after > RETRY_AFTER_MAX)
		retry_after = RETRY_AFTER_MAX;
	if (retry_after > 0 && retry->until < now + retry_after * MC_SECOND)
		retry->until += retry_after * MC_SECOND;
}

void retry_done(struct retry *retry)
{
	retry->failures = 0;
	retry->until = 0;
}

void retry_strip_duration(char *reason)
{
	static const char *const units[] = { " milliseconds", " ms" };
	static const char after[] = " after ";
	char *start = reason, *end;

	while ((start = strstr(start, after)) != NULL) {
		end = start + sizeof(after) - 1;
		end += strspn(end, "0123456789");
		for (size_t i = 0; i < 2 && end > start; i++) {
			size_t size = strlen(units[i]);

			if (strncmp(end, units[i], size) != 0)
				continue;
			memmove(start, end + size, strlen(end + size) + 1);
			end = start;
		}
		start = end;
	}
}
