/* SPDX-License-Identifier: MIT */
/* Time, as a dependency.  One of the files with mutable variables of their
 * own: a process has one time. */
#include "base/clock.h"

#include <errno.h>
#include <limits.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>
#include <unistd.h>

#include "base/alloc.h"

struct sleeper { /* A thread in clock_wait() while the clock is stopped. */
	struct sleeper *next;
	pthread_cond_t *cond;
	pthread_mutex_t *mutex;
	bool woken; /* By the last step. */
};

struct poller { /* A thread in clock_poll() while the clock is stopped. */
	struct poller *next;
	int wake; /* An eventfd, readable after a step. */
};

static struct {
	_Atomic bool stopped;
	_Atomic mc_time now, wall;
	pthread_mutex_t lock;
	pthread_cond_t settled;
	struct sleeper *sleepers MC_GUARDED_BY(lock);
	struct poller *pollers MC_GUARDED_BY(lock);
} fake = { .lock = PTHREAD_MUTEX_INITIALIZER, .settled = PTHREAD_COND_INITIALIZER };

static mc_time get(clockid_t id)
{
	struct timespec t;

	clock_gettime(id, &t);
	return t.tv_sec * MC_SECOND + t.tv_nsec;
}

mc_time clock_now(void)
{
	if (atomic_load_explicit(&fake.stopped, memory_order_relaxed))
		return fake.now;
	return get(CLOCK_MONOTONIC);
}

mc_time clock_wall(void)
{
	if (atomic_load_explicit(&fake.stopped, memory_order_relaxed))
		return fake.wall;
	return get(CLOCK_REALTIME);
}

mc_time clock_cpu(void)
{
	return get(CLOCK_THREAD_CPUTIME_ID);
}

void clock_cond_init(pthread_cond_t *cond)
{
	pthread_condattr_t attributes;

	pthread_condattr_init(&attributes);
	pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
	pthread_cond_init(cond, &attributes);
	pthread_condattr_destroy(&attributes);
}

/* Puts the caller on the list; false if its time has come meanwhile. */
static bool lie_down(struct sleeper *self, mc_time until)
{
	bool early;

	pthread_mutex_lock(&fake.lock);
	early = fake.now < until;
	if (early) {
		self->next = fake.sleepers;
		fake.sleepers = self;
		pthread_cond_broadcast(&fake.settled);
	}
	pthread_mutex_unlock(&fake.lock);
	return early;
}

static void get_up(struct sleeper *self)
{
	struct sleeper **at;

	pthread_mutex_lock(&fake.lock);
	for (at = &fake.sleepers; *at != self; at = &(*at)->next)
		;
	*at = self->next;
	pthread_mutex_unlock(&fake.lock);
}

static bool wait_stopped(pthread_cond_t *cond, pthread_mutex_t *mutex, mc_time until)
	MC_REQUIRES(*mutex)
{
	struct sleeper self = { .cond = cond, .mutex = mutex };

	if (!lie_down(&self, until))
		return false;
	pthread_cond_wait(cond, mutex);
	get_up(&self);
	return fake.now < until;
}

bool clock_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, mc_time until)
{
	if (fake.stopped)
		return wait_stopped(cond, mutex, until);
	if (until == CLOCK_NEVER)
		return pthread_cond_wait(cond, mutex) == 0;

	struct timespec t = { .tv_sec = until / MC_SECOND, .tv_nsec = until % MC_SECOND };

	return pthread_cond_timedwait(cond, mutex, &t) != ETIMEDOUT;
}

static void join_pollers(struct poller *self)
{
	pthread_mutex_lock(&fake.lock);
	self->next = fake.pollers;
	fake.pollers = self;
	pthread_mutex_unlock(&fake.lock);
}

static void leave_pollers(struct poller *self)
{
	struct poller **at;

	pthread_mutex_lock(&fake.lock);
	for (at = &fake.pollers; *at != self; at = &(*at)->next)
		;
	*at = self->next;
	pthread_mutex_unlock(&fake.lock);
}

