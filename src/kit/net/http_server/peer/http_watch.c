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
	watch->due = INT64_MAX;
	watch->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void http_watch_done(struct http_watch *watch)
{
	if (watch->wake_fd >= 0)
		close(watch->wake_fd);
	admission_free(watch->admission);
}

/* Has the next look be at 'due' at the latest. */
static void look_at(struct http_watch *watch, mc_time due)
{
	mc_time known = atomic_load(&watch->due);

	while (due < known && !atomic_compare_exchange_weak(&watch->due, &known, due))
		;
}

/* How long a phase may last before it is looked at. */
static mc_time time_of(enum http_watch_phase phase)
{
	switch (phase) {
	case HTTP_WATCH_CONNECTED:
		return HTTP_WATCH_FIRST;
	case HTTP_WATCH_QUEUED:
		return HTTP_WATCH_TURN;
	case HTTP_WATCH_ANSWERED:
		return HTTP_WATCH_NEXT;
	case HTTP_WATCH_SENDING:
		return HTTP_WATCH_FREE;
	case HTTP_WATCH_SERVED:
		break;
	}
	return INT64_MAX;
}

static void set(struct http_watch_line *line, enum http_watch_phase phase, mc_time now)
{
	atomic_store(&line->admitted.active, now);
	atomic_store(&line->size, 0);
	atomic_store(&line->phase, phase);
}

void http_watch_enter(struct http_watch_line *line, enum http_watch_phase phase)
{
	mc_time now = mc_now();

	set(line, phase, now);
	if (phase != HTTP_WATCH_SERVED)
		look_at(line->watch, now + time_of(phase));
}

bool http_watch_add(struct http_watch *watch, struct http_watch_line *line,
		    const struct sockaddr_storage *from, bool tls, bool *evicted)
{
	size_t len;

	*evicted = admission_is_full(watch->admission) &&
		   admission_make_way(watch->admission, from) != NULL;
	line->watch = watch;
	set(line, HTTP_WATCH_CONNECTED, mc_now());
	len = admission_enter(watch->admission, &line->admitted, from, tls);
	look_at(watch, mc_now() + HTTP_WATCH_FIRST); /* A look finds it from now on. */
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

/* Until when a body may go on: all of it has a time, and after a while it must be fast. */
static mc_time body_until(mc_time begin, size_t size, mc_time now)
{
	mc_time age = now - begin, end = begin + HTTP_WATCH_BODY;

	if (age <= HTTP_WATCH_FREE)
		return begin + HTTP_WATCH_FREE;
	if (size / (size_t)(age / MC_SECOND) < HTTP_WATCH_SPEED)
		return begin;
	return now + MC_SECOND < end ? now + MC_SECOND : end;
}

/* The field that http_watch_enter() sets last is read first: a phase that has just begun may show
 * too few bytes, but then the time is that of its begin. */
static mc_time until(const struct mc_admitted *admitted, mc_time now)
{
	const struct http_watch_line *line = line_of(admitted);
	enum http_watch_phase phase = (enum http_watch_phase)atomic_load(&line->phase);
	size_t size = atomic_load(&line->size);
	mc_time begin = atomic_load(&admitted->active);

	if (phase == HTTP_WATCH_SERVED)
		return INT64_MAX;
	return phase == HTTP_WATCH_SENDING ? body_until(begin, size, now) : begin + time_of(phase);
}

/* A phase that begins meanwhile is seen, or sets when the next look is, after that was forgotten.
 */
bool http_watch_look(struct http_watch *watch, uint64_t *ended)
{
	eventfd_t count;
	mc_time due;
	size_t left;

	eventfd_read(watch->wake_fd, &count);
	*ended = 0;
	if (mc_now() < atomic_load(&watch->due))
		return admission_len(watch->admission) > 0;
	atomic_store(&watch->due, INT64_MAX);
	left = admission_end(watch->admission, until, ended, &due);
	look_at(watch, due);
	return left > 0;
}
