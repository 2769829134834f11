/* SPDX-License-Identifier: MIT */
/* Which host may send values of a guest: the right moves by the statement of the host that has it,
 * by its silence, or freely among hosts of a list.  A mere claim is no right.  Pure. */
#pragma once

#include "moves.h"

/* Remembers what a host has said.  False: this is a statement that was heard before. */
bool rights_note(struct moves_guest *, const struct moves_event *);

/* Whether the host of a process has said that the guest has left it, or has ended. */
bool rights_has_left(const struct moves_guest *, const struct moves_generation *);

/* When that was, by the clock of that host; 0: it has not said so. */
mc_time rights_left_at(const struct moves_guest *, const struct moves_generation *);

/* Whether that host has said that the guest has ended there, not moved. */
bool rights_has_ended(const struct moves_guest *, const struct moves_generation *);

/* Whether a host has said that the guest runs there. */
bool rights_has_events(const struct moves_guest *, const char *hypervisor);

/* Whether the current process has sent values lately. */
bool rights_lives(const struct moves_guest *, mc_time now);

/* Whether the guest has come, not started anew, by what is known of that process. */
bool rights_has_come(const struct moves_guest *, const struct stream *);

/* Whether hosts of the two need no statement. */
bool rights_trusts(const struct moves *, const struct stream *, const struct stream *);

enum rights {
	RIGHTS_NONE,
	RIGHTS_CLAIM, /* It says so, and the old host may say so yet. */
	RIGHTS_FULL,
};
enum rights rights_of(const struct moves *, const struct moves_guest *, const struct stream *,
		      mc_time now);

/* Whether one of those whose values wait has the right. */
bool rights_is_proven(const struct moves *, const struct moves_guest *, mc_time now);

/* Whether the current process has gone on for so long that no waiting one can have the guest. */
bool rights_is_refuted(const struct moves_guest *);

/* Whether that process gets the guest though the old host has neither said that it has left, nor
 * is trusted. */
bool rights_is_by_silence(const struct moves *, const struct moves_guest *, const struct stream *);

/* Refuses values of the host of that process, which is to be reported. */
enum moves_verdict rights_refuse(struct moves_guest *, const struct stream *, mc_time now);
