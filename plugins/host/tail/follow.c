/* SPDX-License-Identifier: MIT */
/* A file is known by its device and inode, not by its path; one that is shorter than what was read
 * of it has been cut, and is read from its start (the "copytruncate" of logrotate(8)). */
#include "follow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define FILES_MAX 16 /* In one call, if they are replaced all the time. */

static void close_file(struct follow *follow)
{
	if (follow->open)
		close(follow->fd);
	free(follow->text);
	follow->text = NULL;
	follow->open = false;
}

static int open_file(struct follow *follow, const char *path)
{
	bool at_end = !follow->begun;
	struct stat status;
	/* A FIFO would make us wait. */
	int fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY), rc;

	follow->begun = true;
	if (fd < 0)
		return -errno;
	rc = fstat(fd, &status) != 0 ? -errno : 0;
	if (rc == 0 && !S_ISREG(status.st_mode))
		rc = S_ISDIR(status.st_mode) ? -EISDIR : -ENOTSUP;
	if (rc != 0) {
		close(fd);
		return rc;
	}
	follow->fd = fd;
	follow->open = true;
	follow->device = status.st_dev;
	follow->inode = status.st_ino;
	follow->offset = at_end ? status.st_size : 0;
	follow->text = mc_alloc(FOLLOW_LINE_MAX + 1);
	follow->used = 0;
	follow->skipping = false;
	return 0;
}

/* Gives away the whole lines of what is there, and keeps the rest. */
static void take_lines(struct follow *follow, const struct follow_lines *to)
{
	char *line = follow->text, *end = line + follow->used, *newline;

	while ((newline = memchr(line, '\n', (size_t)(end - line))) != NULL) {
		if (!follow->skipping)
			to->line(to->argument, line, (size_t)(newline - line));
		follow->skipping = false;
		line = newline + 1;
	}
	follow->used = (size_t)(end - line);
	memmove(follow->text, line, follow->used);
	if (follow->used > FOLLOW_LINE_MAX) {
		follow->skipped += follow->skipping ? 0 : 1;
		follow->skipping = true;
		follow->used = 0;
	}
}

/* To the end of the file: 0; -EAGAIN: the time is over. */
static int read_file(struct follow *follow, mc_time until, const struct follow_lines *to)
{
	for (;;) {
		ssize_t n = pread(follow->fd, follow->text + follow->used,
				  FOLLOW_LINE_MAX + 1 - follow->used, follow->offset);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return n < 0 ? -errno : 0;
		follow->offset += n;
		follow->used += (size_t)n;
		take_lines(follow, to);
		if (mc_now() >= until)
			return -EAGAIN;
	}
}

/* Whether the path has another file now, or this one has been cut. */
static int is_replaced(struct follow *follow, const char *path, bool *replaced)
{
	struct stat status;

	if (stat(path, &status) != 0)
		return -errno;
	*replaced = status.st_dev != follow->device || status.st_ino != follow->inode;
	if (!*replaced && status.st_size < follow->offset) {
		follow->offset = 0;
		follow->used = 0;
		follow->skipping = false;
	}
	return 0;
}

int follow_read(struct follow *follow, const char *path, mc_time until,
		const struct follow_lines *to)
{
	for (unsigned files = 0; files < FILES_MAX; files++) {
		bool replaced = false;
		int rc = follow->open ? 0 : open_file(follow, path);

		/* Asked before the rest is read: a change meanwhile is found the next time. */
		if (rc == 0)
			rc = is_replaced(follow, path, &replaced);
		if (follow->open) {
			int failed = read_file(follow, until, to);

			if (failed != 0)
				return failed == -EAGAIN ? 0 : failed;
		}
		if (rc != 0 || !replaced)
			return rc;
		/* Nobody ends its last line any more. */
		if (follow->used > 0 && !follow->skipping)
			to->line(to->argument, follow->text, follow->used);
		close_file(follow);
	}
	return 0;
}

void follow_done(struct follow *follow)
{
	close_file(follow);
	*follow = (struct follow){ 0 };
}
