/* SPDX-License-Identifier: MIT */
/* Moves of guests by what hosts say, and what is due to be reported of them. */
#include "moves_internal.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "rights.h"

/* --- Events --------------------------------------------------------------------- */

static void set_stage(struct moves *moves, struct moves_guest *guest, enum moves_stage stage,
		      const struct moves_event *event)
{
	guest->stage = stage;
	guest->stage_at = event->now;
	snprintf(guest->from, sizeof(guest->from), "%s", event->hypervisor);
	guest->quiet = true;
	guest->quiet_until = event->now + MOVES_ARRIVES;
	moves_mark(moves, guest);
}

static bool is_from(const struct moves_guest *guest, const struct moves_event *event)
{
	return strcmp(guest->from, event->hypervisor) == 0;
}

/* A move that the values of the new host have shown is reported once. */
static bool is_told(const struct moves_guest *guest, const struct moves_event *event)
{
	return event->now - guest->told_at < MOVES_ARRIVES &&
	       strcmp(guest->told, event->hypervisor) == 0;
}

static bool is_to(const struct moves_guest *guest, const struct moves_event *event)
{
	return guest->arrived && strcmp(guest->to, event->hypervisor) == 0;
}

/* Whether it may say where the guest is: it has it, or had it before a move that is not reported
 * yet, or the guest has come to it, by the statement of the one that has it, and goes on before a
 * value of there has come. */
static bool is_source(struct moves_guest *guest, const struct moves_event *event)
{
	const struct moves_generation *current = moves_current(guest);

	return current->serial == 0 || strcmp(current->stream.hypervisor, event->hypervisor) == 0 ||
	       (guest->arrived && is_from(guest, event)) ||
	       (rights_has_left(guest, current) && (is_to(guest, event) || is_told(guest, event)));
}

static void come_back(struct moves_guest *guest, const struct moves_event *event)
{
	guest->stage = MOVES_STAYS;
	guest->arrived = false;
	guest->quiet_until = event->now + MOVES_SETTLES;
}

static void arrive(struct moves_guest *guest, const struct moves_event *event)
{
	if (guest->stage == MOVES_LEAVES && is_from(guest, event)) {
		come_back(guest, event);
		return;
	}
	if (guest->arrived || is_told(guest, event))
		return;
	guest->arrived = true;
	guest->arrived_at = event->now;
	snprintf(guest->to, sizeof(guest->to), "%s", event->hypervisor);
	if (guest->stage == MOVES_STAYS)
		memcpy(guest->from, moves_current(guest)->stream.hypervisor, sizeof(guest->from));
}

const struct moves_guest *moves_events_hear(struct moves *moves, const struct moves_event *event)
{
	struct moves_guest *guest = moves_get(moves, event->host, MOVES_HEARD_MAX);

	if (guest == NULL)
		return NULL;
	guest->heard = event->now;
	if (!rights_note(guest, event))
		return NULL;
	switch (event->kind) {
	case MOVES_SUSPENDED:
	case MOVES_HANDED:
		if (!is_source(guest, event))
			return NULL;
		guest->figures = MOVES_UNKNOWN;
		if (guest->stage != MOVES_LEFT)
			set_stage(moves, guest, MOVES_LEAVES, event);
		return guest;
	case MOVES_STOPPED:
		if (!is_source(guest, event))
			return NULL;
		guest->lost = false;
		if (is_to(guest, event)) /* The move to it was not reported in time. */
			guest->arrived = false;
		set_stage(moves, guest, MOVES_LEFT, event);
		return guest;
	case MOVES_CAME:
		arrive(guest, event);
		return NULL;
	case MOVES_RESUMED:
		if (guest->stage == MOVES_LEAVES && is_from(guest, event))
			come_back(guest, event);
		return NULL;
	case MOVES_ENDED:
		if (is_to(guest, event))
			guest->arrived = false;
		return NULL;
	case MOVES_STARTED:
		return NULL;
	case MOVES_JOB_DONE:
		if (!is_source(guest, event))
			return NULL;
		guest->figures = event->figures;
		return NULL;
	}
	return NULL;
}

/* --- What is due ------------------------------------------------------------------- */

static bool has_moved(struct moves_guest *guest, mc_time now)
{
	const struct moves_generation *current = moves_current(guest);

	if (guest->arrived && guest->stage == MOVES_LEFT)
		return !isnan(guest->figures.downtime) || now - guest->stage_at > MOVES_JOB;
	/* Its old host is not measured, or is silent.  As long as that sends values, the new one
	 * may say what it likes. */
	return guest->arrived && now - guest->arrived_at > MOVES_JOB &&
	       guest->stage == MOVES_STAYS &&
	       (strcmp(current->stream.hypervisor, guest->to) == 0 || !rights_lives(guest, now));
}

static void end_move(struct moves *moves, struct moves_guest *guest, mc_time now)
{
	struct moves_move over = { .time = now, .figures = guest->figures };

	memcpy(over.from, guest->from, sizeof(over.from));
	memcpy(over.to, guest->to, sizeof(over.to));
	moves_restore_move(guest, &over);
	moves_mark(moves, guest);
	moves->moved++;
	memcpy(guest->told, guest->to, sizeof(guest->told));
	guest->told_at = now;
	guest->stage = MOVES_STAYS;
	guest->arrived = guest->lost = false;
	guest->figures = MOVES_UNKNOWN;
	guest->quiet_until = now + MOVES_SETTLES;
}

static void look_at(struct moves *moves, struct moves_guest *guest, mc_time now, moves_tell *tell,
		    void *argument)
{
	bool late = guest->stage != MOVES_STAYS && now - guest->stage_at > MOVES_ARRIVES;

	if (has_moved(guest, now)) {
		tell(argument, MOVES_HAS_MOVED, guest);
		end_move(moves, guest, now);
	} else if (late && guest->stage == MOVES_LEFT && !guest->lost) {
		guest->lost = true;
		tell(argument, MOVES_IS_LOST, guest);
	} else if (late && guest->stage == MOVES_LEAVES) {
		guest->stage = MOVES_STAYS;
	} else if (guest->arrived && guest->stage == MOVES_STAYS &&
		   now - guest->arrived_at > MOVES_ARRIVES) {
		guest->arrived = false;
	}
	if (guest->refused)
		tell(argument, MOVES_IS_REFUSED, guest);
	guest->refused = false;
	if (guest->handover.since != 0) {
		if (!guest->quiet)
			tell(argument, MOVES_IS_QUIET, guest);
		guest->quiet = true;
		guest->quiet_until = now + MOVES_SETTLES;
	}
	if (guest->quiet && now > guest->quiet_until) {
		guest->quiet = false;
		tell(argument, MOVES_IS_LOUD, guest);
	}
}

static bool is_over(const struct moves_guest *guest, mc_time now)
{
	const struct moves_generation *current = &guest->generations[guest->current];
	bool ended = current->serial == 0 || rights_has_ended(guest, current);

	return guest->handover.since == 0 &&
	       now - guest->heard > (ended ? MOVES_FORGETS : MOVES_KEEPS);
}

void moves_events_look(struct moves *moves, mc_time now, moves_tell *tell, void *argument)
{
	for (struct moves_guest *at = moves_next(moves, NULL), *next; at != NULL; at = next) {
		next = moves_next(moves, at);
		look_at(moves, at, now, tell, argument);
		if (is_over(at, now))
			moves_drop(moves, at);
	}
}
