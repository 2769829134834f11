/* SPDX-License-Identifier: MIT */
/* One daemon against a scripted peer on a unix socket, under a clock of the
 * test's own: nobody waits for anything but bytes that are on their way. */
#pragma once

#include "unit.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/un.h>
#include <unistd.h>

#include <collector/journal.h>
#include <collector/kit/wait.h>
#include <collector/private/status.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "daemon.h"

/* --- The core, as far as it is needed --------------------------------- */

static mc_time now;
static char said[8192]; /* Log lines and losses, each with a newline. */
static uint64_t lost;

mc_time mc_now(void)
{
	return now;
}

static void say(const char *fmt, va_list args)
{
	size_t used = strlen(said);

	vsnprintf(said + used, sizeof(said) - used, fmt, args);
	used = strlen(said);
	snprintf(said + used, sizeof(said) - used, "\n");
}

void mc_log(struct mc_ctx *ctx, enum mc_level level, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	(void)level;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

void mc_count_failure(struct mc_ctx *ctx)
{
	(void)ctx;
}

void mc_drop(struct mc_ctx *ctx, uint64_t samples, int errnum, const char *fmt, ...)
{
	va_list args;

	(void)ctx;
	(void)errnum;
	lost += samples;
	va_start(args, fmt);
	say(fmt, args);
	va_end(args);
}

int mc_fail(struct mc_ctx *ctx, int errnum, const char *fmt, ...)
{
	(void)ctx, (void)fmt;
	return -errnum;
}

int mc_stop_fd(struct mc_ctx *ctx)
{
	(void)ctx;
	return -1;
}

int mc_epoll(int epoll, struct epoll_event *events, int len, mc_time until)
{
	(void)until;
	return epoll_wait(epoll, events, len, 0);
}

struct mc_series { /* Of the core: as much as is looked at. */
	const struct mc_type *type;
	char name[128];
};

struct mc_batch {
	const struct mc_sample *sample; /* The only one. */
	char text[1024];
};

static struct mc_batch stats;
static const struct mc_type gauge = {
	.name = "gauge",
	.sources_len = 1,
	.sources = { { "value", MC_GAUGE, NAN, NAN } },
};
static struct mc_series statistic = { .type = &gauge };
static struct mc_series measured = { .type = &gauge };

struct mc_batch *mc_begin(struct mc_ctx *ctx)
{
	(void)ctx;
	stats.text[0] = '\0';
	return &stats;
}

void mc_commit(struct mc_batch *batch)
{
	size_t used = strlen(batch->text);

	snprintf(batch->text + used, sizeof(batch->text) - used, "committed");
}

struct mc_series *mc_series(struct mc_batch *batch, struct mc_id id)
{
	(void)batch;
	snprintf(statistic.name, sizeof(statistic.name), "%s/%s-%s",
		 id.plugin_instance ? id.plugin_instance : "", id.type,
		 id.type_instance ? id.type_instance : "");
	return &statistic;
}

void mc_put(struct mc_batch *batch, struct mc_series *series, const union mc_value *values,
	    unsigned len)
{
	size_t used = strlen(batch->text);

	assert_int_equal(len, 1);
	snprintf(batch->text + used, sizeof(batch->text) - used, "%s=%g ", series->name,
		 values[0].gauge);
}

/* The journal: record N is a sample of second N, and what the disk has lost is before 'oldest'. */
static struct {
	uint64_t oldest;
	bool failing; /* It cannot be read now. */
	mc_time safe;
	struct mc_batch batch;
	struct {
		struct mc_sample sample;
		union mc_value values[2];
	} record;
} track;

struct mc_consumer *mc_consumer(struct mc_ctx *ctx, const char *name, struct mc_offset *from,
				struct mc_offset *end)
{
	(void)ctx;
	(void)name;
	*from = *end = (struct mc_offset){ 1, 0 };
	return (struct mc_consumer *)&track;
}

void mc_consumer_ack(struct mc_consumer *it, struct mc_offset offset)
{
	(void)it;
	assert_true(offset.samples == offset.seq - 1);
	track.safe = (mc_time)offset.seq;
}

void mc_consumer_lost(struct mc_consumer *it, uint64_t samples)
{
	(void)it;
	lost += samples;
}

struct mc_batch *mc_consumer_read(struct mc_consumer *it, struct mc_offset *from, uint64_t end)
{
	uint64_t seq = from->seq < track.oldest ? track.oldest : from->seq;

	(void)it;
	if (track.failing)
		return NULL;
	if (seq >= end) {
		from->seq = end;
		return NULL;
	}
	*from = (struct mc_offset){ seq + 1, seq };
	track.record.sample.time = (mc_time)seq * MC_SECOND;
	track.record.sample.series = &measured;
	track.record.sample.values_len = 1;
	track.record.sample.values[0].gauge = 1;
	track.batch.sample = &track.record.sample;
	return &track.batch;
}

const struct mc_sample *mc_next_shown(const struct mc_batch *batch, const struct mc_sample *sample)
{
	(void)batch;
	return sample;
}

void mc_discard(struct mc_batch *batch)
{
	assert_ptr_equal(batch, &track.batch);
}

/* --- The peer --------------------------------------------------------- */

#define GO "0 Go ahead.  End with dot '.' on its own line.\n"

struct rig {
	char folder[32], path[64];
	int listener, updates, commands; /* The peer's ends. */
	struct mc_ctx ctx;
	struct mc_loop loop;
	struct daemon_shared shared;
	struct daemon daemon;
	struct mc_rrd_layout *layouts;
};

static void listen_again(struct rig *rig)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	unlink(rig->path);
	snprintf(address.sun_path, sizeof(address.sun_path), "%s", rig->path);
	rig->listener = socket(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0);
	assert_int_equal(bind(rig->listener, (struct sockaddr *)&address, sizeof(address)), 0);
	assert_int_equal(listen(rig->listener, 5), 0);
}

