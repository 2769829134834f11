/* SPDX-License-Identifier: MIT */
/* A descriptor is shut down, not closed: whoever reads from it sees the end,
 * and closes it as any other. */
#include "kit/net/http_server/peer/http_watch.h"

#include <sys/eventfd.h>
#include <sys/socket.h>
#include <unistd.h>

static const struct http_watch_line *line_of(const struct mc_admitted *admitted)
{
	return (const struct http_watch_line *)admitted;
}

/* A connection with traffic stays. */
static bool is_idle(const struct mc_admitted *admitted)
{
	int phase = atomic_load(&line_of(admitted)->phase);

	return phase == HTTP_WATCH_CONNECTED || phase == HTTP_WATCH_QUEUED ||
	       phase == HTTP_WATCH_ANSWERED;
}

static void shut(struct mc_admitted *admitted)
{
	shutdown(line_of(admitted)->fd, SHUT_RDWR);
}

void http_watch_init(struct http_watch *watch, int64_t address_max)
{
	const struct admission_rules rules = {
		.address_max = address_max,
		.idle_min = HTTP_WATCH_STAY,
		.is_idle = is_idle,
		.shut = shut,
	};

	watch->admission = admission_new(&rules);
	watch->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void http_watch_done(struct http_watch *watch)
{
	if (watch->wake_fd >= 0)
		close(watch->wake_fd);
	admission_free(watch->admission);
}

void http_watch_enter(struct http_watch_line *line, enum http_watch_phase phase)
{
	atomic_store(&line->admitted.active, mc_now());
	atomic_store(&line->size, 0);
	atomic_store(&line->phase, phase);
}

bool http_watch_add(struct http_watch *watch, struct http_watch_line *line,
		    const struct sockaddr_storage *from, bool tls, bool *evicted)
{
	size_t len;

	*evicted = admission_is_full(watch->admission) &&
		   admission_make_way(watch->admission, from) != NULL;
	http_watch_enter(line, HTTP_WATCH_CONNECTED);
	len = admission_enter(watch->admission, &line->admitted, from, tls);
	if (len == 0)
		shut(&line->admitted);
	if (len == 1)
		eventfd_write(watch->wake_fd, 1);
	return len > 0;
}

void http_watch_remove(struct http_watch *watch, struct http_watch_line *line)
{
	admission_leave(watch->admission, &line->admitted);
}

/* The field that http_watch_enter() sets last is read first: a phase that has just begun may show
 * too few bytes, but then the time is that of its begin. */
static bool takes_too_long(const struct mc_admitted *admitted, mc_time now)
{
	const struct http_watch_line *line = line_of(admitted);
	enum http_watch_phase phase = (enum http_watch_phase)atomic_load(&line->phase);
	size_t size = atomic_load(&line->size);
	mc_time age = now - atomic_load(&admitted->active);

	switch (phase) {
	case HTTP_WATCH_CONNECTED:
		return age > HTTP_WATCH_FIRST;
	case HTTP_WATCH_QUEUED:
		return age > HTTP_WATCH_TURN;
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

bool http_watch_look(struct http_watch *watch, uint64_t *ended)
{
	eventfd_t count;

	eventfd_read(watch->wake_fd, &count);
	return admission_end(watch->admission, takes_too_long, ended) > 0;
}
