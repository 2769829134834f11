/* SPDX-License-Identifier: MIT */
#include "flight.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

void flight_init(struct flights *flights, unsigned wanted, mc_time limit)
{
	unsigned len = 16;

	while (len < wanted && len < FLIGHT_MAX)
		len *= 2;
	*flights = (struct flights){
		.items = mc_alloc_array(len, sizeof(*flights->items)),
		.len = len,
		.limit = limit,
	};
}

void flight_done(struct flights *flights)
{
	free(flights->items);
	flights->items = NULL;
}

static struct flight *item_of(struct flights *flights, uint16_t sequence)
{
	return &flights->items[sequence & (flights->len - 1)];
}

static unsigned pending(const struct flights *flights)
{
	return (uint16_t)(flights->next - flights->oldest);
}

/* Those at the beginning that have their replies are over. */
static void advance(struct flights *flights)
{
	while (pending(flights) > 0 && !item_of(flights, flights->oldest)->waits)
		flights->oldest++;
}

bool flight_start(struct flights *flights, mc_time now, unsigned target, uint16_t *sequence)
{
	advance(flights);
	if (pending(flights) >= flights->len)
		return false;
	*sequence = flights->next++;
	*item_of(flights, *sequence) = (struct flight){ now, target, true };
	return true;
}

struct flight *flight_find(struct flights *flights, uint16_t sequence)
{
	struct flight *flight = item_of(flights, sequence);

	if ((uint16_t)(sequence - flights->oldest) >= pending(flights))
		return NULL;
	return flight->waits ? flight : NULL;
}

bool flight_end(struct flights *flights, struct flight *flight, mc_time arrived)
{
	if (arrived - flight->sent > flights->limit)
		return false;
	flight->waits = false;
	return true;
}

bool flight_expire(struct flights *flights, mc_time now, unsigned *target)
{
	struct flight *flight;

	advance(flights);
	flight = item_of(flights, flights->oldest);
	if (pending(flights) == 0 || now - flight->sent <= flights->limit)
		return false;
	flight->waits = false;
	*target = flight->target;
	return true;
}

mc_time flight_due(struct flights *flights)
{
	advance(flights);
	if (pending(flights) == 0)
		return INT64_MAX;
	return item_of(flights, flights->oldest)->sent + flights->limit + 1;
}
