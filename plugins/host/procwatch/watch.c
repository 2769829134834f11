/* SPDX-License-Identifier: MIT */
#include "watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define MESSAGE_SIZE 512

/* --- Life ----------------------------------------------------------------- */

int watch_start(struct watch *watch)
{
	pthread_mutex_init(&watch->lock, NULL);
	watch->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	return watch->wake < 0 ? -errno : 0;
}

MC_NO_LOCK
void watch_stop(struct watch *watch)
{
	if (watch->wake > 0)
		close(watch->wake);
	free(watch->items);
	free(watch->waited);
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
	uint64_t one = 1;

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
	if (member->pidfd >= 0 && write(watch->wake, &one, sizeof(one)) < 0 && errno != EAGAIN)
		mc_log(ctx, MC_WARN, "cannot wake the thread that watches: %s", strerror(errno));
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

	if (member->pidfd >= 0)
		close(member->pidfd);
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

size_t watch_size(struct watch *watch)
{
	size_t len;

	pthread_mutex_lock(&watch->lock);
	len = watch->len;
	pthread_mutex_unlock(&watch->lock);
	return len + 1;
}

/* Those that are added after watch_size() are for the next time. */
size_t watch_prepare(struct watch *watch, struct pollfd *fds, size_t size)
{
	size_t len;

	watch->waited = mc_alloc_resize(watch->waited, size, sizeof(*watch->waited));
	pthread_mutex_lock(&watch->lock);
	len = watch->len < size - 1 ? watch->len : size - 1;
	for (size_t i = 0; i < len; i++)
		watch->waited[i] = watch->items[i];
	pthread_mutex_unlock(&watch->lock);
	fds[0] = (struct pollfd){ .fd = watch->wake, .events = POLLIN };
	for (size_t i = 0; i < len; i++)
		fds[i + 1] = (struct pollfd){ .fd = watch->waited[i]->pidfd, .events = POLLIN };
	watch->waited_len = len;
	return len + 1;
}

void watch_work(struct watch *watch, struct mc_ctx *ctx, const struct pollfd *fds)
{
	uint64_t count;

	if (fds[0].revents != 0 && read(watch->wake, &count, sizeof(count)) < 0 && errno != EAGAIN)
		mc_log(ctx, MC_WARN, "cannot read an eventfd: %s", strerror(errno));
	for (size_t i = 0; i < watch->waited_len; i++)
		if (fds[i + 1].revents != 0)
			watch_end(watch, ctx, watch->waited[i]);
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
