/* SPDX-License-Identifier: MIT */
/* The notices that wait for a writer. */
#include "engine/lane.h"

#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/text.h"

/* --- Copies --------------------------------------------------------------- */

static unsigned fields_len(const struct mc_notice *notice)
{
	return notice->fields_len < MC_FIELDS_MAX ? notice->fields_len
						  : MC_FIELDS_MAX;
}

static size_t fields_size(const struct mc_notice *notice)
{
	unsigned len = fields_len(notice);
	size_t size = len * sizeof(*notice->fields);

	for (unsigned i = 0; i < len; i++)
		size += strlen(notice->fields[i].name) + 1 +
			strlen(notice->fields[i].value) + 1;
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
static void copy_fields(struct mc_field *to, char *at,
			const struct mc_notice *notice)
{
	for (unsigned i = 0; i < fields_len(notice); i++) {
		to[i].name = at;
		at = copy_text(at, notice->fields[i].name);
		to[i].value = at;
		at = copy_text(at, notice->fields[i].value);
	}
}

/* A copy in one piece. */
static struct mc_notice *copy_notice(const struct mc_notice *notice,
				     size_t *copy_size)
{
	const char *from[] = { notice->id.host,
			       notice->id.plugin,
			       notice->id.plugin_instance,
			       notice->id.type,
			       notice->id.type_instance,
			       notice->message };
	size_t size = sizeof(*notice) + fields_size(notice);
	struct mc_field *fields;
	struct mc_notice *copy;
	const char *to[6];
	char *at;

	for (unsigned i = 0; i < 6; i++)
		size += from[i] != NULL ? strlen(from[i]) + 1 : 0;
	copy = alloc_zero(size);
	fields = (struct mc_field *)(copy + 1);
	at = (char *)(fields + fields_len(notice));
	for (unsigned i = 0; i < 6; i++) {
		to[i] = from[i] != NULL ? at : NULL;
		if (from[i] != NULL)
			at = copy_text(at, from[i]);
	}
	copy->severity = notice->severity;
	copy->time = notice->time;
	copy->id = (struct mc_id){ to[0], to[1], to[2], to[3], to[4] };
	copy->message = to[5];
	copy_fields(fields, at, notice);
	copy->fields = fields;
	copy->fields_len = fields_len(notice);
	*copy_size = size;
	return copy;
}

struct lane_item *lane_item_new(const struct mc_notice *notice)
{
	struct lane_item *item = alloc_zero(sizeof(*item));
	size_t size;

	item->notice = copy_notice(notice, &size);
	item->size = sizeof(*item) + size;
	return item;
}

void lane_item_free(struct lane_item *item)
{
	free(item->notice);
	free(item);
}

/* --- Lists ---------------------------------------------------------------- */

static void append(struct lane_list *list, struct lane_item *item)
{
	item->next = NULL;
	if (list->last != NULL)
		list->last->next = item;
	else
		list->first = item;
	list->last = item;
	list->len++;
}

static struct lane_item *remove_first(struct lane_list *list)
{
	struct lane_item *item = list->first;

	if (item == NULL)
		return NULL;
	list->first = item->next;
	if (list->first == NULL)
		list->last = NULL;
	list->len--;
	return item;
}

static void drop_first(struct lane *lane, struct lane_list *list)
{
	struct lane_item *item = remove_first(list);

	lane->size -= item->size;
	lane_item_free(item);
}

/* --- The lane ------------------------------------------------------------- */

void lane_set_limit(struct lane *lane, size_t limit)
{
	lane->limit = limit > LANE_SIZE_MIN ? limit : LANE_SIZE_MIN;
}

void lane_init(struct lane *lane, size_t limit)
{
	*lane = (struct lane){ 0 };
	lane_set_limit(lane, limit);
}

void lane_done(struct lane *lane)
{
	lane_settle(lane, false);
	lane_drop(lane);
}

uint64_t lane_push(struct lane *lane, struct lane_item *item)
{
	uint64_t gone = 0;

	append(&lane->waiting, item);
	lane->size += item->size;
	for (; lane->size > lane->limit && lane->waiting.len > 0; gone++)
		drop_first(lane, &lane->waiting);
	return gone;
}

mc_time lane_due(const struct lane *lane)
{
	return lane->waiting.len > 0 ? lane->due : CLOCK_NEVER;
}

const struct mc_notice *lane_take(struct lane *lane)
{
	struct lane_item *item = remove_first(&lane->waiting);

	if (item == NULL)
		return NULL;
	append(&lane->taken, item);
	return item->notice;
}

uint64_t lane_settle(struct lane *lane, bool again)
{
	uint64_t len = lane->taken.len;

	if (again && len > 0) {
		lane->taken.last->next = lane->waiting.first;
		if (lane->waiting.first == NULL)
			lane->waiting.last = lane->taken.last;
		lane->waiting.first = lane->taken.first;
		lane->waiting.len += len;
		lane->taken = (struct lane_list){ 0 };
	}
	while (lane->taken.len > 0)
		drop_first(lane, &lane->taken);
	return len;
}

uint64_t lane_move(struct lane *from, struct lane *to)
{
	struct lane_item *item;
	uint64_t gone = 0;

	while ((item = remove_first(&from->waiting)) != NULL) {
		from->size -= item->size;
		gone += lane_push(to, item);
	}
	return gone;
}

uint64_t lane_drop(struct lane *lane)
{
	uint64_t len = lane->waiting.len;

	while (lane->waiting.len > 0)
		drop_first(lane, &lane->waiting);
	return len;
}
