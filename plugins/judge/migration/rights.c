/* SPDX-License-Identifier: MIT */
#include "rights.h"

#include <stdio.h>
#include <string.h>

/* --- Statements ------------------------------------------------------------------- */

static const struct moves_word *find_word(const struct moves_guest *guest, const char *host)
{
	for (unsigned i = 0; i < MOVES_WORDS; i++)
		if (guest->words[i].heard != 0 && strcmp(guest->words[i].host, host) == 0)
			return &guest->words[i];
	return NULL;
}

/* In the place of the one that was heard longest ago, but never of the current host. */
static struct moves_word *get_word(struct moves_guest *guest, const char *host)
{
	struct moves_word *word = (struct moves_word *)find_word(guest, host), *at;
	const char *current = guest->generations[guest->current].stream.hypervisor;

	if (word != NULL)
		return word;
	for (unsigned i = 0; i < MOVES_WORDS; i++) {
		at = &guest->words[i];
		if (at->heard != 0 && strcmp(at->host, current) == 0)
			continue;
		if (word == NULL || at->heard < word->heard)
			word = at;
	}
	*word = (struct moves_word){ 0 };
	snprintf(word->host, sizeof(word->host), "%s", host);
	return word;
}

bool rights_note(struct moves_guest *guest, const struct moves_event *event)
{
	struct moves_word *word = get_word(guest, event->hypervisor);

	word->heard = event->now;
	switch (event->kind) {
	case MOVES_STOPPED:
		if (event->time == word->stopped)
			return false;
		word->stopped = event->time;
		word->left = event->time;
		break;
	case MOVES_HANDED:
	case MOVES_ENDED:
		word->left = event->time;
		break;
	case MOVES_CAME:
	case MOVES_STARTED:
		word->came = event->time;
		break;
	default:
		break;
	}
	return true;
}

/* Both times are by the clock of that host, so a statement about a former process of it, which is
 * repeated late, is older than the first sample of this one. */
mc_time rights_left_at(const struct moves_guest *guest, const struct moves_generation *generation)
{
	const struct moves_word *word = find_word(guest, generation->stream.hypervisor);

	return word != NULL && word->left >= generation->began ? word->left : 0;
}

bool rights_has_left(const struct moves_guest *guest, const struct moves_generation *generation)
{
	return rights_left_at(guest, generation) != 0;
}

bool rights_has_ended(const struct moves_guest *guest, const struct moves_generation *generation)
{
	const struct moves_word *word = find_word(guest, generation->stream.hypervisor);

	return rights_has_left(guest, generation) && word->left != word->stopped;
}

bool rights_has_events(const struct moves_guest *guest, const char *hypervisor)
{
	const struct moves_word *word = find_word(guest, hypervisor);

	return word != NULL && word->came > word->left;
}

/* --- Rights ------------------------------------------------------------------------ */

bool rights_lives(const struct moves_guest *guest, mc_time now)
{
	return guest->generations[guest->current].serial != 0 &&
	       (now < guest->lives_until || now - guest->seen <= MOVES_LIVES * guest->interval);
}

bool rights_has_come(const struct moves_guest *guest, const struct stream *stream)
{
	return stream->migrated || guest->stage == MOVES_LEFT ||
	       (guest->arrived && strcmp(guest->to, stream->hypervisor) == 0);
}

bool rights_trusts(const struct moves *moves, const struct stream *a, const struct stream *b)
{
	return moves->trusts != NULL && moves->trusts(moves->list, a->hypervisor) &&
	       moves->trusts(moves->list, b->hypervisor);
}

/* Another host has said that the guest has come to it, and this one has not. */
static bool went_elsewhere(const struct moves_guest *guest, const char *hypervisor)
{
	return guest->arrived && strcmp(guest->to, hypervisor) != 0 &&
	       rights_has_events(guest, guest->to) && !rights_has_events(guest, hypervisor);
}

/* Of two hosts that have no statement for it the one with events has the guest. */
static bool is_better(const struct moves_guest *guest, const struct moves_generation *current,
		      const char *hypervisor)
{
	return current->by_silence && !rights_has_events(guest, current->stream.hypervisor) &&
	       rights_has_events(guest, hypervisor);
}

enum rights rights_of(const struct moves *moves, const struct moves_guest *guest,
		      const struct stream *stream, mc_time now)
{
	const struct moves_generation *current = &guest->generations[guest->current];
	const char *hypervisor = stream->hypervisor;

	if (strcmp(current->stream.hypervisor, hypervisor) == 0 || !rights_lives(guest, now))
		return RIGHTS_FULL;
	if (rights_has_left(guest, current))
		return went_elsewhere(guest, hypervisor) ? RIGHTS_CLAIM : RIGHTS_FULL;
	if (is_better(guest, current, hypervisor) ||
	    (rights_has_come(guest, stream) && rights_trusts(moves, &current->stream, stream)))
		return RIGHTS_FULL;
	return strcmp(current->stream.uuid, stream->uuid) == 0 &&
			       (stream->migrated || rights_has_events(guest, hypervisor))
		       ? RIGHTS_CLAIM
		       : RIGHTS_NONE;
}

bool rights_is_proven(const struct moves *moves, const struct moves_guest *guest, mc_time now)
{
	struct stream stream;

	for (const struct handover_stream *at = guest->handover.streams; at != NULL; at = at->next)
		if (stream_parse(at->text, &stream) &&
		    rights_of(moves, guest, &stream, now) == RIGHTS_FULL)
			return true;
	return false;
}

bool rights_is_refuted(const struct moves_guest *guest)
{
	mc_time lives = MOVES_LIVES * guest->interval;

	return guest->sampled > guest->handover.first + (lives > MOVES_SKEW ? lives : MOVES_SKEW);
}

bool rights_is_by_silence(const struct moves *moves, const struct moves_guest *guest,
			  const struct stream *stream)
{
	const struct moves_generation *current = &guest->generations[guest->current];

	return current->serial != 0 &&
	       strcmp(current->stream.hypervisor, stream->hypervisor) != 0 &&
	       !rights_has_left(guest, current) && !rights_trusts(moves, &current->stream, stream);
}

enum moves_verdict rights_refuse(struct moves_guest *guest, const struct stream *stream,
				 mc_time now)
{
	memcpy(guest->rival, stream->hypervisor, sizeof(guest->rival));
	guest->rival_until = now + MOVES_ARRIVES;
	guest->refused = true;
	return MOVES_STRANGE;
}
