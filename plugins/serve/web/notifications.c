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

static void free_item(struct notifications_item *item)
{
	free(item->host);
	free(item->message);
	free(item->json);
	*item = (struct notifications_item){ .json = NULL };
}

void notifications_done(struct notifications *notifications)
{
	for (unsigned i = 0; i < NOTIFICATIONS_LEN; i++)
		free_item(&notifications->items[i]);
	pthread_mutex_destroy(&notifications->lock);
}

/* --- As JSON ------------------------------------------------------------- */

const char *notifications_severity(enum mc_severity severity)
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

static mc_time time_of(const struct mc_notification *notification)
{
	return notification->time != 0 ? notification->time : mc_wall();
}

/* With the keys of "collectorctl --json tap", and its number. */
static void print(const struct mc_notification *notification, uint64_t number,
		  struct mc_buffer *out)
{
	const struct mc_id *id = &notification->id;
	struct mc_json *json = answer_begin();
	const char *bytes;
	size_t size;

	mc_json_unsigned(json, "number", number);
	mc_json_text(json, "severity", notifications_severity(notification->severity));
	mc_json_seconds(json, "time", time_of(notification));
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

static struct notifications_item *item(struct notifications *notifications, uint64_t number)
	MC_REQUIRES(notifications->lock)
{
	return &notifications->items[number % NOTIFICATIONS_LEN];
}

static size_t size_of(const struct notifications_item *item)
{
	return strlen(item->json) + strlen(item->host) + strlen(item->message);
}

static void drop_oldest(struct notifications *notifications) MC_REQUIRES(notifications->lock)
{
	struct notifications_item *oldest = item(notifications, notifications->first++);

	notifications->size -= size_of(oldest);
	free_item(oldest);
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

/* Without the fields, which some plugins have after it for programs: " uuid=1-2 reason=\"by the
 * host\"". */
static char *sentence_of(const struct mc_notification *notification)
{
	const char *message = notification->message != NULL ? notification->message : "";
	char *text = mc_alloc_copy(message);
	size_t size = strlen(text);

	for (unsigned i = notification->fields_len; i-- > 0;) {
		const struct mc_field *field = &notification->fields[i];
		char *plain = mc_alloc_printf(" %s=%s", field->name, field->value);
		char *quoted = mc_alloc_printf(" %s=\"%s\"", field->name, field->value);
		size_t plain_size = strlen(plain), quoted_size = strlen(quoted);

		if (size >= plain_size && strcmp(text + size - plain_size, plain) == 0)
			size -= plain_size;
		else if (size >= quoted_size && strcmp(text + size - quoted_size, quoted) == 0)
			size -= quoted_size;
		text[size] = '\0';
		free(plain);
		free(quoted);
	}
	return text;
}

void notifications_add(struct notifications *notifications,
		       const struct mc_notification *notification, struct mc_buffer *json)
{
	uint64_t number = next_number(notifications);
	struct notifications_item made = { .time = time_of(notification),
					   .severity = notification->severity };
	const char *host = notification->id.host;

	print(notification, number, json);
	made.json = mc_alloc_copy(json->at);
	made.host = mc_alloc_copy(host != NULL ? host : "");
	made.message = sentence_of(notification);
	pthread_mutex_lock(&notifications->lock);
	while (number - notifications->first == NOTIFICATIONS_LEN ||
	       (notifications->first < number &&
		notifications->size + size_of(&made) > NOTIFICATIONS_SIZE))
		drop_oldest(notifications);
	*item(notifications, number) = made;
	notifications->size += size_of(&made);
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
		const char *text = item(notifications, number)->json;

		mc_buffer_add(out, text, strlen(text));
		if (number < newest)
			mc_buffer_add(out, ",", 1);
	}
	pthread_mutex_unlock(&notifications->lock);
	return newest;
}

size_t notifications_find(struct notifications *notifications, const char *host, mc_time from,
			  mc_time to, struct notifications_item *items)
{
	size_t len = 0;

	pthread_mutex_lock(&notifications->lock);
	for (uint64_t number = notifications->first; number < notifications->next; number++) {
		const struct notifications_item *one = item(notifications, number);

		if (one->time >= from && one->time <= to && strcmp(one->host, host) == 0)
			items[len++] = (struct notifications_item){
				.time = one->time,
				.severity = one->severity,
				.message = mc_alloc_copy(one->message),
			};
	}
	pthread_mutex_unlock(&notifications->lock);
	return len;
}
