/* SPDX-License-Identifier: MIT */
/* epoll(7), level-triggered, and a binary heap of timers.  The shape is that of
 * chrony's scheduler (sched.h): callbacks for descriptors and for times. */
#include <collector/kit/loop.h>

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/wait.h>
#include <collector/serve.h>

#define EVENTS_MAX 64 /* Of one round. */

/* --- Descriptors ---------------------------------------------------------- */

int mc_loop_watch(struct mc_loop *loop, struct mc_loop_file *file, uint32_t events)
{
	struct epoll_event event = { .events = events, .data.ptr = file };
	int operation = file->watched ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;

	if (file->watched && file->events == events)
		return 0;
	if (epoll_ctl(loop->epoll, operation, file->fd, &event) != 0)
		return -errno;
	file->watched = true;
	file->events = events;
	return 0;
}

void mc_loop_forget(struct mc_loop *loop, struct mc_loop_file *file)
{
	if (!file->watched)
		return;
	file->watched = false;
	/* A program that is being started may still have the descriptor, and closing
	 * it would not end its events. */
	epoll_ctl(loop->epoll, EPOLL_CTL_DEL, file->fd, NULL);
	for (int i = 0; i < loop->round_len; i++)
		if (loop->round[i].data.ptr == file)
			loop->round[i].data.ptr = NULL;
}

/* --- Timers --------------------------------------------------------------- */

static void put_timer(struct mc_loop *loop, size_t place, struct mc_loop_timer *timer)
{
	loop->timers[place] = timer;
	timer->place = place;
}

/* Moves a timer to where it belongs in the heap, from a place that is free. */
static void settle_timer(struct mc_loop *loop, size_t place, struct mc_loop_timer *timer)
{
	struct mc_loop_timer **all = loop->timers;
	size_t child;

	while (place > 1 && timer->due < all[place / 2]->due) {
		put_timer(loop, place, all[place / 2]);
		place /= 2;
	}
	while ((child = 2 * place) <= loop->timers_len) {
		if (child < loop->timers_len && all[child + 1]->due < all[child]->due)
			child++;
		if (timer->due <= all[child]->due)
			break;
		put_timer(loop, place, all[child]);
		place = child;
	}
	put_timer(loop, place, timer);
}

void mc_loop_set_timer(struct mc_loop *loop, struct mc_loop_timer *timer, mc_time due)
{
	timer->due = due;
	if (timer->place == 0) {
		timer->place = ++loop->timers_len;
		if (timer->place >= loop->timers_capacity) {
			loop->timers_capacity = 2 * timer->place + 14;
			loop->timers = mc_alloc_resize(loop->timers, loop->timers_capacity,
						       sizeof(*loop->timers));
		}
	}
	settle_timer(loop, timer->place, timer);
}

void mc_loop_unset_timer(struct mc_loop *loop, struct mc_loop_timer *timer)
{
	size_t place = timer->place;
	struct mc_loop_timer *last;

	if (place == 0)
		return;
	timer->place = 0;
	last = loop->timers[loop->timers_len--];
	if (last != timer)
		settle_timer(loop, place, last);
}

/* Those that are due now, not those that callbacks set anew for this moment. */
static void call_timers(struct mc_loop *loop)
{
	size_t most = loop->timers_len;

	while (most-- > 0 && loop->timers_len > 0 && loop->timers[1]->due <= loop->now) {
		struct mc_loop_timer *timer = loop->timers[1];

		mc_loop_unset_timer(loop, timer);
		timer->expired(timer->argument);
	}
}

/* --- Rounds --------------------------------------------------------------- */

static void call_files(struct mc_loop *loop, struct epoll_event *events, int len)
{
	for (int i = 0; i < len; i++) {
		struct mc_loop_file *file = events[i].data.ptr;

		loop->round = events + i + 1;
		loop->round_len = len - i - 1;
		if (file != NULL)
			file->ready(file->argument, events[i].events);
	}
}

void mc_loop_end(struct mc_loop *loop)
{
	loop->ends = true;
}

static void on_stop(void *argument, uint32_t events)
{
	(void)events;
	mc_loop_end(argument);
}

/* Only run() may ask for the descriptor. */
static int watch_stop(struct mc_loop *loop)
{
	loop->stop.fd = mc_stop_fd(loop->ctx);
	loop->stop.ready = on_stop;
	loop->stop.argument = loop;
	return mc_loop_watch(loop, &loop->stop, EPOLLIN);
}

int mc_loop_round(struct mc_loop *loop, mc_time until)
{
	struct epoll_event events[EVENTS_MAX];
	mc_time due = mc_loop_due(loop);
	int len = mc_epoll(loop->epoll, events, EVENTS_MAX, due < until ? due : until);

	if (len < 0)
		return len;
	loop->now = mc_now();
	call_files(loop, events, len);
	call_timers(loop);
	if (loop->after_round != NULL)
		loop->after_round(loop->argument);
	return 0;
}

int mc_loop_run(struct mc_loop *loop)
{
	int rc = watch_stop(loop);

	if (rc < 0)
		return mc_fail(loop->ctx, -rc, "cannot watch a descriptor");
	loop->ends = false;
	while (rc == 0 && !loop->ends)
		rc = mc_loop_round(loop, INT64_MAX);
	mc_loop_forget(loop, &loop->stop);
	return rc < 0 ? mc_fail(loop->ctx, -rc, "cannot wait") : 0;
}

/* --- Life ----------------------------------------------------------------- */

int mc_loop_init(struct mc_loop *loop)
{
	loop->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (loop->epoll < 0)
		return mc_fail(loop->ctx, errno, "cannot make an epoll descriptor");
	loop->initialized = true;
	loop->now = mc_now();
	return 0;
}

void mc_loop_done(struct mc_loop *loop)
{
	if (!loop->initialized)
		return;
	loop->initialized = false;
	close(loop->epoll);
	free(loop->timers);
	loop->timers = NULL;
	loop->timers_len = loop->timers_capacity = 0;
}
