/* SPDX-License-Identifier: MIT */
#include "units.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#define REPORTS_MAX 4
#define REPORTS_TIME (600 * MC_SECOND)

struct unit *units_find(const struct units *units, const char *name)
{
	return (struct unit *)mc_map_find(&units->map, name, strlen(name));
}

struct unit *units_add(struct units *units, const char *name)
{
	struct unit *unit = units_find(units, name);
	size_t size = strlen(name);

	if (unit != NULL)
		return unit;
	if (units->map.len >= units->limit) {
		units->refused++;
		return NULL;
	}
	unit = mc_alloc_zero(sizeof(*unit) + size + 1);
	memcpy(unit->name, name, size + 1);
	unit->node.key = unit->name;
	unit->node.key_size = size;
	unit->state = STATE_UNKNOWN;
	unit->sub_state = -1;
	unit->restarts = -1;
	mc_map_add(&units->map, &unit->node);
	unit->before = units->newest;
	*(unit->before != NULL ? &unit->before->after : &units->oldest) = unit;
	units->newest = unit;
	return unit;
}

static void unqueue(struct units *units, struct unit *unit)
{
	struct unit *before = NULL, *at = units->first;

	for (; at != NULL && at != unit; at = at->next)
		before = at;
	if (at == NULL)
		return;
	if (before != NULL)
		before->next = unit->next;
	else
		units->first = unit->next;
	if (units->last == unit)
		units->last = before;
	unit->next = NULL;
	unit->is_queued = false;
}

void units_remove(struct units *units, struct unit *unit)
{
	if (unit->is_queued)
		unqueue(units, unit);
	mc_map_remove(&units->map, &unit->node);
	*(unit->before != NULL ? &unit->before->after : &units->oldest) = unit->after;
	*(unit->after != NULL ? &unit->after->before : &units->newest) = unit->before;
	free(unit->reason);
	free(unit);
}

struct unit *units_next(const struct units *units, const struct unit *unit)
{
	return unit != NULL ? unit->after : units->oldest;
}

void units_done(struct units *units)
{
	struct unit *unit = units_next(units, NULL), *next;

	for (; unit != NULL; unit = next) {
		next = units_next(units, unit);
		free(unit->reason);
		free(unit);
	}
	mc_map_done(&units->map);
	units->oldest = units->newest = units->first = units->last = NULL;
}

/* --- What is to be asked ------------------------------------------------------------------ */

void units_want(struct units *units, struct unit *unit, unsigned facts)
{
	unit->wanted |= facts;
	if (unit->wanted == 0 || unit->is_queued)
		return;
	unit->is_queued = true;
	unit->next = NULL;
	if (units->last != NULL)
		units->last->next = unit;
	else
		units->first = unit;
	units->last = unit;
}

struct unit *units_wanted(struct units *units, enum unit_fact *fact)
{
	struct unit *unit = units->first;
	unsigned i = 0;

	if (unit == NULL)
		return NULL;
	while (!(unit->wanted & UNIT_BIT(i)))
		i++;
	unit->wanted &= ~UNIT_BIT(i);
	unit->asked |= UNIT_BIT(i);
	if (unit->wanted == 0)
		unqueue(units, unit);
	*fact = (enum unit_fact)i;
	return unit;
}

void units_want_nothing(struct units *units)
{
	for (struct unit *unit = units_next(units, NULL); unit != NULL;
	     unit = units_next(units, unit)) {
		unit->wanted = unit->asked = 0;
		unit->is_queued = false;
		unit->next = NULL;
	}
	units->first = units->last = NULL;
}

/* --- What has changed --------------------------------------------------------------------- */

void units_enter(struct unit *unit, enum state state)
{
	bool fails = state == STATE_FAILED;

	if (fails && unit->state != STATE_FAILED)
		unit->unreports++;
	if (fails)
		unit->has_failed = true;
	else if (state == STATE_ACTIVE || state == STATE_RELOADING || state == STATE_INACTIVE)
		unit->has_failed = false; /* An attempt to start it is no recovery yet. */
	unit->state = state;
}

bool units_report(struct unit *unit, mc_time now)
{
	if (unit->state == STATE_UNKNOWN ||
	    (unit->has_report && unit->is_reported == unit->has_failed))
		return false;
	if (unit->reports == 0 || now - unit->window >= REPORTS_TIME) {
		unit->window = now;
		unit->reports = 0;
	} else if (unit->reports >= REPORTS_MAX) {
		return false;
	}
	if (unit->has_report || unit->has_failed)
		unit->reports++;
	unit->has_report = true;
	unit->is_reported = unit->has_failed;
	return true;
}
