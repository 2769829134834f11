/* SPDX-License-Identifier: MIT */
/* A descriptor is shut down, not closed: whoever reads from it sees the end,
 * and closes it as any other. */
#include "watch.h"

#include <sys/socket.h>

void watch_init(struct watch *watch)
{
	*watch = (struct watch){ 0 };
	pthread_mutex_init(&watch->lock, NULL);
}

void watch_done(struct watch *watch)
{
	pthread_mutex_destroy(&watch->lock);
}

void watch_enter(struct watch_line *line, enum watch_phase phase)
{
	atomic_store(&line->since, mc_now());
	atomic_store(&line->size, 0);
	atomic_store(&line->phase, phase);
}

void watch_add(struct watch *watch, struct watch_line *line, int fd)
{
	line->fd = fd;
	line->ended = false;
	line->previous = NULL;
	watch_enter(line, WATCH_CONNECTED);
	pthread_mutex_lock(&watch->lock);
	line->next = watch->first;
	if (line->next != NULL)
		line->next->previous = line;
	watch->first = line;
	pthread_mutex_unlock(&watch->lock);
}

void watch_remove(struct watch *watch, struct watch_line *line)
{
	pthread_mutex_lock(&watch->lock);
	if (line->next != NULL)
		line->next->previous = line->previous;
	if (line->previous != NULL)
		line->previous->next = line->next;
	else
		watch->first = line->next;
	pthread_mutex_unlock(&watch->lock);
}

/* What watch_enter() sets last is read first: of a phase that has just begun
 * there may be too little, but then the time is that of its begin. */
static bool takes_too_long(const struct watch_line *line, mc_time now)
{
	enum watch_phase phase = (enum watch_phase)atomic_load(&line->phase);
	size_t size = atomic_load(&line->size);
	mc_time age = now - atomic_load(&line->since);

	switch (phase) {
	case WATCH_CONNECTED:
		return age > WATCH_FIRST;
	case WATCH_ANSWERED:
		return age > WATCH_NEXT;
	case WATCH_SENDING:
		return age > WATCH_BODY ||
		       (age > WATCH_FREE &&
			size / (size_t)(age / MC_SECOND) < WATCH_SPEED);
	case WATCH_SERVED:
		break;
	}
	return false;
}

void watch_look(struct watch *watch)
{
	mc_time now = mc_now();

	pthread_mutex_lock(&watch->lock);
	for (struct watch_line *line = watch->first; line != NULL;
	     line = line->next) {
		if (line->ended || !takes_too_long(line, now))
			continue;
		line->ended = true;
		atomic_fetch_add(&watch->ended, 1);
		shutdown(line->fd, SHUT_RDWR);
	}
	pthread_mutex_unlock(&watch->lock);
}
