/* SPDX-License-Identifier: MIT */
#include "kit/series/interpreter/schedule.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define PERIOD_MAX (86400 * MC_SECOND) /* collectd's MaxReadInterval. */

void schedule_free(struct schedule *schedule)
{
	for (size_t i = 0; i < schedule->len; i++)
		free(schedule->items[i].name);
	free(schedule->items);
	*schedule = (struct schedule){ 0 };
}

bool schedule_add(struct schedule *schedule, const char *name, mc_time interval)
{
	if (schedule->len == SCHEDULE_MAX)
		return false;
	MC_ARRAY_GROW(schedule->items, schedule->len, schedule->room);
	schedule->items[schedule->len++] = (struct schedule_read){
		.name = mc_alloc_copy(name),
		.interval = interval,
		.every = { .period = interval },
	};
	return true;
}

void schedule_remove(struct schedule *schedule, const char *name)
{
	for (size_t i = 0; i < schedule->len; i++) {
		if (strcmp(schedule->items[i].name, name) != 0)
			continue;
		free(schedule->items[i].name);
		schedule->items[i] = schedule->items[--schedule->len];
		return;
	}
}

static bool is_idle(const struct schedule_read *read)
{
	return read->request == 0;
}

mc_time schedule_next(const struct schedule *schedule)
{
	mc_time next = INT64_MAX;

	for (size_t i = 0; i < schedule->len; i++)
		if (is_idle(&schedule->items[i]) && schedule->items[i].every.next < next)
			next = schedule->items[i].every.next;
	return next;
}

struct schedule_read *schedule_due(struct schedule *schedule, mc_time now)
{
	for (size_t i = 0; i < schedule->len; i++)
		if (is_idle(&schedule->items[i]) && mc_every_due(&schedule->items[i].every, now))
			return &schedule->items[i];
	return NULL;
}

void schedule_begin(struct schedule_read *read, uint64_t request, mc_time now)
{
	mc_every_done(&read->every, now);
	read->request = request;
	read->since = now;
}

void schedule_end(struct schedule_read *read, mc_time now, bool good)
{
	mc_time period = good ? read->interval : 2 * read->every.period;

	read->request = 0;
	if (period > PERIOD_MAX)
		period = PERIOD_MAX > read->interval ? PERIOD_MAX : read->interval;
	if (period != read->every.period)
		read->every = (struct mc_every){ period, now + period };
}

void schedule_restart(struct schedule *schedule, mc_time now)
{
	for (size_t i = 0; i < schedule->len; i++)
		schedule->items[i].since = now;
}

struct schedule_read *schedule_find(struct schedule *schedule, uint64_t request)
{
	for (size_t i = 0; i < schedule->len; i++)
		if (schedule->items[i].request == request)
			return &schedule->items[i];
	return NULL;
}

struct schedule_read *schedule_oldest(struct schedule *schedule)
{
	struct schedule_read *found = NULL;

	for (size_t i = 0; i < schedule->len; i++) {
		struct schedule_read *read = &schedule->items[i];

		if (!is_idle(read) && (found == NULL || read->since < found->since))
			found = read;
	}
	return found;
}
