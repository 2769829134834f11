/* SPDX-License-Identifier: MIT */
/* When each instance reads, and on which thread. */
#include "engine/read/scheduler.h"

#include <collector/kit/lock.h>
#include <collector/private/status.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/crash.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/context.h"
#include "engine/read/heap.h"
#include "engine/read/reading.h"
#include "engine/store/store.h"

#define LATE (500 * MC_MILLISECOND) /* Later than that a cycle is skipped. */
#define REST (60 * MC_SECOND)       /* A thread not needed for so long ends. */
#define DEAD (30 * MC_SECOND)       /* No read begun for so long, though due. */

struct scheduler {
	struct scheduler_settings settings; /* Its limits: under the lock. */
	uint64_t phase;                     /* Of this host's grid; the same for all intervals. */
	pthread_cond_t lead;                /* The leader waits for the next due time. */
	pthread_cond_t watch;               /* The watcher waits a moment longer. */
	pthread_cond_t idle;                /* The others wait to be needed. */
	pthread_cond_t ended;               /* A thread has ended, or a read of one that leaves. */
	pthread_mutex_t lock;               /* Also of struct reading. */
	struct heap heap MC_GUARDED_BY(lock);
	struct reading *running MC_GUARDED_BY(lock);
	/* A thread's own address, or NULL. */
	const void *leader MC_GUARDED_BY(lock);
	const void *watcher MC_GUARDED_BY(lock);
	bool leader_reads MC_GUARDED_BY(lock); /* A quick read, itself. */
	mc_time progress MC_GUARDED_BY(lock);  /* When it began that. */
	/* When there was a leader that looked. */
	mc_time awake MC_GUARDED_BY(lock);
	/* Writers have not been woken for what they got. */
	bool wake_owed MC_GUARDED_BY(lock);
	unsigned threads MC_GUARDED_BY(lock);  /* Alive. */
	unsigned reads MC_GUARDED_BY(lock);    /* That run now. */
	unsigned idle_len MC_GUARDED_BY(lock); /* Threads in 'idle'. */
	unsigned wanted MC_GUARDED_BY(lock);   /* Wake-ups of 'idle' under way. */
	bool stopping MC_GUARDED_BY(lock);
};

/* --- One read --------------------------------------------------------- */

/* '*cpu' is what the thread has used so far; it is asked once per read, as it
 * takes a system call, so what lies between two reads counts for the later. */
static int read_into(const struct scheduler_settings *settings, struct reading *reading, bool wake,
		     mc_time *cpu)
{
	struct context *context = reading->context;
	mc_time begun = clock_now(), cpu_begun = *cpu;
	struct mc_batch *batch = store_begin(settings->store, &context->ctx);
	int rc;

	batch->scheduled = true;
	crash_set_plugin(context->ctx.name);
	rc = context->plugin->read(&context->ctx, batch);
	crash_set_plugin(NULL);
	reading->reads++;
	reading->failures += rc < 0;
	reading->in_vain = rc < 0 && rc != -EAGAIN && batch->first == NULL;
	log_once_result(&context->log_once, context->ctx.name, rc);
	/* Values read before an error still count. */
	settings->commit(settings->argument, batch, wake);
	reading->duration = clock_now() - begun;
	*cpu = clock_cpu();
	reading->cpu += *cpu - cpu_begun;
	return rc;
}

int scheduler_read(const struct scheduler_settings *settings, struct reading *reading)
{
	mc_time cpu = clock_cpu();

	return read_into(settings, reading, true, &cpu);
}

/* --- The grid --------------------------------------------------------- */

/* The first point of the grid of that interval that is after 'time'. */
static mc_time grid_after(const struct scheduler *scheduler, mc_time interval, mc_time time)
{
	mc_time phase = scheduler->phase % interval;

	if (time < phase) /* The machine has just been started. */
		return phase;
	return ((time - phase) / interval + 1) * interval + phase;
}

/* When to read again after a read that was due at reading->due.  A reader that
 * fails is asked ever more rarely, but for -EAGAIN, and unless a part of it
 * works; one that works again at once as before. */
static void plan_next(struct scheduler *scheduler, struct reading *reading, mc_time now)
{
	mc_time normal = reading->context->ctx.interval;
	mc_time most = scheduler->settings.interval_max;
	mc_time last = reading->due;

	reading->interval = reading->in_vain ? 2 * reading->interval : normal;
	if (reading->in_vain && reading->interval > most)
		reading->interval = most > normal ? most : normal;
	/* On the grid of its own interval even while it is slowed down. */
	reading->due = grid_after(scheduler, normal, last + reading->interval - normal / 2);
	if (reading->due <= now - (normal < 2 * LATE ? normal / 2 : LATE)) {
		mc_time due = grid_after(scheduler, normal, now);

		reading->skipped += (due - reading->due) / normal;
		reading->due = due;
	}
}

