/* SPDX-License-Identifier: MIT */
/* Each series remembers which topics it is of, so that a sample costs no glob;
 * no lock is held while events are made and sent. */
#include "live.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>

#include <collector/control.h>
#include <collector/kit/alloc.h>

#include "answer.h"
#include "series_json.h"

#define EVENT_SIZE 8192 /* An event of more bytes is sent. */

struct membership { /* The slot of a series. */
	unsigned generation;
	uint32_t topics; /* A bit for each. */
};

void live_init(struct live *live, struct mc_ctx *ctx, struct mc_httpd *http)
{
	live->ctx = ctx;
	live->http = http;
	pthread_mutex_init(&live->lock, NULL);
}

static void free_topic(struct live_topic *topic)
{
	for (unsigned i = 0; i < topic->globs_len; i++)
		free(topic->globs[i]);
	free(topic->globs);
	*topic = (struct live_topic){ 0 };
}

void live_done(struct live *live)
{
	for (unsigned i = 0; i < LIVE_TOPICS; i++)
		free_topic(&live->topics[i]);
	pthread_mutex_destroy(&live->lock);
}

/* --- Viewers ------------------------------------------------------------- */

static bool is_for(const struct live_topic *topic, const struct live_globs *globs)
{
	if (topic->channel == 0 || topic->globs_len != globs->len)
		return false;
	for (unsigned i = 0; i < globs->len; i++)
		if (strcmp(topic->globs[i], globs->items[i]) != 0)
			return false;
	return true;
}

/* That of the globs, else one that is free; NULL without one. */
static struct live_topic *find_topic(struct live *live, const struct live_globs *globs)
	MC_REQUIRES(live->lock)
{
	struct live_topic *free_one = NULL;

	for (unsigned i = 0; i < LIVE_TOPICS; i++) {
		if (is_for(&live->topics[i], globs))
			return &live->topics[i];
		if (live->topics[i].channel == 0)
			free_one = &live->topics[i];
	}
	return free_one;
}

static void make_topic(struct live *live, struct live_topic *topic, const struct live_globs *globs)
	MC_REQUIRES(live->lock)
{
	topic->channel = ++live->last_channel;
	topic->globs_len = globs->len;
	topic->globs = mc_alloc_array(globs->len, sizeof(char *));
	for (unsigned i = 0; i < globs->len; i++)
		topic->globs[i] = mc_alloc_copy(globs->items[i]);
	atomic_fetch_add(&live->generation, 1);
}

static bool has_viewers(struct live *live)
{
	bool some;

	pthread_mutex_lock(&live->lock);
	some = live->viewers > 0;
	pthread_mutex_unlock(&live->lock);
	return some;
}

/* Of several threads that do this at once the last one sees what all did. */
static void subscribe(struct live *live)
{
	bool wanted;

	do {
		wanted = has_viewers(live);
		mc_subscribe(live->ctx, wanted);
	} while (has_viewers(live) != wanted);
}

uint64_t live_enter(struct live *live, const struct live_globs *globs)
{
	struct live_topic *topic;
	uint64_t channel = 0;

	pthread_mutex_lock(&live->lock);
	topic = find_topic(live, globs);
	if (topic != NULL) {
		if (topic->channel == 0)
			make_topic(live, topic, globs);
		topic->viewers++;
		live->viewers++;
		channel = topic->channel;
	}
	pthread_mutex_unlock(&live->lock);
	subscribe(live);
	return channel;
}

void live_leave(struct live *live, uint64_t channel)
{
	pthread_mutex_lock(&live->lock);
	live->viewers--;
	for (unsigned i = 0; i < LIVE_TOPICS; i++)
		if (live->topics[i].channel == channel && --live->topics[i].viewers == 0)
			free_topic(&live->topics[i]);
	pthread_mutex_unlock(&live->lock);
	subscribe(live);
}

/* --- Topics -------------------------------------------------------------- */

static void get_channels(struct live *live, uint64_t channels[LIVE_TOPICS])
{
	pthread_mutex_lock(&live->lock);
	for (unsigned i = 0; i < LIVE_TOPICS; i++)
		channels[i] = live->topics[i].channel;
	pthread_mutex_unlock(&live->lock);
}

