/* SPDX-License-Identifier: MIT */
#include "moves_internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "counters.h"
#include "rights.h"

/* --- Guests ------------------------------------------------------------------ */

static struct moves_guest *find(const struct moves *moves, const char *host)
{
	return (struct moves_guest *)mc_map_find(&moves->guests, host, strlen(host));
}

struct moves_guest *moves_get(struct moves *moves, const char *host, size_t max)
{
	struct moves_guest *guest = find(moves, host);
	size_t size = strlen(host);

	if (guest != NULL || moves->guests.len >= max)
		return guest;
	guest = mc_alloc_zero(sizeof(*guest) + size + 1);
	memcpy(guest->host, host, size + 1);
	guest->figures = MOVES_UNKNOWN;
	guest->node.key = guest->host;
	guest->node.key_size = size;
	mc_map_add(&moves->guests, &guest->node);
	return guest;
}

void moves_drop(struct moves *moves, struct moves_guest *guest)
{
	mc_map_remove(&moves->guests, &guest->node);
	counters_drop(moves, guest);
	handover_free(&guest->handover);
	free(guest->moves);
	free(guest);
}

static struct moves_host *get_host(struct moves *moves, const char *name)
{
	size_t size = strlen(name);
	struct moves_host *host = (struct moves_host *)mc_map_find(&moves->hosts, name, size);

	if (host != NULL || moves->hosts.len >= MOVES_HOSTS_MAX)
		return host;
	host = mc_alloc_zero(sizeof(*host) + size + 1);
	memcpy(host->name, name, size + 1);
	host->node.key = host->name;
	host->node.key_size = size;
	mc_map_add(&moves->hosts, &host->node);
	return host;
}

static void drop_hosts(struct moves *moves)
{
	for (struct mc_map_node *at = mc_map_next(&moves->hosts, NULL), *next; at != NULL;
	     at = next) {
		next = mc_map_next(&moves->hosts, at);
		mc_map_remove(&moves->hosts, at);
		free(at);
	}
	mc_map_done(&moves->hosts);
}

void moves_done(struct moves *moves)
{
	drop_hosts(moves);
	for (struct moves_guest *at = moves_next(moves, NULL), *next; at != NULL; at = next) {
		next = moves_next(moves, at);
		moves_drop(moves, at);
	}
	mc_map_done(&moves->guests);
}

/* --- Generations --------------------------------------------------------------- */

static struct moves_generation *find_generation(struct moves_guest *guest, const char *name)
{
	for (unsigned i = 0; i < MOVES_GENERATIONS; i++)
		if (guest->generations[i].serial != 0 &&
		    strcmp(guest->generations[i].stream.generation, name) == 0)
			return &guest->generations[i];
	return NULL;
}

/* A move may be known by values alone. */
static void note_arrival(struct moves_guest *guest, const struct stream *stream, mc_time now)
{
	const struct stream *before = &moves_current(guest)->stream;

	if (strcmp(before->hypervisor, stream->hypervisor) == 0 || guest->arrived ||
	    strcmp(guest->told, stream->hypervisor) == 0)
		return;
	if (guest->stage == MOVES_STAYS)
		memcpy(guest->from, before->hypervisor, sizeof(guest->from));
	memcpy(guest->to, stream->hypervisor, sizeof(guest->to));
	guest->arrived = true;
	guest->arrived_at = now;
}

/* Whether the counters of the guest go on with those of that process. */
static bool goes_on(const struct moves_guest *guest, const struct stream *stream)
{
	const struct moves_generation *current = &guest->generations[guest->current];

	return current->serial != 0 && strcmp(current->stream.uuid, stream->uuid) == 0 &&
	       rights_has_come(guest, stream);
}

/* Another place than that of the current one: a free one, or that of the oldest. */
static struct moves_generation *find_place(struct moves_guest *guest)
{
	struct moves_generation *place = NULL;

	for (unsigned i = 0; i < MOVES_GENERATIONS; i++) {
		struct moves_generation *at = &guest->generations[i];

		if (at != moves_current(guest) && (place == NULL || at->serial < place->serial))
			place = at;
	}
	return place;
}

