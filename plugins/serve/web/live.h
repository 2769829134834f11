/* SPDX-License-Identifier: MIT */
/* Samples, ends of series and notifications as they come, as events for viewers.  Viewers who ask
 * for the same globs share a topic, whose events are made once. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdint.h>

#include <collector/kit/http_server.h>
#include <collector/kit/json.h>
#include <collector/kit/lock.h>
#include <collector/writer.h>

#define LIVE_TOPICS 32        /* Different ones at a time. */
#define LIVE_GLOBS_MAX 64     /* Of one. */
#define LIVE_GLOBS_SIZE 16384 /* Bytes of them. */

struct live_globs {
	const char *items[LIVE_GLOBS_MAX];
	unsigned len;
};

struct live_topic {
	uint64_t channel; /* From mc_httpd_follow(); 0: none. */
	unsigned viewers;
	char **globs;
	unsigned globs_len;
};

struct live_event { /* That is being made. */
	struct mc_json *json;
	unsigned records;
};

struct live {
	struct mc_ctx *ctx;
	struct mc_httpd *http;
	pthread_mutex_t lock;
	struct live_topic topics[LIVE_TOPICS] MC_GUARDED_BY(lock);
	unsigned viewers MC_GUARDED_BY(lock);
	uint64_t last_channel MC_GUARDED_BY(lock);
	/* Counts new topics: what series are of which is found anew. */
	atomic_uint generation;
	struct live_event events[LIVE_TOPICS]; /* Thread: the writer's's own. */
};

void live_init(struct live *, struct mc_ctx *, struct mc_httpd *);
void live_done(struct live *) MC_NO_LOCK;

/* A viewer comes: returns the channel of its events, until live_leave().  0:
 * there are too many topics. */
uint64_t live_enter(struct live *, const struct live_globs *);
void live_leave(struct live *, uint64_t channel);

/* For the callbacks of a writer. */
void live_batch(struct live *, const struct mc_batch *);
void live_ended(struct live *, struct mc_series *, mc_time silent);
/* To all viewers; the notification as JSON. */
void live_notification(struct live *, const char *json, size_t size);
