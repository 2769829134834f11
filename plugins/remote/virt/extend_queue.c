/* SPDX-License-Identifier: MIT */
#include "extend_queue.h"

bool extend_queue_add(struct extend_queue *queue, struct extend_entry *entry, mc_time retry_max)
{
	struct extend_entry **last = &queue->first;

	if (queue->len >= queue->len_max)
		return false;
	entry->backoff.longest = retry_max;
	while (*last != NULL)
		last = &(*last)->next;
	*last = entry;
	queue->len++;
	return true;
}

void extend_queue_remove(struct extend_queue *queue, struct extend_entry *entry)
{
	struct extend_entry **at = &queue->first;

	while (*at != entry)
		at = &(*at)->next;
	*at = entry->next;
	queue->len--;
}

struct extend_entry *extend_queue_next(const struct extend_queue *queue, mc_time now, mc_time *due)
{
	*due = INT64_MAX;
	for (struct extend_entry *at = queue->first; at != NULL; at = at->next) {
		if (at->runs || queue->running >= queue->running_max)
			continue;
		if (at->backoff.until <= now)
			return at;
		if (at->backoff.until < *due)
			*due = at->backoff.until;
	}
	return NULL;
}

void extend_queue_begin(struct extend_queue *queue, struct extend_entry *entry)
{
	entry->runs = true;
	queue->running++;
}

void extend_queue_end(struct extend_queue *queue, struct extend_entry *entry)
{
	entry->runs = false;
	queue->running--;
}

void extend_queue_failed(struct extend_entry *entry, mc_time now)
{
	entry->failures++;
	mc_backoff_failed(&entry->backoff, now, 0);
}

void extend_queue_worked(struct extend_entry *entry)
{
	entry->failures = 0;
	mc_backoff_done(&entry->backoff);
}

bool extend_queue_stays(const struct extend_entry *entry, bool beyond, mc_time before)
{
	return beyond || entry->crossed >= before;
}

uint64_t extend_queue_wanted(int64_t step, double percent, uint64_t size)
{
	double part = (double)size * percent / 100;
	double more = part > (double)step ? part : (double)step;

	if ((double)size + more >= (double)INT64_MAX)
		return INT64_MAX;
	return size + (part > (double)step ? (uint64_t)part : (uint64_t)step);
}
