/* SPDX-License-Identifier: MIT */
/* Alerts that fire, and notifications as alerts.  Facts: Alertmanager's API v2,
 * POST /api/v2/alerts: an alert is known by its labels; it is resolved when its
 * endsAt has come, so what fires is sent again before.  The caller locks. */
#pragma once

#include <collector/kit/json.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

struct alert;

struct alerts {           /* All zero, but for the settings. */
	size_t limit;     /* Of alerts that fire. */
	mc_time resend;   /* So often they are sent. */
	uint64_t refused; /* That would have been beyond the limit. */
	uint64_t look;    /* At what judges say: see alerts_stand(). */

	struct mc_map map;
	struct alert *first, *last; /* In the order in which they began. */

	bool resending;      /* What alerts_write() has written is on its way. */
	struct alert *ended; /* Alerts that have ended since, as many as 'limit'. */
	size_t ended_len;
};

void alerts_done(struct alerts *);

/* Writes the alerts that a notification makes, as elements of a list: the one that fires, and those
 * of the same thing with another severity, which end.  Of a recovery of what does not fire, as far
 * as is known, both end.  Doing it again writes what has the same effect. */
void alerts_take(struct alerts *, const struct mc_notification *, mc_time now, struct mc_json *);

/* A judge reports this as open.  It fires, even without a notification: alerts from before a
 * restart are not notified of again.  It ends when judges were asked, ++look, and none reported
 * it. */
void alerts_stand(struct alerts *, const struct mc_notification *);

/* Writes up to 'len' that fire, those after '*after' or, if that is 0, from the first; '*after'
 * becomes the number of the last, or 0: there are no more. */
void alerts_write(struct alerts *, mc_time now, size_t len, uint64_t *after, struct mc_json *);

/* That was sent, or failed.  Writes the alerts that have ended meanwhile once more, because the
 * other thread's request may have come first.  False: nothing has. */
bool alerts_write_ended(struct alerts *, struct mc_json *);
