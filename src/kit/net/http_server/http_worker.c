/* SPDX-License-Identifier: MIT */
/* libmicrohttpd must not wait by itself.  From 0.9.75 to 1.0.1 its loop takes 128 events at a
 * time, and more if there were 128, before it handles any: and for more it waits as long as for
 * the first.  So when there are exactly 128, as happens when a thousand clients come at once,
 * their requests lie in the sockets until something else happens.  MHD_run() waits for nothing;
 * the loop is ours, and what is ready wakes it for as long as it is, as poll() does. */
#include "kit/net/http_server/http_worker.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdbool.h>
#include <sys/eventfd.h>
#include <unistd.h>

#define LAST_ROUNDS 8 /* For answers that are ready at the end. */

/* Milliseconds until there is something to do, as poll() has it. */
static int timeout_of(const struct http_worker *worker)
{
	int turn = http_handshakes_timeout(&worker->handshakes);
	MHD_UNSIGNED_LONG_LONG timeout;
	int of_library;

	if (MHD_get_timeout(worker->daemon, &timeout) != MHD_YES)
		return turn;
	of_library = timeout < INT_MAX ? (int)timeout : INT_MAX;
	return turn >= 0 && turn < of_library ? turn : of_library;
}

static unsigned connections_of(struct MHD_Daemon *daemon)
{
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(daemon, MHD_DAEMON_INFO_CURRENT_CONNECTIONS);

	return info != NULL ? info->num_connections : 0;
}

/* Lets requests gather, if that is worth it: all threads until the same moment, so that a journal
 * has what they bring at once.  A handshake that goes on ends that: it has several steps. */
static void linger(struct http_worker *worker)
{
	mc_time now = mc_now();
	mc_time left = HTTP_LINGER_TIME - now % HTTP_LINGER_TIME;
	const struct timespec pause = { .tv_nsec = left };
	struct pollfd handshakes = { .fd = worker->handshakes.epoll_fd, .events = POLLIN };

	if (http_linger_look(&worker->linger, now, connections_of(worker->daemon)))
		ppoll(&handshakes, 1, &pause, NULL);
}

static void *serve(void *argument)
{
	struct http_worker *worker = argument;
	const union MHD_DaemonInfo *info =
		MHD_get_daemon_info(worker->daemon, MHD_DAEMON_INFO_EPOLL_FD);
	struct pollfd fds[] = { { .fd = info->epoll_fd, .events = POLLIN },
				{ .fd = worker->wake_fd, .events = POLLIN },
				{ .events = POLLIN } };
	eventfd_t wakes;

	while (!atomic_load(&worker->stop)) {
		linger(worker);
		fds[2].fd = worker->handshakes.epoll_fd;
		poll(fds, 3, timeout_of(worker));
		if (fds[1].revents != 0)
			eventfd_read(worker->wake_fd, &wakes);
		if (fds[2].revents != 0)
			http_handshakes_resume(&worker->handshakes);
		http_handshakes_turn(&worker->handshakes);
		MHD_run(worker->daemon);
	}
	http_handshakes_end(&worker->handshakes);
	/* Its timeout says nothing of events that lie in its epoll descriptor,
	 * as of a connection that has just been resumed. */
	for (int i = 0; i < LAST_ROUNDS; i++)
		MHD_run(worker->daemon);
	return NULL;
}

/* Signals are for the daemon's main thread. */
int http_worker_run(pthread_t *thread, void *(*run)(void *argument), void *argument)
{
	sigset_t all, before;
	int rc;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	rc = pthread_create(thread, NULL, run, argument);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return -rc;
}

int http_worker_start(struct http_worker *worker)
{
	int rc;

	http_handshakes_init(&worker->handshakes, worker->counts, worker->share);
	worker->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (worker->wake_fd < 0)
		return -errno;
	rc = http_worker_run(&worker->thread, serve, worker);
	if (rc < 0)
		close(worker->wake_fd);
	return rc;
}

void http_worker_wake(struct http_worker *worker)
{
	eventfd_write(worker->wake_fd, 1);
}

void http_worker_stop(struct http_worker *worker)
{
	atomic_store(&worker->stop, true);
	http_worker_wake(worker);
	pthread_join(worker->thread, NULL);
	http_handshakes_done(&worker->handshakes);
	close(worker->wake_fd);
}