/* --- Threads ---------------------------------------------------------- */

static void *thread_main(void *argument);

/* Sees to it that somebody else is there to take over. */
static void call_helper(struct scheduler *scheduler) MC_REQUIRES(scheduler->lock)
{
	pthread_t thread;
	int rc;

	if (scheduler->idle_len > scheduler->wanted) {
		scheduler->wanted++;
		pthread_cond_signal(&scheduler->idle);
		return;
	}
	if (scheduler->threads >= SCHEDULER_THREADS_MAX)
		return;
	scheduler->threads++;
	rc = thread_start(&thread, "reader", thread_main, scheduler);
	if (rc == 0) {
		pthread_detach(thread);
		return;
	}
	scheduler->threads--;
	log_error("cannot start a thread to read: %s", strerror(-rc));
}

static mc_time next_due(struct scheduler *scheduler)
{
	struct reading *first = heap_first(&scheduler->heap);

	return first != NULL ? first->due : CLOCK_NEVER;
}

/* Puts an instance back; the leader and the watcher wait for the wrong time if
 * it is the first one now. */
static void put_back(struct scheduler *scheduler, struct reading *reading)
	MC_REQUIRES(scheduler->lock)
{
	heap_push(&scheduler->heap, reading);
	if (heap_first(&scheduler->heap) != reading)
		return;
	pthread_cond_signal(&scheduler->lead);
	pthread_cond_signal(&scheduler->watch);
}

/* Takes the first one that is due: from now on it reads, so that nobody takes
 * it for one that waits or has ended. */
static struct reading *begin(struct scheduler *scheduler) MC_REQUIRES(scheduler->lock)
{
	struct reading *reading = heap_pop(&scheduler->heap);

	reading->started = clock_now();
	reading->late = reading->started - reading->due;
	reading->next = scheduler->running;
	scheduler->running = reading;
	scheduler->reads++;
	return reading;
}

/* The opposite of begin(). */
static void end(struct scheduler *scheduler, struct reading *reading) MC_REQUIRES(scheduler->lock)
{
	struct reading **at = &scheduler->running;

	while (*at != reading)
		at = &(*at)->next;
	*at = reading->next;
	scheduler->reads--;
}

/* Gives the lock up meanwhile. */
static void run(struct scheduler *scheduler, struct reading *reading, bool wake, mc_time *cpu)
	MC_REQUIRES(scheduler->lock)
{
	mc_time now;

	pthread_mutex_unlock(&scheduler->lock);
	read_into(&scheduler->settings, reading, wake, cpu);
	now = clock_now();
	pthread_mutex_lock(&scheduler->lock);
	end(scheduler, reading);
	if (reading->stuck)
		log_note("%s: the read that hung has returned after %.1f s",
			 reading->context->ctx.name, (now - reading->started) * 1e-9);
	reading->fast = now - reading->started < SCHEDULER_PATIENCE;
	reading->started = 0;
	reading->stuck = false;
	if (reading->leaving) {
		pthread_cond_broadcast(&scheduler->ended);
		return;
	}
	plan_next(scheduler, reading, now);
	put_back(scheduler, reading);
}

/* Gives the lock up meanwhile. */
static void wake_writers(struct scheduler *scheduler) MC_REQUIRES(scheduler->lock)
{
	if (!scheduler->wake_owed)
		return;
	scheduler->wake_owed = false;
	pthread_mutex_unlock(&scheduler->lock);
	scheduler->settings.wake(scheduler->settings.argument);
	pthread_mutex_lock(&scheduler->lock);
}

/* Gives the lock up meanwhile.  Even if others hang, there is a leader when something is due;
 * without one nothing would run at all. */
static bool has_slept(struct scheduler *scheduler) MC_REQUIRES(scheduler->lock)
{
	mc_time now = clock_now(), since = next_due(scheduler);

	if (since < scheduler->awake)
		since = scheduler->awake;
	scheduler->awake = now;
	if (now - since < LATE)
		return false;
	pthread_mutex_unlock(&scheduler->lock);
	scheduler->settings.slept(scheduler->settings.argument, now - since);
	pthread_mutex_lock(&scheduler->lock);
	return true;
}

