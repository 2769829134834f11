/* SPDX-License-Identifier: MIT */
/* The notifications that wait for a writer. */
#include "engine/write/notification_queue.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"

/* --- Copies --------------------------------------------------------------- */

static unsigned fields_len(const struct mc_notification *notification)
{
	return notification->fields_len < MC_FIELDS_MAX ? notification->fields_len : MC_FIELDS_MAX;
}

static size_t fields_size(const struct mc_notification *notification)
{
	unsigned len = fields_len(notification);
	size_t size = len * sizeof(*notification->fields);

	for (unsigned i = 0; i < len; i++)
		size += strlen(notification->fields[i].name) + 1 +
			strlen(notification->fields[i].value) + 1;
	return size;
}

/* Copies a text to 'at', as it may be shown; returns where it ends. */
static char *copy_text(char *at, const char *text)
{
	char *end = stpcpy(at, text);

	text_make_printable(at);
	return end + 1;
}

/* Copies the fields to 'to', their texts to 'at'. */
static void copy_fields(struct mc_field *to, char *at, const struct mc_notification *notification)
{
	for (unsigned i = 0; i < fields_len(notification); i++) {
		to[i].name = at;
		at = copy_text(at, notification->fields[i].name);
		to[i].value = at;
		at = copy_text(at, notification->fields[i].value);
	}
}

/* A copy in one piece. */
static struct mc_notification *copy_notification(const struct mc_notification *notification,
						 size_t *copy_size)
{
	const char *from[] = { notification->id.host,
			       notification->id.plugin,
			       notification->id.plugin_instance,
			       notification->id.type,
			       notification->id.type_instance,
			       notification->message };
	size_t size = sizeof(*notification) + fields_size(notification);
	struct mc_field *fields;
	struct mc_notification *copy;
	const char *to[6];
	char *at;

	for (unsigned i = 0; i < 6; i++)
		size += from[i] != NULL ? strlen(from[i]) + 1 : 0;
	copy = alloc_zero(size);
	fields = (struct mc_field *)(copy + 1);
	at = (char *)(fields + fields_len(notification));
	for (unsigned i = 0; i < 6; i++) {
		to[i] = from[i] != NULL ? at : NULL;
		if (from[i] != NULL)
			at = copy_text(at, from[i]);
	}
	copy->severity = notification->severity;
	copy->time = notification->time;
	copy->id = (struct mc_id){ to[0], to[1], to[2], to[3], to[4] };
	copy->message = to[5];
	copy_fields(fields, at, notification);
	copy->fields = fields;
	copy->fields_len = fields_len(notification);
	*copy_size = size;
	return copy;
}

struct notification_queue_item *notification_queue_item_new(
	const struct mc_notification *notification)
{
	struct notification_queue_item *item = alloc_zero(sizeof(*item));
	size_t size;

	item->notification = copy_notification(notification, &size);
	item->size = sizeof(*item) + size;
	return item;
}

void notification_queue_item_free(struct notification_queue_item *item)
{
	free(item->notification);
	free(item);
}

/* --- Lists ---------------------------------------------------------------- */

static void append(struct notification_queue_list *list, struct notification_queue_item *item)
{
	item->next = NULL;
	if (list->last != NULL)
		list->last->next = item;
	else
		list->first = item;
	list->last = item;
	list->len++;
}

static struct notification_queue_item *remove_first(struct notification_queue_list *list)
{
	struct notification_queue_item *item = list->first;

	if (item == NULL)
		return NULL;
	list->first = item->next;
	if (list->first == NULL)
		list->last = NULL;
	list->len--;
	return item;
}

static void drop_first(struct notification_queue *notification_queue,
		       struct notification_queue_list *list)
{
	struct notification_queue_item *item = remove_first(list);

	notification_queue->size -= item->size;
	notification_queue_item_free(item);
}

/* --- The notification queue ---------------------------------------------- */

void notification_queue_set_limit(struct notification_queue *notification_queue, size_t limit)
{
	notification_queue->limit =
		limit > NOTIFICATION_QUEUE_SIZE_MIN ? limit : NOTIFICATION_QUEUE_SIZE_MIN;
}

void notification_queue_init(struct notification_queue *notification_queue, size_t limit)
{
	*notification_queue = (struct notification_queue){ 0 };
	notification_queue_set_limit(notification_queue, limit);
}

void notification_queue_done(struct notification_queue *notification_queue)
{
	notification_queue_settle(notification_queue, false);
	notification_queue_drop(notification_queue);
}

uint64_t notification_queue_push(struct notification_queue *notification_queue,
				 struct notification_queue_item *item)
{
	uint64_t gone = 0;

	append(&notification_queue->waiting, item);
	notification_queue->size += item->size;
	for (; notification_queue->size > notification_queue->limit &&
	       notification_queue->waiting.len > 0;
	     gone++)
		drop_first(notification_queue, &notification_queue->waiting);
	return gone;
}

mc_time notification_queue_due(const struct notification_queue *notification_queue)
{
	return notification_queue->waiting.len > 0 ? notification_queue->due : CLOCK_NEVER;
}

const struct mc_notification *notification_queue_take(struct notification_queue *notification_queue)
{
	struct notification_queue_item *item = remove_first(&notification_queue->waiting);

	if (item == NULL)
		return NULL;
	append(&notification_queue->taken, item);
	return item->notification;
}

uint64_t notification_queue_settle(struct notification_queue *notification_queue, bool again)
{
	uint64_t len = notification_queue->taken.len;

	if (again && len > 0) {
		notification_queue->taken.last->next = notification_queue->waiting.first;
		if (notification_queue->waiting.first == NULL)
			notification_queue->waiting.last = notification_queue->taken.last;
		notification_queue->waiting.first = notification_queue->taken.first;
		notification_queue->waiting.len += len;
		notification_queue->taken = (struct notification_queue_list){ 0 };
	}
	while (notification_queue->taken.len > 0)
		drop_first(notification_queue, &notification_queue->taken);
	return len;
}

uint64_t notification_queue_move(struct notification_queue *from, struct notification_queue *to)
{
	struct notification_queue_item *item;
	uint64_t gone = 0;

	while ((item = remove_first(&from->waiting)) != NULL) {
		from->size -= item->size;
		gone += notification_queue_push(to, item);
	}
	return gone;
}

uint64_t notification_queue_drop(struct notification_queue *notification_queue)
{
	uint64_t len = notification_queue->waiting.len;

	while (notification_queue->waiting.len > 0)
		drop_first(notification_queue, &notification_queue->waiting);
	return len;
}
