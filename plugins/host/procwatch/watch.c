/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define MESSAGE_SIZE 512

/* --- Life ----------------------------------------------------------------- */

int watch_start(struct watch *watch)
{
	pthread_mutex_init(&watch->lock, NULL);
	return mc_loop_wakeup_init(&watch->wakeup);
}

MC_NO_LOCK
void watch_stop(struct watch *watch)
{
	mc_loop_wakeup_done(&watch->wakeup);
	free(watch->items);
}

/* By number: not every libc has the function. */
int watch_open(uint32_t pid)
{
	int fd = (int)syscall(SYS_pidfd_open, (pid_t)pid, 0U);

	return fd < 0 ? -errno : fd;
}

/* --- Notifications -------------------------------------------------------- */

static void notify(struct mc_ctx *ctx, const struct daemon *daemon, bool good, const char *message)
{
	const struct mc_notification notification = {
		.severity = good                    ? MC_OKAY
			    : daemon->severity == 0 ? MC_WARNING
						    : MC_FAILURE,
		.id = MC_ID(.plugin_instance = daemon->name),
		.message = message,
	};

	mc_notify(ctx, &notification);
}

static double seconds(mc_time time)
{
	return (double)time / (double)MC_SECOND;
}

/* --- Processes ------------------------------------------------------------ */

void watch_add(struct watch *watch, struct mc_ctx *ctx, struct member *member)
{
	struct daemon *daemon = member->daemon;
	struct daemon_status *status = &daemon->status, before;
	char message[MESSAGE_SIZE];

	pthread_mutex_lock(&watch->lock);
	before = *status;
	status->state = DAEMON_RUNS;
	status->len++;
	if (before.state == DAEMON_ENDED)
		status->restarts++;
	if (member->pidfd >= 0) {
		watch->items = mc_alloc_resize(watch->items, watch->len + 1, sizeof(*watch->items));
		watch->items[watch->len++] = member;
	}
	pthread_mutex_unlock(&watch->lock);
	if (member->pidfd >= 0)
		mc_loop_wake(&watch->wakeup);
	if (before.state != DAEMON_ENDED)
		return;
	snprintf(message, sizeof(message), "'%s' runs again, as process %u, after %.1f s",
		 daemon->name, (unsigned)member->pid, seconds(mc_now() - before.since));
	notify(ctx, daemon, true, message);
}

void watch_missing(struct watch *watch, struct mc_ctx *ctx, struct daemon *daemon)
{
	char message[MESSAGE_SIZE];
	bool is_news;

	pthread_mutex_lock(&watch->lock);
	is_news = daemon->status.state == DAEMON_UNKNOWN;
	if (is_news) {
		daemon->status.state = DAEMON_ENDED;
		daemon->status.since = mc_now();
	}
	pthread_mutex_unlock(&watch->lock);
	if (!is_news)
		return;
	snprintf(message, sizeof(message), "'%s' does not run", daemon->name);
	notify(ctx, daemon, false, message);
}

static void take_out(struct watch *watch, const struct member *member) MC_REQUIRES(watch->lock);
static void take_out(struct watch *watch, const struct member *member)
{
	for (size_t i = 0; i < watch->len; i++)
		if (watch->items[i] == member) {
			watch->items[i] = watch->items[--watch->len];
			return;
		}
}

void watch_end(struct watch *watch, struct mc_ctx *ctx, struct member *member)
{
	struct daemon *daemon = member->daemon;
	struct daemon_status *status = &daemon->status;
	unsigned pid = member->pid;
	char message[MESSAGE_SIZE];
	size_t left;

	if (member->pidfd >= 0) {
		mc_loop_forget(watch->loop, &member->end);
		close(member->pidfd);
	}
	pthread_mutex_lock(&watch->lock);
	take_out(watch, member);
	left = --status->len;
	if (left == 0) {
		status->state = DAEMON_ENDED;
		status->since = mc_now();
		status->was_asked = false;
	}
	member->pidfd = -1;
	member->has_ended = true; /* From here on it is read()'s. */
	pthread_mutex_unlock(&watch->lock);
	if (left == 0)
		snprintf(message, sizeof(message), "'%s' has ended, which was process %u",
			 daemon->name, pid);
	else
		snprintf(message, sizeof(message), "process %u of '%s' has ended, %zu are left",
			 pid, daemon->name, left);
	notify(ctx, daemon, false, message);
}

bool watch_has_ended(struct watch *watch, const struct member *member)
{
	bool has_ended;

	pthread_mutex_lock(&watch->lock);
	has_ended = member->has_ended;
	pthread_mutex_unlock(&watch->lock);
	return has_ended;
}

struct daemon_status watch_status(struct watch *watch, const struct daemon *daemon)
{
	struct daemon_status status;

	pthread_mutex_lock(&watch->lock);
	status = daemon->status;
	pthread_mutex_unlock(&watch->lock);
	return status;
}

/* --- Waiting -------------------------------------------------------------- */

static void on_end(void *argument, uint32_t events)
{
	struct member *member = argument;

	(void)events;
	watch_end(member->watch, member->watch->ctx, member);
}

static void watch_new(void *argument)
{
	struct watch *watch = argument;

	pthread_mutex_lock(&watch->lock);
	for (size_t i = 0; i < watch->len; i++) {
		struct member *member = watch->items[i];
		int rc = 0;

		if (!member->end.watched) {
			member->watch = watch;
			member->end = (struct mc_loop_file){ member->pidfd, .ready = on_end,
							     .argument = member };
			rc = mc_loop_watch(watch->loop, &member->end, EPOLLIN);
		}
		if (rc < 0)
			mc_log(watch->ctx, MC_WARN, "cannot watch process %u: %s",
			       (unsigned)member->pid, strerror(-rc));
	}
	pthread_mutex_unlock(&watch->lock);
}

int watch_begin(struct watch *watch, struct mc_loop *loop)
{
	watch->ctx = loop->ctx;
	watch->loop = loop;
	watch->wakeup.woken = watch_new;
	watch->wakeup.argument = watch;
	watch_new(watch);
	return mc_loop_watch_wakeup(loop, &watch->wakeup);
}

void watch_leave(struct watch *watch)
{
	mc_loop_forget(watch->loop, &watch->wakeup.file);
	pthread_mutex_lock(&watch->lock);
	for (size_t i = 0; i < watch->len; i++)
		mc_loop_forget(watch->loop, &watch->items[i]->end);
	pthread_mutex_unlock(&watch->lock);
}

/* --- Answers -------------------------------------------------------------- */

void watch_answer(struct watch *watch, struct mc_ctx *ctx, struct daemon *daemon, const char *fault,
		  double response_time)
{
	struct daemon_status *status = &daemon->status, before;
	char message[MESSAGE_SIZE];
	bool runs;

	pthread_mutex_lock(&watch->lock);
	before = *status;
	runs = status->state == DAEMON_RUNS;
	if (runs) {
		status->was_asked = true;
		status->answers = fault == NULL;
		status->response_time = response_time;
	}
	pthread_mutex_unlock(&watch->lock);
	if (!runs || (before.was_asked && before.answers == (fault == NULL)) ||
	    (!before.was_asked && fault == NULL))
		return;
	if (fault == NULL)
		snprintf(message, sizeof(message), "'%s' answers again", daemon->name);
	else
		snprintf(message, sizeof(message), "'%s' does not answer: %s", daemon->name, fault);
	notify(ctx, daemon, fault == NULL, message);
}
