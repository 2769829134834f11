/* SPDX-License-Identifier: MIT */
/* Threads with a name, and waits in real time for what must end. */
#include "base/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "base/alloc.h"
#include "base/crash.h"

/* Nanoseconds between two looks whether a thread has ended. */
#define LOOK_FIRST 100000
#define LOOK_LAST 10000000

static mc_time get(clockid_t id)
{
	struct timespec t;

	if (clock_gettime(id, &t) != 0)
		return 0;
	return t.tv_sec * MC_SECOND + t.tv_nsec;
}

static struct timespec timespec_of(mc_time time)
{
	return (struct timespec){ .tv_sec = time / MC_SECOND, .tv_nsec = time % MC_SECOND };
}

struct first_call {
	void *(*main)(void *);
	void *argument;
	char name[16];
};

static void *run(void *argument)
{
	struct first_call call = *(struct first_call *)argument;
	void *crash_stack = crash_stack_open(), *result;

	free(argument);
	/* The thread names itself, which needs no file in /proc. */
	pthread_setname_np(pthread_self(), call.name);
	result = call.main(call.argument);
	crash_stack_close(crash_stack);
	return result;
}

int thread_start(pthread_t *thread, const char *name, void *(*main)(void *), void *argument)
{
	struct first_call *call = alloc_zero(sizeof(*call));
	sigset_t all, before;
	int rc;

	*call = (struct first_call){ .main = main, .argument = argument };
	snprintf(call->name, sizeof(call->name), "%s", name);
	sigfillset(&all);
	crash_leave_open(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, run, call);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	if (rc != 0)
		free(call);
	return -rc;
}

mc_time thread_cpu(pthread_t thread)
{
	clockid_t id;

	return pthread_getcpuclockid(thread, &id) == 0 ? get(id) : 0;
}

clockid_t thread_clock(void)
{
	clockid_t id;

	return pthread_getcpuclockid(pthread_self(), &id) == 0 ? id : CLOCK_THREAD_CPUTIME_ID;
}

mc_time thread_clock_time(clockid_t id)
{
	return get(id);
}

mc_time thread_time(void)
{
	return get(CLOCK_MONOTONIC);
}

bool thread_wait(pthread_cond_t *cond, pthread_mutex_t *mutex, mc_time until)
{
	struct timespec t = timespec_of(until);

	return pthread_cond_timedwait(cond, mutex, &t) != ETIMEDOUT;
}

bool thread_join(pthread_t thread, mc_time until)
{
	/* The one form with a limit that both glibc and musl have takes a time
	 * of day: when that is set meanwhile, it ends too early or never. */
	struct timespec pause = { .tv_nsec = LOOK_FIRST };
	int rc;

	while ((rc = pthread_tryjoin_np(thread, NULL)) == EBUSY && thread_time() < until) {
		nanosleep(&pause, NULL);
		if (pause.tv_nsec < LOOK_LAST)
			pause.tv_nsec *= 2;
	}
	return rc == 0;
}