static void begin(struct moves *moves, struct moves_guest *guest, const struct stream *stream,
		  const struct moves_sample *sample)
{
	const struct moves_generation *current = moves_current(guest);
	mc_time now = sample->now;
	bool first = current->serial == 0;
	bool carries = goes_on(guest, stream);
	bool by_silence = rights_is_by_silence(moves, guest, stream);

	if (carries)
		note_arrival(guest, stream, now);
	if (!first)
		guest->current = (unsigned)(find_place(guest) - guest->generations);
	counters_forget(moves, moves_current(guest));
	*moves_current(guest) =
		(struct moves_generation){ .serial = ++guest->serials,
					   .carries = carries,
					   .by_silence = by_silence,
					   .began = sample->time,
					   .stream = *stream,
					   .host = get_host(moves, stream->hypervisor) };
	guest->moved = now;
	guest->interval = guest->sampled = guest->lives_until = 0;
	moves_mark(moves, guest);
	guest->refused = false;
}

static struct handover_old old_of(const struct moves_guest *guest)
{
	const struct moves_generation *current = &guest->generations[guest->current];
	const struct moves_host *host = current->host;

	return (struct handover_old){ .sampled = guest->sampled,
				      .seen = guest->seen,
				      .interval = guest->interval,
				      .left = rights_left_at(guest, current),
				      .reached = host != NULL ? host->reached : 0 };
}

static bool must_wait(const struct moves *moves, const struct moves_guest *guest,
		      const struct stream *stream, const struct moves_sample *sample)
{
	const struct moves_generation *current = &guest->generations[guest->current];
	struct handover_old old = old_of(guest);

	/* Values without a right keep nobody from having the guest. */
	if (guest->handover.since != 0)
		return guest->handover.releasing || rights_is_proven(moves, guest, sample->now);
	return moves->wait > 0 && goes_on(guest, stream) &&
	       strcmp(current->stream.hypervisor, stream->hypervisor) != 0 &&
	       handover_is_needed(&old, sample->time);
}

static enum moves_verdict start_to_wait(struct moves *moves, struct moves_guest *guest,
					const struct moves_sample *sample)
{
	struct handover *handover = &guest->handover;

	if (moves->waiting_size >= HANDOVER_SIZE_MAX)
		return MOVES_CROWDED;
	if (handover->since != 0 && (!sample->waited || handover->again))
		return MOVES_WAITS;
	handover->since = sample->now;
	handover->first = sample->time;
	if (sample->waited) {
		handover->again = true;
		return MOVES_WAITS;
	}
	guest->next_waiting = moves->waiting;
	moves->waiting = guest;
	return MOVES_WAITS;
}

/* Of one that has no right, but may get it. */
static enum moves_verdict claim(struct moves *moves, struct moves_guest *guest,
				const struct stream *stream, const struct moves_sample *sample)
{
	bool rival =
		sample->now < guest->rival_until && strcmp(guest->rival, stream->hypervisor) == 0;
	bool refuted = sample->waited ? guest->handover.forced || rights_is_refuted(guest) : rival;

	if (refuted || moves->wait == 0)
		return rights_refuse(guest, stream, sample->now);
	return start_to_wait(moves, guest, sample);
}

static void return_to(struct moves *moves, struct moves_guest *guest,
		      struct moves_generation *known, mc_time now)
{
	guest->current = (unsigned)(known - guest->generations);
	known->carries = known->known = true;
	known->by_silence = false;
	guest->interval = guest->sampled = 0;
	guest->moved = now;
	moves_mark(moves, guest);
}

/* Of a process that had the guest before, while another one has it. */
static enum moves_verdict contest(struct moves *moves, struct moves_guest *guest,
				  struct moves_generation *known, const struct moves_sample *sample)
{
	const struct moves_generation *current = moves_current(guest);

	if (sample->now < guest->restored_until || rights_has_left(guest, known))
		return MOVES_LATE;
	if (known->by_silence && !current->by_silence)
		return rights_refuse(guest, &known->stream, sample->now);
	if (!current->by_silence || sample->time <= current->began + MOVES_SKEW)
		return MOVES_LATE;
	/* Its silence was that of a link: two hosts run the guest, or one says that it does. */
	if (rights_has_events(guest, current->stream.hypervisor))
		return rights_refuse(guest, &known->stream, sample->now);
	memcpy(guest->rival, current->stream.hypervisor, sizeof(guest->rival));
	guest->refused = true;
	return_to(moves, guest, known, sample->now);
	return MOVES_TAKEN;
}

