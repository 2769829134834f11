/* SPDX-License-Identifier: MIT */
/* Questions about single units, and their answers.  Thread: the loop's. */
#pragma once

#include "bus.h"

/* These facts are to be asked for, where units of this kind have them. */
void facts_want(struct bus *, struct unit *, unsigned facts);

/* How it has ended is to be asked for, if it has failed and that is not among the known facts. */
void facts_want_outcome(struct bus *, struct unit *, unsigned known);

/* An answer has come: calls changed() if no other is awaited that it needs. */
void facts_look_at(struct bus *, struct unit *);

/* Asks as many questions as may be open. */
void facts_ask(struct bus *);
