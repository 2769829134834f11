/* SPDX-License-Identifier: MIT */
/* The file: a line for each state, acknowledgement, silence and change of an alert, its fields
 * between tabs.  It is written to another file, synced and put in its place. */
#include "engine/alerts/alerts_internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/buffer.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "base/thread.h"
#include "engine/alerts/alerts_line.h"

#define HEAD "collector alerts 1\n"
#define FILE_SIZE_MAX ((off_t)64 << 20)
#define SAVE_AFTER MC_SECOND

/* --- Writing ------------------------------------------------------------------ */

static void add(struct mc_buffer *out, const struct alerts_line *line)
{
	char text[ALERTS_LINE_SIZE];

	mc_buffer_add(out, text, alerts_line_print(line, text));
}

static void add_states(const struct alerts *alerts, struct mc_buffer *out) MC_REQUIRES(alerts->lock)
{
	for (size_t i = 0; i < alerts->states.len; i++) {
		const struct alerts_state *state = (struct alerts_state *)alerts->states.items[i];

		add(out,
		    &(struct alerts_line){ ALERTS_LINE_STATE, state->base.name, state->severity,
					   state->since, state->reason, state->advice });
	}
}

static void add_acts(const struct alerts *alerts, struct mc_buffer *out) MC_REQUIRES(alerts->lock)
{
	for (size_t i = 0; i < alerts->acknowledged.len; i++) {
		const struct alerts_acknowledged *one =
			(struct alerts_acknowledged *)alerts->acknowledged.items[i];

		add(out, &(struct alerts_line){ ALERTS_LINE_ACKNOWLEDGED, one->base.name,
						one->state, one->time, one->reason, "" });
	}
	for (size_t i = 0; i < alerts->silences.len; i++) {
		const struct alerts_silence *silence =
			(struct alerts_silence *)alerts->silences.items[i];

		add(out,
		    &(struct alerts_line){ ALERTS_LINE_SILENCE, silence->base.name, silence->begin,
					   silence->until, silence->reason, "" });
	}
}

static void add_past(const struct alerts *alerts, struct mc_buffer *out) MC_REQUIRES(alerts->lock)
{
	uint64_t len = alerts->past_len < ALERTS_PAST_MAX ? alerts->past_len : ALERTS_PAST_MAX;

	for (uint64_t i = alerts->past_len - len; i < alerts->past_len; i++) {
		const struct alerts_past *past = &alerts->past[i % ALERTS_PAST_MAX];

		add(out, &(struct alerts_line){ ALERTS_LINE_PAST, past->name, past->severity,
						past->time, past->reason, "" });
	}
}

static void add_all(struct alerts *alerts, struct mc_buffer *out) MC_REQUIRES(alerts->lock)
{
	mc_buffer_add(out, HEAD, strlen(HEAD));
	add_states(alerts, out);
	add_acts(alerts, out);
	add_past(alerts, out);
}

static int write_all(int fd, const struct mc_buffer *text)
{
	size_t done = 0;

	while (done < text->size) {
		ssize_t size = write(fd, text->at + done, text->size - done);

		if (size < 0 && errno != EINTR)
			return -errno;
		done += size > 0 ? (size_t)size : 0;
	}
	return fdatasync(fd) < 0 ? -errno : 0;
}