/* Whether a process that is not the current one has the guest from now on. */
static enum moves_verdict change(struct moves *moves, struct moves_guest *guest,
				 const struct stream *stream, const struct moves_sample *sample)
{
	struct moves_generation *known = find_generation(guest, stream->generation);
	mc_time now = sample->now;

	if (known != NULL && known->stream.hypervisor[0] == '\0') { /* It is from a file. */
		known->stream = *stream;
		known->host = get_host(moves, stream->hypervisor);
	}
	if (known != NULL && (rights_lives(guest, now) || now < guest->restored_until ||
			      rights_has_left(guest, known)))
		return contest(moves, guest, known, sample);
	if (known != NULL) { /* It came back. */
		return_to(moves, guest, known, now);
		return MOVES_TAKEN;
	}
	switch (rights_of(moves, guest, stream, now)) {
	case RIGHTS_NONE:
		return rights_refuse(guest, stream, now);
	case RIGHTS_CLAIM:
		return claim(moves, guest, stream, sample);
	case RIGHTS_FULL:
		break;
	}
	if (!sample->waited && must_wait(moves, guest, stream, sample))
		return start_to_wait(moves, guest, sample);
	begin(moves, guest, stream, sample);
	return MOVES_TAKEN;
}

/* --- Values -------------------------------------------------------------------- */

static void take(struct moves *moves, struct moves_guest *guest, const struct moves_sample *sample)
{
	const struct moves_generation *current = moves_current(guest);

	guest->seen = sample->now;
	if (current->began == 0)
		moves_current(guest)->began = sample->time;
	if (sample->time > guest->sampled)
		guest->sampled = sample->time;
	if (guest->interval == 0 || sample->interval < guest->interval)
		guest->interval = sample->interval;
	counters_take(moves, guest, sample);
}

static enum moves_verdict count(struct moves *moves, enum moves_verdict verdict)
{
	moves->taken += verdict == MOVES_TAKEN;
	moves->late += verdict == MOVES_LATE || verdict == MOVES_PAST || verdict == MOVES_MERGED;
	moves->refused += verdict == MOVES_STRANGE || verdict == MOVES_CROWDED;
	return verdict;
}

static void reach(struct moves_host *host, const struct stream *stream,
		  const struct moves_sample *sample)
{
	if (host != NULL && sample->time > host->reached &&
	    strcmp(host->name, stream->hypervisor) == 0)
		host->reached = sample->time;
}

void moves_reach(struct moves *moves, const char *name, mc_time time)
{
	struct moves_host *host =
		(struct moves_host *)mc_map_find(&moves->hosts, name, strlen(name));

	if (host != NULL && time > host->reached)
		host->reached = time;
}

enum moves_verdict moves_take(struct moves *moves, const struct moves_sample *sample)
{
	struct moves_guest *guest;
	struct moves_generation *known;
	enum moves_verdict verdict = MOVES_TAKEN;
	struct stream stream;

	if (!stream_parse(sample->stream, &stream))
		return MOVES_TAKEN;
	guest = moves_get(moves, sample->host, MOVES_GUESTS_MAX);
	if (guest == NULL)
		return MOVES_TAKEN;
	guest->heard = sample->now;
	known = find_generation(guest, stream.generation);
	if (known == NULL || known != moves_current(guest))
		verdict = change(moves, guest, &stream, sample);
	reach(known != NULL ? known->host : moves_current(guest)->host, &stream, sample);
	if (verdict == MOVES_TAKEN)
		take(moves, guest, sample);
	else if (verdict == MOVES_LATE)
		verdict = counters_take_late(moves, guest, sample, known);
	return count(moves, verdict);
}

/* --- Values that wait ------------------------------------------------------------- */

void moves_keep(struct moves *moves, const struct moves_sample *sample, struct mc_series *series)
{
	struct moves_guest *guest = find(moves, sample->host);
	struct handover_sample like = { .time = sample->time,
					.interval = sample->interval,
					.values_len = sample->values_len };

	moves->waited += !sample->waited;
	moves->waiting_size +=
		handover_add(&guest->handover, series, sample->stream, &like, sample->values);
}