static void open_rig(struct rig *rig)
{
	struct daemon_rules rules = {
		.limit = 1 << 20, .replay_limit = 200, .timeout = 30 * MC_SECOND, .joined = true
	};

	*rig = (struct rig){ .folder = "/tmp/rrdcached.XXXXXX",
			     .updates = -1,
			     .commands = -1,
			     .ctx = { .interval = 10 * MC_SECOND } };
	assert_non_null(mkdtemp(rig->folder));
	snprintf(rig->path, sizeof(rig->path), "%s/s", rig->folder);
	rig->shared = (struct daemon_shared){ .ctx = &rig->ctx,
					      .create_files = true,
					      .offset = BACKLOG_NO_OFFSET };
	pthread_mutex_init(&rig->shared.lock, NULL);
	pthread_cond_init(&rig->shared.room, NULL);
	now = 1000 * MC_SECOND;
	said[0] = '\0';
	lost = 0;
	rig->loop.ctx = &rig->ctx;
	assert_int_equal(mc_loop_init(&rig->loop), 0);
	rig->shared.streams.loop = &rig->loop;
	mc_stream_client_room_init(&rig->shared.streams);
	assert_true(daemon_init(&rig->daemon, &rig->shared, rig->path, &rules));
	listen_again(rig);
}

static void close_fd(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

/* Returns how many samples were not sent. */
static uint64_t close_rig(struct rig *rig)
{
	uint64_t left = daemon_done(&rig->daemon);

	mc_stream_room_done(&rig->shared.streams);
	mc_loop_done(&rig->loop);
	close_fd(&rig->listener);
	close_fd(&rig->updates);
	close_fd(&rig->commands);
	unlink(rig->path);
	rmdir(rig->folder);
	file_done(&rig->shared.files);
	mc_rrd_layouts_free(rig->layouts);
	return left;
}

/* Lets the daemon do what it can do without waiting; returns for how long it would sleep. */
static mc_time work(struct rig *rig)
{
	mc_time wake = INT64_MAX;

	for (int i = 0; i < 20; i++) {
		wake = INT64_MAX;
		assert_int_equal(mc_loop_round(&rig->loop, now), 0);
		daemon_step(&rig->daemon, now, &wake);
	}
	if (mc_loop_due(&rig->loop) < wake)
		wake = mc_loop_due(&rig->loop);
	return wake == INT64_MAX ? wake : wake - now;
}

static int take_connection(struct rig *rig)
{
	int fd = -1;

	for (int i = 0; i < 20 && fd < 0; i++) {
		work(rig);
		fd = accept4(rig->listener, NULL, NULL, SOCK_NONBLOCK);
	}
	assert_true(fd >= 0);
	work(rig);
	return fd;
}

/* What the peer has been sent so far. */
static const char *heard(struct rig *rig, int fd)
{
	static char text[8192];
	ssize_t got;

	work(rig);
	got = read(fd, text, sizeof(text) - 1);
	text[got > 0 ? got : 0] = '\0';
	return text;
}

static void answer(struct rig *rig, int fd, const char *text)
{
	assert_int_equal(write(fd, text, strlen(text)), strlen(text));
	work(rig);
}

/* The peer is asked for PENDING of each file and has what came first, so that
 * nothing can be missing. */
static void is_asked_pending(struct rig *rig)
{
	char text[8192];
	char *rest = text;

	snprintf(text, sizeof(text), "%s", heard(rig, rig->updates));
	assert_string_not_equal(text, "");
	for (const char *line; (line = strsep(&rest, "\n")) != NULL;) {
		if (*line == '\0')
			continue;
		assert_memory_equal(line, "PENDING /d/", 11);
		answer(rig, rig->updates, "1 updates pending\n1:1\n");
	}
}

static struct file *file_of(struct rig *rig, const char *name)
{
	struct mc_rrd_rules rules = { .rows = 10, .xff = 0.5 };
	char prefix[FILE_PREFIX_MAX];
	struct file *file = file_open(&rig->shared.files, prefix, file_prefix("/d", name, prefix));

	file->users = 1;
	file->daemon = &rig->daemon;
	file->layout = mc_rrd_layout(&rig->layouts, &rules, &gauge, 10 * MC_SECOND);
	return file;
}

/* A sample of a series, in the given second; false if it has no room. */
static bool try_put(struct rig *rig, const char *name, int64_t second)
{
	struct file *file = file_of(rig, name);
	bool taken;

	pthread_mutex_lock(&rig->shared.lock);
	taken = daemon_put(&rig->daemon, file, second, &(union mc_value){ .gauge = 1 });
	pthread_mutex_unlock(&rig->shared.lock);
	return taken;
}

static void put(struct rig *rig, const char *name, int64_t second)
{
	assert_true(try_put(rig, name, second));
}

/* The peer reads what it was sent, and answers a batch. */
static inline void take_batch(struct rig *rig)
{
	while (heard(rig, rig->updates)[0] != '\0')
		;
	answer(rig, rig->updates, GO "0 errors\n");
}
