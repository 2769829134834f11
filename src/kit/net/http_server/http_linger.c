/* SPDX-License-Identifier: MIT */
#include "kit/net/http_server/http_linger.h"

#define COUNTED MC_SECOND      /* The time of which requests are counted. */
#define STALE (10 * MC_SECOND) /* After which a count says nothing: nothing has come. */

bool http_linger_look(struct http_linger *linger, mc_time now, unsigned connections)
{
	mc_time counted = now - linger->since;
	double rate;

	if (counted < COUNTED)
		return linger->on;
	rate = (double)linger->requests * (double)MC_SECOND / (double)counted;
	linger->on = counted < STALE && rate >= HTTP_LINGER_LEAST &&
		     rate <= (double)connections * HTTP_LINGER_MOST;
	linger->since = now;
	linger->requests = 0;
	return linger->on;
}