/* Descriptors and, after them, the one that a step makes readable. */
static int poll_stopped(struct pollfd *fds, size_t len, mc_time until)
{
	struct poller self = { .wake = eventfd(0, EFD_CLOEXEC) };
	struct pollfd *all = alloc_array(len + 1, sizeof(*all));
	eventfd_t steps;
	int ready;

	if (len > 0)
		memcpy(all, fds, len * sizeof(*all));
	all[len] = (struct pollfd){ .fd = self.wake, .events = POLLIN };
	join_pollers(&self);
	do {
		ready = poll(all, len + 1, fake.now < until ? -1 : 0);
		if (ready > 0 && all[len].revents != 0) {
			eventfd_read(self.wake, &steps);
			ready--;
		}
	} while ((ready == 0 && fake.now < until) || (ready < 0 && errno == EINTR));
	ready = ready < 0 ? -errno : ready;
	leave_pollers(&self);
	if (len > 0)
		memcpy(fds, all, len * sizeof(*all));
	free(all);
	close(self.wake);
	return ready;
}

int clock_poll(struct pollfd *fds, size_t len, mc_time until)
{
	int ready;

	if (fake.stopped)
		return poll_stopped(fds, len, until);
	do {
		mc_time left = until - clock_now();
		struct timespec limit = { 0 };

		if (left > 0) {
			limit.tv_sec = left / MC_SECOND;
			limit.tv_nsec = left % MC_SECOND;
		}
		ready = ppoll(fds, len, until == CLOCK_NEVER ? NULL : &limit, NULL);
	} while (ready < 0 && errno == EINTR);
	return ready < 0 ? -errno : ready;
}

/* For epoll_wait(2), rounded up: it must not return before the time. */
static int milliseconds_until(mc_time until)
{
	mc_time left = until - clock_now();

	if (left <= 0)
		return 0;
	left = (left - 1) / MC_MILLISECOND + 1;
	return left < INT_MAX ? (int)left : INT_MAX;
}

int clock_epoll(int epoll, struct epoll_event *events, int len, mc_time until)
{
	struct pollfd all = { .fd = epoll, .events = POLLIN };
	int timeout, ready;

	if (fake.stopped) {
		ready = poll_stopped(&all, 1, until);
		if (ready <= 0)
			return ready;
		ready = epoll_wait(epoll, events, len, 0);
		return ready < 0 ? -errno : ready;
	}
	do {
		timeout = until == CLOCK_NEVER ? -1 : milliseconds_until(until);
		ready = epoll_wait(epoll, events, len, timeout);
	} while ((ready < 0 && errno == EINTR) || (ready == 0 && timeout == INT_MAX));
	return ready < 0 ? -errno : ready;
}

void clock_stop(mc_time now, mc_time wall)
{
	fake.now = now;
	fake.wall = wall;
	fake.stopped = true;
}

/* Wakes one sleeper that has not been woken; false if all are woken.  Its mutex is taken outside
 * our lock, because sleepers take the two in the other order; with it, the wake-up cannot fall
 * between lying down and waiting. */
static bool wake_one(void)
{
	struct sleeper *s;
	pthread_cond_t *cond = NULL;
	pthread_mutex_t *mutex = NULL;

	pthread_mutex_lock(&fake.lock);
	for (s = fake.sleepers; s != NULL && s->woken; s = s->next)
		;
	if (s != NULL) {
		s->woken = true;
		cond = s->cond;
		mutex = s->mutex;
	}
	pthread_mutex_unlock(&fake.lock);
	if (cond == NULL)
		return false;
	pthread_mutex_lock(mutex);
	pthread_cond_broadcast(cond);
	pthread_mutex_unlock(mutex);
	return true;
}

void clock_step(mc_time by)
{
	pthread_mutex_lock(&fake.lock);
	fake.now += by;
	fake.wall += by;
	for (struct sleeper *s = fake.sleepers; s != NULL; s = s->next)
		s->woken = false;
	for (struct poller *p = fake.pollers; p != NULL; p = p->next)
		eventfd_write(p->wake, 1);
	pthread_mutex_unlock(&fake.lock);
	while (wake_one())
		;
}

void clock_settle(unsigned sleepers)
{
	pthread_mutex_lock(&fake.lock);
	for (;;) {
		unsigned n = 0;

		for (struct sleeper *s = fake.sleepers; s != NULL; s = s->next)
			n += !s->woken;
		if (n >= sleepers)
			break;
		pthread_cond_wait(&fake.settled, &fake.lock);
	}
	pthread_mutex_unlock(&fake.lock);
}
