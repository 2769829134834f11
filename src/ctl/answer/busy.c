/* SPDX-License-Identifier: MIT */
/* Which series are the busiest. */
#include "ctl/answer/busy.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"

#define SLOTS_FIRST 1024
#define SMOOTHING 0.5 /* Weight of the newest change. */

void busy_init(struct busy *busy)
{
	busy->slots_len = SLOTS_FIRST;
	busy->slots = alloc_array(busy->slots_len, sizeof(*busy->slots));
	busy->len = 0;
}

void busy_done(struct busy *busy)
{
	for (size_t i = 0; i < busy->slots_len; i++) {
		if (busy->slots[i] != NULL)
			free(busy->slots[i]->name);
		free(busy->slots[i]);
	}
	free(busy->slots);
}

/* FNV-1a: short keys, and only its own user could attack this table. */
static size_t hash(const char *name)
{
	uint64_t h = UINT64_C(0xcbf29ce484222325);

	for (; *name != '\0'; name++)
		h = (h ^ (unsigned char)*name) * UINT64_C(0x100000001b3);
	return (size_t)h;
}

/* The slot of that name, or the empty one where it belongs. */
static struct busy_series **find_slot(const struct busy *busy, const char *name)
{
	size_t i = hash(name);

	for (;; i++) {
		struct busy_series **slot = &busy->slots[i & (busy->slots_len - 1)];

		if (*slot == NULL || strcmp((*slot)->name, name) == 0)
			return slot;
	}
}

static void grow(struct busy *busy)
{
	struct busy old = *busy;

	busy->slots_len *= 2;
	busy->slots = alloc_array(busy->slots_len, sizeof(*busy->slots));
	for (size_t i = 0; i < old.slots_len; i++)
		if (old.slots[i] != NULL)
			*find_slot(busy, old.slots[i]->name) = old.slots[i];
	free(old.slots);
}

static double raw_value(const struct stream_event *event)
{
	switch (event->type->sources[0].kind) {
	case MC_GAUGE:
		return event->values[0].gauge;
	case MC_DERIVE:
		return (double)event->values[0].derive;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		return (double)event->values[0].counter;
	}
	return NAN;
}

/* The rate that the collector has for this sample; 'elapsed' seconds have
 * passed since the one before. */
static double rate_of(const struct stream_event *event, double before, double now, double elapsed)
{
	switch (event->type->sources[0].kind) {
	case MC_GAUGE:
		return now;
	case MC_ABSOLUTE:
		return now / elapsed;
	case MC_COUNTER:
	case MC_DERIVE:
		return now < before ? (double)NAN : (now - before) / elapsed;
	}
	return NAN;
}

/* How far apart two rates are, as a share of the larger one. */
static double distance(double a, double b)
{
	double largest = fmax(fabs(a), fabs(b));

	if (isnan(a) || isnan(b) || largest == 0)
		return 0;
	return fmin(fabs(a - b) / largest, 1);
}

static void update(struct busy_series *series, const struct stream_event *event)
{
	double now = raw_value(event);
	double elapsed = (double)(event->stamp.time - series->time) * 1e-9;

	if (elapsed <= 0)
		return;

	double rate = rate_of(event, series->value, now, elapsed);
	double moved = distance(rate, series->rate);

	series->change += SMOOTHING * (moved - series->change);
	series->rate = rate;
	series->value = now;
	series->time = event->stamp.time;
	series->updates = 1 / elapsed;
}

void busy_add(struct busy *busy, const struct stream_event *event)
{
	struct busy_series **slot = find_slot(busy, event->name);

	if (*slot != NULL) {
		update(*slot, event);
		return;
	}
	if (busy->len == BUSY_MAX)
		return;

	struct busy_series *series = alloc_zero(sizeof(*series));
	bool level = event->type->sources[0].kind == MC_GAUGE;

	series->name = alloc_copy(event->name);
	series->type = event->type;
	series->time = event->stamp.time;
	series->value = raw_value(event);
	series->rate = level ? series->value : (double)NAN;
	if (event->stamp.interval > 0)
		series->updates = 1e9 / (double)event->stamp.interval;
	*slot = series;
	if (++busy->len > busy->slots_len / 2)
		grow(busy);
}

static int by_name(const void *a, const void *b)
{
	const struct busy_series *const *x = a, *const *y = b;

	return strcmp((*x)->name, (*y)->name);
}

struct amount busy_amount(const struct busy_series *series)
{
	const char *type = strrchr(series->name, '/');
	const char *dash = type != NULL ? strchr(type, '-') : NULL;

	return amount_of(series->rate, series->type->unit, dash != NULL ? dash + 1 : NULL);
}

static int by_value(const void *a, const void *b)
{
	const struct busy_series *const *x = a, *const *y = b;
	struct amount of_x = busy_amount(*x), of_y = busy_amount(*y);
	int order = amount_compare(&of_x, &of_y);

	return order != 0 ? order : by_name(a, b);
}

static int by_change(const void *a, const void *b)
{
	const struct busy_series *const *x = a, *const *y = b;

	if ((*x)->change != (*y)->change)
		return (*x)->change > (*y)->change ? -1 : 1;
	return by_value(a, b);
}

static int by_updates(const void *a, const void *b)
{
	const struct busy_series *const *x = a, *const *y = b;

	/* Clocks tremble: what differs by less than a tenth is the same. */
	long x_step = lround(20 * log10((*x)->updates + 1e-9));
	long y_step = lround(20 * log10((*y)->updates + 1e-9));

	if (x_step != y_step)
		return x_step > y_step ? -1 : 1;
	return by_change(a, b);
}

const char *const busy_order_names[BUSY_ORDERS] = {
	[BUSY_BY_CHANGE] = "change", [BUSY_BY_VALUE] = "value", [BUSY_BY_UPDATES] = "updates",
	[BUSY_BY_NAME] = "name",     [BUSY_GUESTS] = "guests",  [BUSY_STEAL] = "steal",
};

/* What noisy_neighbour reports: what a guest suffers because of another one. */
static bool is_blame(const char *type)
{
	static const char *const types[] = { "steal_from", "disk_wait_from", "link_share_of",
					     "memory_wait_from" };

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strcmp(types[i], type) == 0)
			return true;
	return false;
}

static bool is_wanted(const struct busy_series *series, enum busy_order order)
{
	if (order == BUSY_GUESTS)
		return strcmp(series->type->name, "virt_cpu_total") == 0;
	/* A last 0 says that it is over. */
	return order != BUSY_STEAL || (is_blame(series->type->name) && series->value > 0);
}

size_t busy_first(const struct busy *busy, enum busy_order order, const struct busy_series **first,
		  size_t len)
{
	static int (*const compare[])(const void *, const void *) = {
		[BUSY_BY_CHANGE] = by_change,   [BUSY_BY_VALUE] = by_value,
		[BUSY_BY_UPDATES] = by_updates, [BUSY_BY_NAME] = by_name,
		[BUSY_GUESTS] = by_value,       [BUSY_STEAL] = by_value,
	};
	const struct busy_series **all;
	size_t all_len = 0;

	if (busy->len == 0)
		return 0;
	all = alloc_array(busy->len, sizeof(*all));
	for (size_t i = 0; i < busy->slots_len; i++)
		if (busy->slots[i] != NULL && is_wanted(busy->slots[i], order))
			all[all_len++] = busy->slots[i];
	qsort(all, all_len, sizeof(*all), compare[order]);
	if (len > all_len)
		len = all_len;
	memcpy(first, all, len * sizeof(*first));
	free(all);
	return len;
}
