/* SPDX-License-Identifier: MIT */
/* collector/private/judge_states.h - states of judges that go with their series from one collector
 * to another: a judge reports how a series stands, a plugin by which collectors share series keeps
 * that where the others find it, and the judge of the one that has the series next adopts it.
 *
 * A state is a text in the judge's own terms. */
#pragma once

#include <collector/plugin.h>

#pragma GCC visibility push(default)

struct mc_judge_state {
	const char *judge;  /* Name of its instance; mc_report_state() sets it. */
	const char *series; /* The whole name. */
	const char *text;   /* In the judge's own terms; NULL: nothing stands. */
};

/* Has 'heard' called with each state that a judge reports, from start() to stop().  It is called by
 * any thread, several at once, does not wait, and calls no judge.  Thread: start()'s. */
typedef void mc_state_heard(struct mc_ctx *ctx, const struct mc_judge_state *state);
void mc_hear_states(struct mc_ctx *ctx, mc_state_heard *heard);

/* Whether somebody hears what mc_report_state() reports.  Takes no lock.  Thread: any. */
bool mc_are_states_heard(struct mc_ctx *ctx);

/* A judge's: a series stands otherwise now; not for what it has adopted.  Thread: any. */
void mc_report_state(struct mc_ctx *ctx, const struct mc_judge_state *state);

/* Has the judge of that name take the state as its own (adopt() of struct mc_judge), without a
 * notification.  0; -ENOENT: there is no such judge; -EINVAL: it cannot read the text.
 * Thread: any. */
int mc_adopt_state(struct mc_ctx *ctx, const struct mc_judge_state *state);

/* Waits until the judges that adopt states have seen all samples committed so far; for 'limit' at
 * most, in real time.  Not for their own threads. */
void mc_await_judges(struct mc_ctx *ctx, mc_time limit);

#pragma GCC visibility pop