/* 0 or -errno. */
static int replace(const char *path, const struct mc_buffer *text)
{
	char other[4096];
	int fd, rc;

	snprintf(other, sizeof(other), "%s.new", path);
	fd = open(other, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
	if (fd < 0)
		return -errno;
	rc = write_all(fd, text);
	close(fd);
	if (rc == 0 && rename(other, path) < 0)
		rc = -errno;
	if (rc < 0)
		unlink(other);
	return rc;
}

void alerts_save(struct alerts *alerts)
{
	struct mc_buffer text = { 0 };
	bool changed;
	int rc = 0;

	pthread_mutex_lock(&alerts->lock);
	changed = alerts->changed && alerts->path != NULL;
	alerts->changed = false;
	if (changed)
		add_all(alerts, &text);
	pthread_mutex_unlock(&alerts->lock);
	if (changed)
		rc = replace(alerts->path, &text);
	mc_buffer_free(&text);
	if (rc < 0 && !alerts->unwritable)
		log_warn("cannot write '%s': %s", alerts->path, strerror(-rc));
	if (rc == 0 && changed)
		alerts->unwritable = false;
	if (rc == 0)
		return;
	alerts->unwritable = true;
	pthread_mutex_lock(&alerts->lock);
	alerts->changed = true; /* It is tried again. */
	pthread_mutex_unlock(&alerts->lock);
}

/* --- Reading ------------------------------------------------------------------ */

static void take(struct alerts *alerts, const struct alerts_line *line) MC_REQUIRES(alerts->lock)
{
	const struct alerts_item base = { (char *)line->name };
	char *text = (char *)line->text; /* It is copied. */

	switch (line->kind) {
	case ALERTS_LINE_STATE:
		alerts_put_state(alerts, (struct alerts_state){ .base = base,
								.severity = line->first,
								.since = line->second,
								.reason = text,
								.advice = (char *)line->more });
		break;
	case ALERTS_LINE_ACKNOWLEDGED:
		alerts_put_acknowledged(alerts, (struct alerts_acknowledged){ .base = base,
									      .state = line->first,
									      .time = line->second,
									      .reason = text });
		break;
	case ALERTS_LINE_SILENCE:
		alerts_put_silence(alerts, (struct alerts_silence){ .base = base,
								    .begin = line->first,
								    .until = line->second,
								    .reason = text });
		break;
	case ALERTS_LINE_PAST:
		alerts_put_past(alerts, (struct alerts_past){ .time = line->second,
							      .severity = line->first,
							      .name = (char *)line->name,
							      .reason = text });
		break;
	}
}

static void read_text(struct alerts *alerts, char *text) MC_REQUIRES(alerts->lock)
{
	struct alerts_line parsed;
	char *line;

	if (strncmp(text, HEAD, strlen(HEAD)) != 0) {
		log_warn("'%s' is not a file of this version, begins anew", alerts->path);
		return;
	}
	text += strlen(HEAD);
	while ((line = strsep(&text, "\n")) != NULL)
		if (alerts_line_parse(line, &parsed))
			take(alerts, &parsed);
}

/* NULL without one. */
static char *read_file(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat status;
	char *text = NULL;
	ssize_t size;

	if (fd >= 0 && fstat(fd, &status) == 0 && status.st_size < FILE_SIZE_MAX) {
		text = alloc_zero((size_t)status.st_size + 1);
		size = read(fd, text, (size_t)status.st_size);
		text[size > 0 ? size : 0] = '\0';
	}
	if (text == NULL && errno != ENOENT)
		log_warn("cannot read '%s': %s", path, strerror(errno));
	if (fd >= 0)
		close(fd);
	return text;
}

void alerts_load(struct alerts *alerts)
{
	char *text = alerts->path != NULL ? read_file(alerts->path) : NULL;

	if (text == NULL)
		return;
	pthread_mutex_lock(&alerts->lock);
	read_text(alerts, text);
	pthread_mutex_unlock(&alerts->lock);
	free(text);
}

/* --- The thread ----------------------------------------------------------------- */

static void *run(void *argument)
{
	struct alerts *alerts = argument;
	bool stopping = false;

	while (!stopping) {
		pthread_mutex_lock(&alerts->lock);
		while (!alerts->stopping && !alerts->changed)
			clock_wait(&alerts->change, &alerts->lock, CLOCK_NEVER);
		/* More may come at once. */
		if (!alerts->stopping)
			clock_wait(&alerts->change, &alerts->lock, clock_now() + SAVE_AFTER);
		stopping = alerts->stopping;
		pthread_mutex_unlock(&alerts->lock);
		alerts_save(alerts);
	}
	return NULL;
}

void alerts_start(struct alerts *alerts)
{
	int rc;

	if (alerts->path == NULL)
		return;
	rc = thread_start(&alerts->thread, "alerts", run, alerts);
	alerts->threaded = rc == 0;
	if (rc < 0)
		log_warn("cannot start the thread of alerts: %s", strerror(-rc));
}

bool alerts_stop(struct alerts *alerts, mc_time until)
{
	if (!alerts->threaded)
		return true;
	pthread_mutex_lock(&alerts->lock);
	alerts->stopping = true;
	pthread_cond_broadcast(&alerts->change);
	pthread_mutex_unlock(&alerts->lock);
	alerts->threaded = !thread_join(alerts->thread, until);
	return !alerts->threaded;
}
