/* SPDX-License-Identifier: MIT */
#include "marks.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/private/alerts.h>
#include <collector/private/status.h>

#include "answer.h"
#include "history_query.h"
#include "notifications.h"
#include "web.h"

#define MARKS_MAX 200              /* Of one answer: the last ones. */
#define SAME_EVENT (2 * MC_SECOND) /* An alert and its notification are not further apart. */

struct mark {
	mc_time time;
	const char *kind;     /* "alert", "notification", "start" or "reload". */
	const char *severity; /* NULL: it is neither good nor bad. */
	char *text;
};

struct marks {
	const char *host;
	size_t host_size;
	struct mc_span span;
	struct mark items[MARKS_MAX]; /* A ring. */
	size_t len;                   /* Of all that were added. */
};

static void add(struct marks *marks, const struct mark *mark, const char *text)
{
	struct mark *at = &marks->items[marks->len % MARKS_MAX];

	if (mark->time < marks->span.from || mark->time > marks->span.to)
		return;
	free(at->text);
	*at = *mark;
	at->text = mc_alloc_copy(text);
	marks->len++;
}

static void add_alert(void *argument, const struct mc_past_alert *alert)
{
	struct marks *marks = argument;
	const char *rest = alert->series + marks->host_size;
	char *text;

	if (strncmp(alert->series, marks->host, marks->host_size) != 0 || *rest != '/')
		return;
	text = mc_alloc_printf("%s: %s", rest + 1, alert->reason);
	add(marks,
	    &(struct mark){ alert->time, "alert", notifications_severity(alert->severity), NULL },
	    text);
	free(text);
}

/* Whether the alert that it is about is there. */
static bool is_known(const struct marks *marks, const struct notifications_item *item)
{
	size_t len = marks->len < MARKS_MAX ? marks->len : MARKS_MAX;

	for (size_t i = 0; i < len; i++)
		if (llabs(marks->items[i].time - item->time) <= SAME_EVENT &&
		    strcmp(marks->items[i].kind, "alert") == 0 &&
		    marks->items[i].severity == notifications_severity(item->severity))
			return true;
	return false;
}

static void add_notifications(struct marks *marks, struct notifications *notifications)
{
	struct notifications_item *items = mc_alloc_array(NOTIFICATIONS_LEN, sizeof(*items));
	size_t len = notifications_find(notifications, marks->host, marks->span.from,
					marks->span.to, items);

	for (size_t i = 0; i < len; i++) {
		if (!is_known(marks, &items[i]))
			add(marks,
			    &(struct mark){ items[i].time, "notification",
					    notifications_severity(items[i].severity), NULL },
			    items[i].message);
		free(items[i].message);
	}
	free(items);
}

/* Of the collector: the values of all hosts may have a gap there. */
static void add_own(struct marks *marks, struct mc_ctx *ctx)
{
	struct mc_status status;

	mc_status(ctx, &status);
	add(marks, &(struct mark){ status.started, "start", NULL, NULL }, "the collector started");
	if (status.reload.count > 0)
		add(marks,
		    &(struct mark){ status.reload.time, "reload",
				    status.reload.failure[0] != '\0' ? "warning" : NULL, NULL },
		    status.reload.failure[0] != '\0' ? status.reload.failure
						     : "the configuration was read again");
}

static int by_time(const void *a, const void *b)
{
	const struct mark *left = a, *right = b;

	return (left->time > right->time) - (left->time < right->time);
}

static void print(struct mc_httpd_request *request, struct marks *marks)
{
	struct mc_json *json = answer_begin();
	size_t len = marks->len < MARKS_MAX ? marks->len : MARKS_MAX;

	qsort(marks->items, len, sizeof(marks->items[0]), by_time);
	mc_json_list(json, "marks");
	for (size_t i = 0; i < len; i++) {
		const struct mark *mark = &marks->items[i];

		mc_json_map(json, NULL);
		mc_json_seconds(json, "time", mark->time);
		mc_json_text(json, "kind", mark->kind);
		if (mark->severity != NULL)
			mc_json_text(json, "severity", mark->severity);
		mc_json_text(json, "text", mark->text);
		mc_json_map_end(json);
	}
	mc_json_list_end(json);
	mc_json_unsigned(json, "left_out", marks->len - len);
	answer_json(request, json);
}

void marks_answer(struct mc_httpd_request *request)
{
	const char *host = mc_httpd_query(request, "host");
	struct marks *marks;

	if (host == NULL) {
		answer_refuse(request, 400, "'host' is lacking");
		return;
	}
	marks = mc_alloc_zero(sizeof(*marks));
	marks->host = host;
	marks->host_size = strlen(host);
	if (history_query_span(request, 1, &marks->span)) {
		mc_each_past_alert(web_ctx(request), add_alert, marks);
		add_notifications(marks, web_notifications(request));
		add_own(marks, web_ctx(request));
		print(request, marks);
	}
	for (size_t i = 0; i < MARKS_MAX; i++)
		free(marks->items[i].text);
	free(marks);
}
