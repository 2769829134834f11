/* SPDX-License-Identifier: MIT */
#include "mounts_read.h"

#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define PATH "/proc/self/mountstats"
#define LINE_MAX_SIZE 65536 /* Names are four bytes a byte at most, two of them. */

struct reading {
	struct mounts *mounts;
	const struct mc_strings *globs;
	struct mountstats stats;
	char text[LINE_MAX_SIZE];
	size_t size;                /* Bytes in text[]. */
	bool is_wrong, is_skipping; /* The rest of a line that is too long. */
};

static bool is_wanted(const struct mc_strings *globs, const char *point)
{
	for (size_t i = 0; i < globs->len; i++)
		if (fnmatch(globs->items[i], point, 0) == 0)
			return true;
	return false;
}

static void end_mount(struct reading *reading)
{
	struct mountstats *stats = &reading->stats;

	if (stats->point[0] != '\0')
		mounts_take(reading->mounts, stats);
	stats->point[0] = '\0';
}

static void take_line(struct reading *reading, const char *line)
{
	struct mountstats *stats = &reading->stats;

	if (mountstats_begins(line))
		end_mount(reading);
	if (!mountstats_take(stats, line)) {
		reading->is_wrong = true;
		stats->point[0] = '\0'; /* Half of the figures would be wrong. */
	} else if (mountstats_begins(line) && stats->point[0] != '\0' &&
		   !is_wanted(reading->globs, stats->point)) {
		stats->point[0] = '\0';
	}
}

/* Takes the lines that are whole, and keeps the rest. */
static void take_text(struct reading *reading)
{
	char *line = reading->text, *end = line + reading->size, *newline;

	while ((newline = memchr(line, '\n', (size_t)(end - line))) != NULL) {
		*newline = '\0';
		if (!reading->is_skipping && strlen(line) == (size_t)(newline - line))
			take_line(reading, line);
		else if (!reading->is_skipping)
			reading->is_wrong = true;
		reading->is_skipping = false;
		line = newline + 1;
	}
	reading->size = (size_t)(end - line);
	if (reading->size == sizeof(reading->text)) {
		reading->size = 0;
		reading->is_skipping = reading->is_wrong = true;
		reading->stats.point[0] = '\0';
	}
	memmove(reading->text, line, reading->size);
}

/* 0, or a negative errno. */
static int read_all(struct reading *reading, int fd)
{
	ssize_t size;

	for (;;) {
		size = read(fd, reading->text + reading->size,
			    sizeof(reading->text) - reading->size);
		if (size == 0)
			break;
		if (size < 0 && errno != EINTR)
			return -errno;
		if (size < 0)
			continue;
		reading->size += (size_t)size;
		take_text(reading);
	}
	if (reading->size > 0 || reading->is_skipping) { /* The last line is not whole. */
		reading->is_wrong = true;
		reading->stats.point[0] = '\0';
	}
	end_mount(reading);
	return 0;
}

int mounts_read(struct mc_ctx *ctx, struct mc_batch *out, struct mounts *mounts,
		const struct mc_strings *globs)
{
	struct reading *reading;
	char path[4096];
	uint64_t refused = mounts->refused;
	bool is_wrong;
	int fd = open(mc_path(ctx, PATH, path, sizeof(path)), O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return mc_fail(ctx, errno, "cannot open '" PATH "'");
	reading = mc_alloc_zero(sizeof(*reading));
	reading->mounts = mounts;
	reading->globs = globs;
	rc = read_all(reading, fd);
	close(fd);
	is_wrong = reading->is_wrong;
	free(reading);
	mounts_put(mounts, out, rc == 0 && !is_wrong);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot read '" PATH "'");
	if (is_wrong)
		return mc_fail(ctx, 0, "cannot understand all of '" PATH "'");
	if (mounts->refused > refused)
		return mc_fail(ctx, 0, "more than %d mounts: others are left out", MOUNTS_MAX);
	return 0;
}
