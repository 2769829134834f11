/* SPDX-License-Identifier: MIT */
#include "release.h"

#include <string.h>

#include <collector/serve.h>
#include <collector/writer.h>

#define TURN (MC_SECOND / 5)

/* --- Samples ------------------------------------------------------------------- */

/* Counters of the guest itself, and of a job, do not begin with its process. */
static bool begins_with_process(const struct mc_type *type)
{
	static const char *const others[] = { "swap_io", "ps_pagefaults", "job_stats" };

	for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++)
		if (strcmp(type->name, others[i]) == 0)
			return false;
	return true;
}

uint64_t release_counters(const struct mc_type *type)
{
	uint64_t counters = 0;

	for (unsigned i = 0; i < type->sources_len; i++)
		if (type->sources[i].kind == MC_DERIVE || type->sources[i].kind == MC_COUNTER)
			counters |= UINT64_C(1) << i;
	return counters != 0 && begins_with_process(type) ? counters : 0;
}

const char *release_why(enum moves_verdict verdict)
{
	switch (verdict) {
	case MOVES_LATE:
	case MOVES_PAST:
		return "comes after its guest has moved to another host";
	case MOVES_CROWDED:
		return "would wait for the old host of its guest, as too many others do";
	default:
		return "is of a guest that runs on another host";
	}
}

/* --- Commits --------------------------------------------------------------------- */

/* Whether it is taken, with the counters that it goes on with.  It may have to wait again. */
static bool take(struct release *release, struct handover_sample *waited)
{
	const char *host = mc_host(waited->series);
	struct moves_sample sample = { .host = host,
				       .name = mc_name(waited->series) + strlen(host) + 1,
				       .stream = waited->stream,
				       .now = mc_wall(),
				       .time = waited->time,
				       .waited = true,
				       .interval = waited->interval,
				       .counters = release_counters(mc_type(waited->series)),
				       .values = waited->values,
				       .values_len = waited->values_len };
	enum moves_verdict verdict;

	pthread_mutex_lock(release->lock);
	verdict = moves_take(release->moves, &sample);
	tally_count(release->tally, sample.stream, verdict);
	if (verdict == MOVES_WAITS) {
		moves_keep(release->moves, &sample, mc_hold(waited->series));
		state_note_wait(release->state, &sample, waited->series);
	}
	pthread_mutex_unlock(release->lock);
	return verdict == MOVES_TAKEN;
}

/* Without their stream: so they are taken as they are now. */
static void commit(struct release *release, const struct handover *waiting)
{
	struct mc_batch *batch = mc_begin(release->ctx);

	for (struct handover_sample *at = waiting->samples; at != NULL; at = at->next)
		if (take(release, at))
			mc_put_at(batch, at->series, (struct mc_stamp){ at->time, at->interval },
				  at->values, at->values_len);
	state_append(release->state);
	mc_commit(batch);
	for (struct handover_sample *at = waiting->samples; at != NULL; at = at->next)
		mc_release(at->series);
}

static bool take_waiting(struct release *release, struct moves_guest *guest,
			 struct handover *waiting)
{
	bool found;

	pthread_mutex_lock(release->lock);
	found = moves_release(release->moves, guest, waiting);
	pthread_mutex_unlock(release->lock);
	return found;
}

static void release_guest(struct release *release, struct moves_guest *guest)
{
	struct handover waiting;

	while (take_waiting(release, guest, &waiting)) {
		commit(release, &waiting);
		handover_free(&waiting);
	}
}

/* Those that are due; at 0: all.  Returns whether others wait. */
static bool release_due(struct release *release, mc_time now)
{
	struct moves_guest *guest;
	bool others;

	do {
		pthread_mutex_lock(release->lock);
		guest = moves_due(release->moves, now);
		others = release->moves->waiting != NULL;
		pthread_mutex_unlock(release->lock);
		if (guest != NULL)
			release_guest(release, guest);
	} while (guest != NULL);
	return others;
}

/* --- The thread -------------------------------------------------------------------- */

static void on_turn(void *argument)
{
	struct release *release = argument;

	if (release_due(release, mc_wall()))
		mc_loop_set_timer(&release->loop, &release->turn, mc_now() + TURN);
}

static void on_wake(void *argument)
{
	struct release *release = argument;

	if (!mc_loop_timer_is_set(&release->turn))
		on_turn(release);
}

int release_start(struct release *release)
{
	int rc = mc_loop_wakeup_init(&release->wakeup);

	release->loop.ctx = release->ctx;
	release->wakeup.woken = on_wake;
	release->turn.expired = on_turn;
	release->wakeup.argument = release->turn.argument = release;
	if (rc == 0)
		rc = mc_loop_init(&release->loop);
	return rc == 0 ? mc_loop_watch_wakeup(&release->loop, &release->wakeup) : rc;
}

int release_run(struct release *release)
{
	int rc = mc_loop_run(&release->loop);

	pthread_mutex_lock(release->lock);
	release->moves->wait = 0;
	pthread_mutex_unlock(release->lock);
	release_due(release, 0);
	return rc;
}

void release_stop(struct release *release)
{
	mc_loop_done(&release->loop);
	mc_loop_wakeup_done(&release->wakeup);
}

void release_wake(struct release *release)
{
	mc_loop_wake(&release->wakeup);
}