/* Does what is due, as the leader, until nothing is or the lead is somebody else's. */
static void lead(struct scheduler *scheduler, const void *self) MC_REQUIRES(scheduler->lock)
{
	mc_time cpu = clock_cpu();

	while (scheduler->leader == self && !scheduler->stopping &&
	       next_due(scheduler) <= clock_now()) {
		struct reading *first;

		if (has_slept(scheduler))
			continue;
		first = begin(scheduler);
		if (first->fast) {
			scheduler->leader_reads = true;
			scheduler->progress = clock_now();
			run(scheduler, first, false, &cpu);
			/* Not before: a thread that takes over the lead meanwhile wakes the
			 * writers for what is there by then. */
			scheduler->wake_owed = true;
			if (scheduler->leader == self)
				scheduler->leader_reads = false;
		} else {
			scheduler->leader = NULL;
			call_helper(scheduler);
			wake_writers(scheduler);
			run(scheduler, first, true, &cpu);
		}
	}
	wake_writers(scheduler);
}

/* Reports reads that are past their deadline; returns when the next one will be. */
static mc_time report_stuck(struct scheduler *scheduler, mc_time now) MC_REQUIRES(scheduler->lock)
{
	mc_time next = CLOCK_NEVER;

	for (struct reading *reading = scheduler->running; reading != NULL;
	     reading = reading->next) {
		mc_time deadline = reading->started + reading->context->ctx.interval;

		if (reading->stuck || reading->leaving)
			continue;
		if (deadline > now) {
			next = deadline < next ? deadline : next;
			continue;
		}
		reading->stuck = true;
		log_warn("%s: a read has not returned for %.1f s; the others "
			 "go on",
			 reading->context->ctx.name, (now - reading->started) * 1e-9);
	}
	return next;
}

/* Takes the lead if the leader hangs; else waits until it is time to look again. */
static void watch(struct scheduler *scheduler, const void *self) MC_REQUIRES(scheduler->lock)
{
	mc_time now = clock_now(), stuck = report_stuck(scheduler, now), until;

	if (scheduler->leader_reads && now - scheduler->progress >= SCHEDULER_PATIENCE) {
		scheduler->leader = self;
		scheduler->leader_reads = false;
		scheduler->watcher = NULL;
		call_helper(scheduler);
		return;
	}
	until = scheduler->leader_reads ? scheduler->progress : next_due(scheduler);
	if (until < CLOCK_NEVER)
		until = (until > now ? until : now) + SCHEDULER_PATIENCE;
	clock_wait(&scheduler->watch, &scheduler->lock, stuck < until ? stuck : until);
}

/* Returns false when the thread is not needed any more. */
static bool rest(struct scheduler *scheduler) MC_REQUIRES(scheduler->lock)
{
	mc_time until = clock_now() + REST;
	bool needed = true;

	if (scheduler->idle_len >= scheduler->settings.threads)
		return false;
	scheduler->idle_len++;
	while (scheduler->wanted == 0 && !scheduler->stopping && scheduler->leader != NULL &&
	       scheduler->watcher != NULL && needed)
		needed = clock_wait(&scheduler->idle, &scheduler->lock, until);
	scheduler->idle_len--;
	if (scheduler->wanted > 0) {
		scheduler->wanted--;
		return true;
	}
	return needed;
}

static void *thread_main(void *argument)
{
	struct scheduler *scheduler = argument;
	char self; /* Its address distinguishes this thread from the others. */

	pthread_mutex_lock(&scheduler->lock);
	while (!scheduler->stopping) {
		if (scheduler->leader == NULL) {
			scheduler->leader = &self;
			if (scheduler->watcher == &self)
				scheduler->watcher = NULL;
			if (scheduler->watcher == NULL)
				call_helper(scheduler);
		}
		if (scheduler->leader == &self) {
			lead(scheduler, &self);
			if (scheduler->leader == &self && !scheduler->stopping)
				clock_wait(&scheduler->lead, &scheduler->lock, next_due(scheduler));
		} else if (scheduler->watcher == NULL || scheduler->watcher == &self) {
			scheduler->watcher = &self;
			watch(scheduler, &self);
		} else if (!rest(scheduler)) {
			break;
		}
	}
	if (scheduler->leader == &self)
		scheduler->leader = NULL;
	if (scheduler->watcher == &self)
		scheduler->watcher = NULL;
	scheduler->threads--;
	pthread_cond_broadcast(&scheduler->ended);
	pthread_mutex_unlock(&scheduler->lock);
	return NULL;
}

/* --- The whole -------------------------------------------------------- */

struct scheduler *scheduler_new(const struct scheduler_settings *settings) MC_NO_LOCK
{
	struct scheduler *scheduler = alloc_zero(sizeof(*scheduler));

	scheduler->settings = *settings;
	scheduler->phase = XXH3_64bits(settings->host, strlen(settings->host)) >> 2;
	scheduler->progress = clock_now();
	pthread_mutex_init(&scheduler->lock, NULL);
	clock_cond_init(&scheduler->lead);
	clock_cond_init(&scheduler->watch);
	clock_cond_init(&scheduler->idle);
	clock_cond_init(&scheduler->ended);
	return scheduler;
}