/* At once if it cannot have the guest; else when it has the right, and the old host sends no more
 * of before. */
static bool is_due(const struct moves *moves, const struct moves_guest *guest, mc_time now)
{
	struct handover_old old = old_of(guest);

	return rights_is_proven(moves, guest, now)
		       ? handover_is_over(&guest->handover, &old, now, moves->wait)
		       : rights_is_refuted(guest);
}

struct moves_guest *moves_due(struct moves *moves, mc_time now)
{
	bool forced = now == 0 || moves->waiting_size >= HANDOVER_SIZE_MAX / 2;

	for (struct moves_guest *at = moves->waiting; at != NULL; at = at->next_waiting) {
		struct handover_old old = old_of(at);

		if (at->handover.releasing || (!forced && !is_due(moves, at, now)))
			continue;
		at->handover.forced = forced;
		moves->overdue +=
			old.reached < at->handover.first && now - at->handover.since >= moves->wait;
		at->handover.releasing = true;
		return at;
	}
	return NULL;
}

bool moves_release(struct moves *moves, struct moves_guest *guest, struct handover *taken)
{
	struct moves_guest **at = &moves->waiting;

	if (guest->handover.again) {
		guest->handover.again = guest->handover.releasing = false;
		return false;
	}
	*taken = handover_take(&guest->handover);
	moves->waiting_size -= taken->size;
	if (taken->samples != NULL) {
		moves_mark(moves, guest);
		return true;
	}
	handover_free(taken);
	while (*at != guest)
		at = &(*at)->next_waiting;
	*at = guest->next_waiting;
	guest->handover.since = 0;
	guest->handover.releasing = guest->handover.forced = false;
	return false;
}

/* --- For files ---------------------------------------------------------------------- */

struct moves_guest *moves_restore(struct moves *moves, const char *host,
				  const struct stream *stream, mc_time now)
{
	struct moves_guest *guest = moves_get(moves, host, MOVES_GUESTS_MAX);

	if (guest == NULL)
		return NULL;
	counters_drop(moves, guest);
	memset(guest->generations, 0, sizeof(guest->generations));
	guest->current = 0;
	guest->serials = MOVES_GENERATIONS;
	guest->generations[0] = (struct moves_generation){
		.serial = moves_serial_of(1), .carries = true, .known = true, .stream = *stream
	};
	guest->generations[0].host = get_host(moves, stream->hypervisor);
	guest->restores++;
	guest->moves_len = 0;
	guest->sampled = 0;
	guest->heard = now;
	guest->restored_until = now + MOVES_ARRIVES;
	guest->lives_until = now + MOVES_SETTLES;
	guest->kept = true;
	return guest;
}

void moves_restore_move(struct moves_guest *guest, const struct moves_move *move)
{
	if (guest->moves == NULL)
		guest->moves = mc_alloc_array(MOVES_KEPT, sizeof(*guest->moves));
	if (guest->moves_len == MOVES_KEPT)
		memmove(guest->moves, guest->moves + 1, --guest->moves_len * sizeof(*guest->moves));
	guest->moves[guest->moves_len++] = *move;
}

void moves_restore_waiting(struct moves *moves, struct moves_guest *guest,
			   const struct moves_sample *sample, struct mc_series *series)
{
	struct handover *handover = &guest->handover;

	if (handover->since == 0) {
		handover->since = sample->now;
		handover->first = sample->time;
		guest->next_waiting = moves->waiting;
		moves->waiting = guest;
	}
	if (sample->time < handover->first)
		handover->first = sample->time;
	moves_keep(moves, sample, series);
}

void moves_restore_old(struct moves_guest *guest, const char *generation)
{
	unsigned known = 0;
	struct moves_generation *old;

	while (known < MOVES_GENERATIONS && guest->generations[known].serial != 0)
		known++;
	if (known == MOVES_GENERATIONS)
		return;
	old = &guest->generations[known];
	*old = (struct moves_generation){ .serial = moves_serial_of(known + 1), .carries = true };
	old->known = true;
	snprintf(old->stream.generation, sizeof(old->stream.generation), "%s", generation);
}
