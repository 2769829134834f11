/* SPDX-License-Identifier: MIT */
/* Facts: HTML Standard, 9.2 "Server-sent events", for the stream; libmicrohttpd's manual: which
 * threads may suspend and resume a connection. */
#include "kit/net/http_server/http_events.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>

#include "kit/net/http_server/http_worker.h"

#define SILENCE_MAX (15 * MC_SECOND) /* Proxies wait for a minute. */
#define HEAD_SIZE 128
#define BLOCK_SIZE 4096

/* The lock is that of its events. */
struct http_follower {
	struct http_events *events;
	struct http_events_client client;
	struct http_follower *next MC_GUARDED_BY(lock);
	struct http_follower *previous MC_GUARDED_BY(lock);
	struct mc_buffer waiting MC_GUARDED_BY(lock);
	size_t sent MC_GUARDED_BY(lock);   /* Bytes that wait. */
	uint64_t lost MC_GUARDED_BY(lock); /* Units without a report so far. */
	mc_time last MC_GUARDED_BY(lock);  /* Something was put in. */
	bool suspended MC_GUARDED_BY(lock);
};

void http_events_init(struct http_events *events)
{
	*events = (struct http_events){ 0 };
	pthread_mutex_init(&events->lock, NULL);
}

void http_events_done(struct http_events *events)
{
	pthread_mutex_destroy(&events->lock);
}

/* --- Followers ------------------------------------------------------------ */

struct http_follower *http_events_open(struct http_events *events,
				       const struct http_events_client *client)
{
	struct http_follower *follower = mc_alloc_zero(sizeof(*follower));

	follower->events = events;
	follower->client = *client;
	pthread_mutex_lock(&events->lock);
	follower->last = mc_now();
	follower->next = events->first;
	if (follower->next != NULL)
		follower->next->previous = follower;
	events->first = follower;
	pthread_mutex_unlock(&events->lock);
	return follower;
}

void http_events_close(struct http_follower *follower)
{
	struct http_events *events;

	if (follower == NULL)
		return;
	events = follower->events;
	pthread_mutex_lock(&events->lock);
	if (follower->next != NULL)
		follower->next->previous = follower->previous;
	if (follower->previous != NULL)
		follower->previous->next = follower->next;
	else
		events->first = follower->next;
	mc_buffer_free(&follower->waiting);
	pthread_mutex_unlock(&events->lock);
	free(follower);
}

/* --- To the client -------------------------------------------------------- */

static ssize_t take(struct http_events *events, struct http_follower *follower, char *out,
		    size_t room) MC_REQUIRES(events->lock)
{
	struct mc_buffer *waiting = &follower->waiting;
	size_t size = waiting->size - follower->sent;

	(void)events; /* It has the lock. */
	if (size > room)
		size = room;
	memcpy(out, waiting->at + follower->sent, size);
	follower->sent += size;
	if (follower->sent == waiting->size) {
		mc_buffer_clear(waiting);
		follower->sent = 0;
	}
	return (ssize_t)size;
}

/* An MHD_ContentReaderCallback. */
static ssize_t read_events(void *argument, uint64_t at, char *out, size_t room)
{
	struct http_follower *follower = argument;
	struct http_events *events = follower->events;
	ssize_t size = 0;

	(void)at;
	pthread_mutex_lock(&events->lock);
	if (follower->waiting.size > 0) {
		size = take(events, follower, out, room);
	} else if (events->ended) {
		size = MHD_CONTENT_READER_END_OF_STREAM;
	} else {
		follower->suspended = true;
		MHD_suspend_connection(follower->client.connection);
	}
	pthread_mutex_unlock(&events->lock);
	return size;
}

struct MHD_Response *http_events_response(struct http_follower *follower)
{
	return MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, BLOCK_SIZE, read_events,
						 follower, NULL);
}

static void resume(struct http_events *events, struct http_follower *follower)
	MC_REQUIRES(events->lock)
{
	(void)events; /* Only for the lock annotation. */
	if (!follower->suspended)
		return;
	follower->suspended = false;
	MHD_resume_connection(follower->client.connection);
	http_worker_wake(follower->client.worker);
}

/* --- From the plugin ------------------------------------------------------ */

static void add(struct http_events *events, struct http_follower *follower, const char *head,
		const struct mc_httpd_event *event) MC_REQUIRES(events->lock)
{
	struct mc_buffer *waiting = &follower->waiting;
	char lost[HEAD_SIZE] = "";

	if (waiting->size - follower->sent + event->data_size + 2 * HEAD_SIZE >
	    MC_HTTPD_EVENTS_MAX) {
		follower->lost += event->units;
		return;
	}
	if (follower->sent > 0) {
		memmove(waiting->at, waiting->at + follower->sent, waiting->size - follower->sent);
		waiting->size -= follower->sent;
		follower->sent = 0;
	}
	if (follower->lost > 0)
		snprintf(lost, sizeof(lost),
			 "event: lost\ndata: {\"v\":1,\"lost\":%" PRIu64 "}\n\n", follower->lost);
	follower->lost = 0;
	follower->last = mc_now();
	mc_buffer_add(waiting, lost, strlen(lost));
	mc_buffer_add(waiting, head, strlen(head));
	mc_buffer_add(waiting, event->data, event->data_size);
	mc_buffer_add(waiting, "\n\n", 2);
	resume(events, follower);
}

void http_events_publish(struct http_events *events, uint64_t channel,
			 const struct mc_httpd_event *event)
{
	char head[HEAD_SIZE];

	snprintf(head, sizeof(head), "event: %s\ndata: ", event->name);
	pthread_mutex_lock(&events->lock);
	for (struct http_follower *follower = events->first; follower != NULL;
	     follower = follower->next)
		if (follower->client.channel == channel)
			add(events, follower, head, event);
	pthread_mutex_unlock(&events->lock);
}

void http_events_keep_alive(struct http_events *events)
{
	mc_time now = mc_now();

	pthread_mutex_lock(&events->lock);
	for (struct http_follower *follower = events->first; follower != NULL;
	     follower = follower->next) {
		if (now - follower->last < SILENCE_MAX || follower->waiting.size > 0)
			continue;
		follower->last = now;
		mc_buffer_add(&follower->waiting, ":\n\n", 3);
		resume(events, follower);
	}
	pthread_mutex_unlock(&events->lock);
}

void http_events_end(struct http_events *events)
{
	pthread_mutex_lock(&events->lock);
	events->ended = true;
	for (struct http_follower *follower = events->first; follower != NULL;
	     follower = follower->next)
		resume(events, follower);
	pthread_mutex_unlock(&events->lock);
}