void scheduler_start(struct scheduler *scheduler)
{
	pthread_mutex_lock(&scheduler->lock);
	if (scheduler->heap.len > 0)
		call_helper(scheduler);
	pthread_mutex_unlock(&scheduler->lock);
}

void scheduler_set_limits(struct scheduler *scheduler, mc_time interval_max, unsigned threads)
{
	pthread_mutex_lock(&scheduler->lock);
	scheduler->settings.interval_max = interval_max;
	scheduler->settings.threads = threads;
	pthread_mutex_unlock(&scheduler->lock);
}

bool scheduler_stop(struct scheduler *scheduler, mc_time until)
{
	bool ended;

	pthread_mutex_lock(&scheduler->lock);
	scheduler->stopping = true;
	pthread_cond_broadcast(&scheduler->lead);
	pthread_cond_broadcast(&scheduler->watch);
	pthread_cond_broadcast(&scheduler->idle);
	while (scheduler->threads > 0 && thread_wait(&scheduler->ended, &scheduler->lock, until))
		;
	ended = scheduler->threads == 0;
	pthread_mutex_unlock(&scheduler->lock);
	return ended;
}

void scheduler_free(struct scheduler *scheduler)
{
	if (scheduler == NULL)
		return;
	heap_done(&scheduler->heap);
	pthread_cond_destroy(&scheduler->lead);
	pthread_cond_destroy(&scheduler->watch);
	pthread_cond_destroy(&scheduler->idle);
	pthread_cond_destroy(&scheduler->ended);
	pthread_mutex_destroy(&scheduler->lock);
	free(scheduler);
}

void scheduler_add(struct scheduler *scheduler, struct reading *reading, bool at_once)
{
	mc_time now = clock_now(), interval = reading->context->ctx.interval;

	pthread_mutex_lock(&scheduler->lock);
	reading->interval = interval;
	reading->due = at_once ? now : grid_after(scheduler, interval, now);
	put_back(scheduler, reading);
	pthread_mutex_unlock(&scheduler->lock);
}

bool scheduler_remove(struct scheduler *scheduler, struct reading *reading, mc_time until)
{
	bool ended;

	pthread_mutex_lock(&scheduler->lock);
	reading->leaving = true;
	heap_remove(&scheduler->heap, reading);
	while (reading->started != 0 && thread_wait(&scheduler->ended, &scheduler->lock, until))
		;
	ended = reading->started == 0;
	pthread_mutex_unlock(&scheduler->lock);
	return ended;
}

bool scheduler_reads(struct scheduler *scheduler, struct reading *reading)
{
	bool reads;

	pthread_mutex_lock(&scheduler->lock);
	reads = reading->started != 0;
	pthread_mutex_unlock(&scheduler->lock);
	return reads;
}

bool scheduler_alive(struct scheduler *scheduler)
{
	bool alive;

	pthread_mutex_lock(&scheduler->lock);
	alive = next_due(scheduler) > clock_now() - DEAD;
	pthread_mutex_unlock(&scheduler->lock);
	return alive;
}

bool scheduler_settled(struct scheduler *scheduler, unsigned hanging)
{
	bool settled;

	pthread_mutex_lock(&scheduler->lock);
	settled = next_due(scheduler) > clock_now() && scheduler->reads == hanging &&
		  scheduler->leader != NULL;
	pthread_mutex_unlock(&scheduler->lock);
	return settled;
}

void scheduler_count(struct scheduler *scheduler, struct scheduler_counts *counts)
{
	*counts = (struct scheduler_counts){ 0 };
	pthread_mutex_lock(&scheduler->lock);
	counts->threads = scheduler->threads;
	for (const struct reading *reading = scheduler->running; reading != NULL;
	     reading = reading->next)
		counts->stuck += reading->stuck && !reading->leaving;
	pthread_mutex_unlock(&scheduler->lock);
}

void scheduler_status(struct scheduler *scheduler, struct reading *reading,
		      struct mc_reader_status *status)
{
	status->interval = reading->context->ctx.interval;
	status->duration = reading->duration;
	status->cpu = reading->cpu;
	status->reads = reading->reads;
	status->failures = reading->failures;
	status->skipped = reading->skipped;
	if (scheduler == NULL)
		return;
	pthread_mutex_lock(&scheduler->lock);
	status->due = reading->due - clock_now();
	status->stuck = reading->stuck;
	if (reading->started != 0)
		status->duration = clock_now() - reading->started;
	pthread_mutex_unlock(&scheduler->lock);
}