static bool matches(const struct live_topic *topic, const char *name)
{
	for (unsigned i = 0; i < topic->globs_len; i++)
		if (fnmatch(topic->globs[i], name, 0) == 0)
			return true;
	return false;
}

static uint32_t find_topics(struct live *live, const char *name)
{
	uint32_t topics = 0;

	pthread_mutex_lock(&live->lock);
	for (unsigned i = 0; i < LIVE_TOPICS; i++)
		if (matches(&live->topics[i], name))
			topics |= UINT32_C(1) << i;
	pthread_mutex_unlock(&live->lock);
	return topics;
}

static uint32_t topics_of(struct live *live, const struct mc_series *series)
{
	unsigned generation = atomic_load(&live->generation);
	void **slot = mc_slot(live->ctx, series);
	struct membership *membership = *slot;

	if (membership == NULL)
		membership = *slot = mc_alloc_zero(sizeof(*membership));
	if (membership->generation != generation) {
		membership->topics = find_topics(live, mc_name(series));
		membership->generation = generation;
	}
	return membership->topics;
}

/* --- Samples ------------------------------------------------------------- */

static void send(struct live *live, uint64_t channel, struct live_event *event)
{
	struct mc_httpd_event out = { .name = "samples", .units = event->records };

	if (event->json == NULL)
		return;
	mc_json_list_end(event->json);
	mc_json_map_end(event->json);
	out.data = mc_json_bytes(event->json, &out.data_size);
	mc_httpd_publish(live->http, channel, &out);
	mc_json_free(event->json);
	*event = (struct live_event){ 0 };
}

static void add(struct live *live, uint64_t channel, struct live_event *event,
		const struct mc_sample *sample)
{
	size_t size;

	if (event->json == NULL) {
		event->json = answer_begin();
		mc_json_list(event->json, "series");
	}
	series_json_sample(event->json, sample);
	event->records++;
	mc_json_bytes(event->json, &size);
	if (size >= EVENT_SIZE)
		send(live, channel, event);
}

void live_batch(struct live *live, const struct mc_batch *batch)
{
	uint64_t channels[LIVE_TOPICS];

	get_channels(live, channels);
	MC_FOR_EACH_SAMPLE (sample, batch) {
		uint32_t topics = topics_of(live, sample->series);

		for (unsigned i = 0; topics != 0; topics >>= 1, i++)
			if ((topics & 1) != 0 && channels[i] != 0)
				add(live, channels[i], &live->events[i], sample);
	}
	for (unsigned i = 0; i < LIVE_TOPICS; i++)
		send(live, channels[i], &live->events[i]);
}

/* --- What else happens --------------------------------------------------- */

void live_ended(struct live *live, struct mc_series *series, mc_time silent)
{
	uint64_t channels[LIVE_TOPICS];
	struct mc_httpd_event event = { .name = "presence", .units = 1 };
	struct mc_json *json;
	uint32_t topics;

	/* First: a topic may be followed by another one of other globs. */
	get_channels(live, channels);
	topics = topics_of(live, series);
	if (topics == 0)
		return;
	json = answer_begin();
	mc_json_text(json, "name", mc_name(series));
	mc_json_seconds(json, "silent", silent);
	mc_json_map_end(json);
	event.data = mc_json_bytes(json, &event.data_size);
	for (unsigned i = 0; topics != 0; topics >>= 1, i++)
		if ((topics & 1) != 0 && channels[i] != 0)
			mc_httpd_publish(live->http, channels[i], &event);
	mc_json_free(json);
}

void live_notification(struct live *live, const char *json, size_t size)
{
	const struct mc_httpd_event event = {
		.name = "notification", .data = json, .data_size = size, .units = 1
	};
	uint64_t channels[LIVE_TOPICS];

	get_channels(live, channels);
	for (unsigned i = 0; i < LIVE_TOPICS; i++)
		if (channels[i] != 0)
			mc_httpd_publish(live->http, channels[i], &event);
}
