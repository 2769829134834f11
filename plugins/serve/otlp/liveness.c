/* SPDX-License-Identifier: MIT */
/* When the network of this host fails, ten thousand senders fall silent at
 * once: that is one thing to say, not ten thousand. */
#include "liveness.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define NAMED 3 /* Largest number that is named. */
#define SECONDS(time) ((double)(time) / MC_SECOND)

/* --- Reports ----------------------------------------------- */

typedef void say(const struct sender_view *, char *out, size_t size);

static void say_went(const struct sender_view *view, char *out, size_t size)
{
	snprintf(out, size,
		 "sender '%s' is silent: nothing for %.3g seconds, and %.3g "
		 "are usual",
		 view->name, SECONDS(view->silence), SECONDS(view->interval));
}

static void say_came(const struct sender_view *view, char *out, size_t size)
{
	snprintf(out, size, "sender '%s' is back, after %.6g seconds", view->name,
		 SECONDS(view->away));
}

static void say_missing(const struct sender_view *view, char *out, size_t size)
{
	snprintf(out, size,
		 "sender '%s' left out %" PRIu64 " numbers, the last of them %" PRIu64
		 " to %" PRIu64 ": what they stood for never came",
		 view->name, view->missing, view->gap.first, view->gap.last);
}

static void say_dropped(const struct sender_view *view, char *out, size_t size)
{
	snprintf(out, size,
		 "sender '%s' says that it had to drop %" PRIu64
		 " values before it could send them",
		 view->name, view->dropped);
}

static bool is_went(const struct sender_view *view)
{
	return view->went;
}

static bool is_came(const struct sender_view *view)
{
	return view->came;
}

static bool is_missing(const struct sender_view *view)
{
	return view->missing > 0;
}

static bool is_dropped(const struct sender_view *view)
{
	return view->dropped > 0;
}

struct event {
	bool (*is)(const struct sender_view *);
	say *say;
	const char *many; /* "12 senders " and this. */
	enum mc_severity severity;
	const char *type, *type_instance; /* Its subject. */
};

static const struct event events[] = {
	{ is_went, say_went, "are silent", MC_FAILURE, "gauge", "up" },
	{ is_came, say_came, "are back", MC_OKAY, "gauge", "up" },
	{ is_missing, say_missing, "left out numbers: requests never came", MC_WARNING, "derive",
	  "missing" },
	{ is_dropped, say_dropped, "say that they had to drop values before they could send them",
	  MC_WARNING, "derive", "dropped" },
};
#define EVENTS_LEN (sizeof(events) / sizeof(*events))

/* --- Notifying ----------------------------------------------------------- */

static void notify(struct mc_ctx *ctx, const struct event *event, const char *host,
		   const char *message)
{
	mc_notify(ctx, &(struct mc_notification){
			       .severity = event->severity,
			       .id = MC_ID(.host = host, .plugin = "otlp", .type = event->type,
					   .type_instance = event->type_instance),
			       .message = message,
		       });
}

static void tell_each(struct mc_ctx *ctx, const struct event *event,
		      const struct sender_view *views, size_t len)
{
	char message[512];

	for (size_t i = 0; i < len; i++) {
		if (!event->is(&views[i]))
			continue;
		event->say(&views[i], message, sizeof(message));
		notify(ctx, event, views[i].name, message);
	}
}

/* "12 of 40 senders are silent: 'a', 'b', 'c' and 9 others" */
static void tell_many(struct mc_ctx *ctx, const struct event *event,
		      const struct sender_view *views, size_t len, size_t found)
{
	char message[1024];
	size_t size, named = 0;

	size = (size_t)snprintf(message, sizeof(message), "%zu of %zu senders %s", found, len,
				event->many);
	for (size_t i = 0; i < len && named < NAMED; i++)
		if (event->is(&views[i]))
			size += (size_t)snprintf(message + size, sizeof(message) - size, "%s '%s'",
						 named++ == 0 ? ":" : ",", views[i].name);
	snprintf(message + size, sizeof(message) - size, " and %zu others", found - named);
	notify(ctx, event, NULL, message);
}

static void tell(struct mc_ctx *ctx, const struct event *event, const struct sender_view *views,
		 size_t len, struct liveness *liveness)
{
	size_t found = 0;

	for (size_t i = 0; i < len; i++)
		found += event->is(&views[i]);
	if (found <= PRESENCE_NOTICES_MAX) {
		tell_each(ctx, event, views, len);
		return;
	}
	tell_many(ctx, event, views, len, found);
	liveness->withheld += found;
}

/* --- Series -------------------------------------------------------------- */

static void put(struct mc_batch *out, const struct sender_view *view, const char *type,
		const char *instance, double value)
{
	mc_put_gauge(out, value, .host = view->name, .plugin = "otlp", .type = type,
		     .type_instance = instance);
}

/* A clock that is ahead has no lag. */
static double lag_of(const struct sender_view *view)
{
	return view->lag > 0 ? SECONDS(view->lag) : 0;
}

static void count(const struct sender_view *view, struct liveness *liveness)
{
	liveness->silent += !view->up;
	liveness->missing += view->missing;
	liveness->dropped += view->dropped;
}

void liveness_tell(struct mc_ctx *ctx, struct mc_batch *out, struct senders *senders,
		   struct liveness *liveness)
{
	struct sender_view *views = sender_look(senders, &liveness->len);
	size_t len = liveness->len;

	liveness->silent = 0;
	for (size_t i = 0; i < len; i++) {
		put(out, &views[i], "gauge", "up", views[i].up);
		put(out, &views[i], "duration", "silence", SECONDS(views[i].silence));
		if (views[i].lag != -1)
			put(out, &views[i], "duration", "lag", lag_of(&views[i]));
		count(&views[i], liveness);
	}
	for (size_t i = 0; i < EVENTS_LEN; i++)
		tell(ctx, &events[i], views, len, liveness);
	free(views);
}
