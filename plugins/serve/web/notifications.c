/* SPDX-License-Identifier: MIT */
#include "notifications.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/json.h>

#include "answer.h"

void notifications_init(struct notifications *notifications) MC_NO_LOCK
{
	pthread_mutex_init(&notifications->lock, NULL);
	notifications->first = notifications->next = 1;
}

void notifications_done(struct notifications *notifications)
{
	for (unsigned i = 0; i < NOTIFICATIONS_LEN; i++)
		free(notifications->items[i]);
	pthread_mutex_destroy(&notifications->lock);
}

/* --- As JSON ------------------------------------------------------------- */

static const char *severity_word(enum mc_severity severity)
{
	switch (severity) {
	case MC_FAILURE:
		return "failure";
	case MC_WARNING:
		return "warning";
	case MC_OKAY:
		return "okay";
	}
	return "failure";
}

static void add_text(struct mc_json *json, const char *key, const char *text)
{
	if (text != NULL && text[0] != '\0')
		mc_json_text(json, key, text);
}

/* With the keys of "collectorctl --json tap", and its number. */
static void print(const struct mc_notification *notification, uint64_t number,
		  struct mc_buffer *out)
{
	const struct mc_id *id = &notification->id;
	mc_time time = notification->time != 0 ? notification->time : mc_wall();
	struct mc_json *json = answer_begin();
	const char *bytes;
	size_t size;

	mc_json_unsigned(json, "number", number);
	mc_json_text(json, "severity", severity_word(notification->severity));
	mc_json_seconds(json, "time", time);
	add_text(json, "host", id->host);
	add_text(json, "plugin", id->plugin);
	add_text(json, "plugin_instance", id->plugin_instance);
	add_text(json, "type", id->type);
	add_text(json, "type_instance", id->type_instance);
	mc_json_text(json, "message", notification->message != NULL ? notification->message : "");
	mc_json_map(json, "fields");
	for (unsigned i = 0; i < notification->fields_len; i++)
		mc_json_text(json, notification->fields[i].name, notification->fields[i].value);
	mc_json_map_end(json);
	mc_json_map_end(json);
	bytes = mc_json_bytes(json, &size);
	mc_buffer_add(out, bytes, size);
	mc_json_free(json);
}

/* --- The ring ------------------------------------------------------------ */

static char **item(struct notifications *notifications, uint64_t number)
	MC_REQUIRES(notifications->lock)
{
	return &notifications->items[number % NOTIFICATIONS_LEN];
}

static void drop_oldest(struct notifications *notifications) MC_REQUIRES(notifications->lock)
{
	char **oldest = item(notifications, notifications->first++);

	notifications->size -= strlen(*oldest);
	free(*oldest);
	*oldest = NULL;
}

/* Only the thread that adds changes the number. */
static uint64_t next_number(struct notifications *notifications)
{
	uint64_t number;

	pthread_mutex_lock(&notifications->lock);
	number = notifications->next;
	pthread_mutex_unlock(&notifications->lock);
	return number;
}

void notifications_add(struct notifications *notifications,
		       const struct mc_notification *notification, struct mc_buffer *json)
{
	uint64_t number = next_number(notifications);
	char *copy;

	print(notification, number, json);
	copy = mc_alloc_copy(json->at);
	pthread_mutex_lock(&notifications->lock);
	while (number - notifications->first == NOTIFICATIONS_LEN ||
	       (notifications->first < number &&
		notifications->size + json->size > NOTIFICATIONS_SIZE))
		drop_oldest(notifications);
	*item(notifications, number) = copy;
	notifications->size += json->size;
	notifications->next = number + 1;
	pthread_mutex_unlock(&notifications->lock);
}

uint64_t notifications_print(struct notifications *notifications, uint64_t after, uint64_t limit,
			     struct mc_buffer *out)
{
	uint64_t from, newest;

	pthread_mutex_lock(&notifications->lock);
	newest = notifications->next - 1;
	from = after < newest ? after + 1 : newest + 1;
	if (from < notifications->first)
		from = notifications->first;
	if (newest + 1 - from > limit)
		from = newest + 1 - limit;
	for (uint64_t number = from; number <= newest; number++) {
		const char *text = *item(notifications, number);

		mc_buffer_add(out, text, strlen(text));
		if (number < newest)
			mc_buffer_add(out, ",", 1);
	}
	pthread_mutex_unlock(&notifications->lock);
	return newest;
}
