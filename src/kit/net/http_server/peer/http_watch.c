/* SPDX-License-Identifier: MIT */
/* A descriptor is shut down, not closed: whoever reads from it sees the end,
 * and closes it as any other. */
#include "kit/net/http_server/peer/http_watch.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

void http_watch_init(struct http_watch *watch)
{
	*watch = (struct http_watch){ 0 };
	pthread_mutex_init(&watch->lock, NULL);
	watch->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void http_watch_done(struct http_watch *watch)
{
	if (watch->wake_fd >= 0)
		close(watch->wake_fd);
	pthread_mutex_destroy(&watch->lock);
}

void http_watch_enter(struct http_watch_line *line, enum http_watch_phase phase)
{
	atomic_store(&line->since, mc_now());
	atomic_store(&line->size, 0);
	atomic_store(&line->phase, phase);
}

void http_watch_allow(struct http_watch *watch, size_t more)
{
	pthread_mutex_lock(&watch->lock);
	watch->max += more;
	pthread_mutex_unlock(&watch->lock);
}

static void shut(struct http_watch *watch, struct http_watch_line *line) MC_REQUIRES(watch->lock)
{
	line->ended = true;
	watch->len--;
	atomic_fetch_add(&watch->ended, 1);
	shutdown(line->fd, SHUT_RDWR);
}

/* Whether to evict 'a' rather than 'b': first one without a request so far, then the one that
 * waits longest. */
static bool goes_first(const struct http_watch_line *a, const struct http_watch_line *b)
{
	int phase_a = atomic_load(&a->phase), phase_b = atomic_load(&b->phase);

	if (phase_a != phase_b)
		return phase_a == HTTP_WATCH_CONNECTED;
	return atomic_load(&a->since) < atomic_load(&b->since);
}

/* A new connection, or one with traffic, stays. */
static bool may_go(const struct http_watch_line *line, mc_time now)
{
	int phase = atomic_load(&line->phase);

	return (phase == HTTP_WATCH_CONNECTED || phase == HTTP_WATCH_ANSWERED) &&
	       now - atomic_load(&line->since) > HTTP_WATCH_STAY;
}

static void make_way(struct http_watch *watch) MC_REQUIRES(watch->lock)
{
	struct http_watch_line *chosen = NULL;
	mc_time now = mc_now();

	for (struct http_watch_line *line = watch->first; line != NULL; line = line->next)
		if (!line->ended && may_go(line, now) &&
		    (chosen == NULL || goes_first(line, chosen)))
			chosen = line;
	if (chosen != NULL)
		shut(watch, chosen);
}

void http_watch_add(struct http_watch *watch, struct http_watch_line *line, int fd)
{
	bool first;

	line->fd = fd;
	http_watch_enter(line, HTTP_WATCH_CONNECTED);
	pthread_mutex_lock(&watch->lock);
	line->ended = false;
	line->previous = NULL;
	line->next = watch->first;
	first = line->next == NULL;
	if (!first)
		line->next->previous = line;
	watch->first = line;
	if (++watch->len > watch->max)
		make_way(watch);
	pthread_mutex_unlock(&watch->lock);
	if (first)
		eventfd_write(watch->wake_fd, 1);
}

void http_watch_remove(struct http_watch *watch, struct http_watch_line *line)
{
	pthread_mutex_lock(&watch->lock);
	if (line->next != NULL)
		line->next->previous = line->previous;
	if (line->previous != NULL)
		line->previous->next = line->next;
	else
		watch->first = line->next;
	watch->len -= !line->ended;
	pthread_mutex_unlock(&watch->lock);
}

/* The field that http_watch_enter() sets last is read first: a phase that has just begun may show
 * too few bytes, but then the time is that of its begin. */
static bool takes_too_long(const struct http_watch_line *line, mc_time now)
{
	enum http_watch_phase phase = (enum http_watch_phase)atomic_load(&line->phase);
	size_t size = atomic_load(&line->size);
	mc_time age = now - atomic_load(&line->since);

	switch (phase) {
	case HTTP_WATCH_CONNECTED:
		return age > HTTP_WATCH_FIRST;
	case HTTP_WATCH_ANSWERED:
		return age > HTTP_WATCH_NEXT;
	case HTTP_WATCH_SENDING:
		return age > HTTP_WATCH_BODY ||
		       (age > HTTP_WATCH_FREE &&
			size / (size_t)(age / MC_SECOND) < HTTP_WATCH_SPEED);
	case HTTP_WATCH_SERVED:
		break;
	}
	return false;
}

bool http_watch_look(struct http_watch *watch)
{
	mc_time now = mc_now();
	eventfd_t count;
	bool some;

	eventfd_read(watch->wake_fd, &count);
	pthread_mutex_lock(&watch->lock);
	some = watch->first != NULL;
	for (struct http_watch_line *line = watch->first; line != NULL; line = line->next)
		if (!line->ended && takes_too_long(line, now))
			shut(watch, line);
	pthread_mutex_unlock(&watch->lock);
	return some;
}
