/* SPDX-License-Identifier: MIT */
/* Facts: xpdfile.c of Nagios 4, which closes the file, runs the command if
 * there is one, and opens the file again. */
#include "single.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/hash.h>
#include <collector/kit/number.h>

enum { FIRST_LINE_MAX = 4096, FILES_MAX = 4 };

void single_init(struct single *single, const char *instance, const char *path)
{
	uint64_t sum = mc_hash_text(mc_hash_start(), instance);

	*single = (struct single){ .fd = -1 };
	sum = mc_hash_text(sum, path);
	snprintf(single->name, sizeof(single->name), "perfdata-file-%016" PRIx64 "/", sum);
}

void single_done(struct single *single)
{
	if (single->fd >= 0)
		close(single->fd);
	single->fd = -1;
}

bool single_know(struct single *single, const struct mc_dedup_id *id)
{
	size_t size = strlen(single->name);
	uint64_t identity;

	if (strncmp(id->name, single->name, size) != 0 ||
	    !mc_number_unsigned(id->name + size, 16, UINT64_MAX, &identity))
		return false;
	for (unsigned i = 0; i < SINGLE_KNOWN; i++) {
		if (single->known[i].identity != 0 && single->known[i].identity != identity)
			continue;
		single->known[i].identity = identity;
		if (single->known[i].offset < id->number)
			single->known[i].offset = id->number;
		break;
	}
	return true;
}

void single_id(const struct single *single, struct mc_dedup_id *id)
{
	snprintf(id->name, sizeof(id->name), "%.40s%016" PRIx64, single->name, single->identity);
	id->number = single->extent.offset;
}

/* The identity of the file; 0: it has no whole line yet. */
static uint64_t identify(int fd, const struct stat *status)
{
	char text[FIRST_LINE_MAX + 1];
	ssize_t size = pread(fd, text, FIRST_LINE_MAX, 0);
	char *newline = size > 0 ? memchr(text, '\n', (size_t)size) : NULL;
	char inode[32];
	uint64_t sum;

	if (newline == NULL && size < FIRST_LINE_MAX)
		return 0;
	text[newline != NULL ? newline - text : size] = '\0';
	snprintf(inode, sizeof(inode), "%" PRIu64, (uint64_t)status->st_ino);
	sum = mc_hash_text(mc_hash_text(mc_hash_start(), inode), text);
	return sum != 0 ? sum : 1;
}

static int open_file(struct single *single, const char *path)
{
	struct stat status;
	int fd = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) < 0 || !S_ISREG(status.st_mode)) {
		close(fd);
		return -EINVAL;
	}
	single->fd = fd;
	single->identity = 0;
	single->extent.offset = 0;
	single->extent.skipping = false;
	return 0;
}

/* Where to read on in a file that has just been opened. */
static uint64_t known_offset(const struct single *single, uint64_t identity,
			     const struct stat *status)
{
	for (unsigned i = 0; i < SINGLE_KNOWN; i++)
		if (single->known[i].identity == identity &&
		    (uint64_t)status->st_size >= single->known[i].offset)
			return single->known[i].offset;
	return 0;
}

/* Whether it is there, and where to read on: at its start, if it is not the one
 * that was read before, of which nothing must be on its way any more. */
static bool is_there(struct single *single)
{
	struct stat status;
	uint64_t identity;

	if (fstat(single->fd, &status) < 0)
		return false;
	identity = identify(single->fd, &status);
	if (identity == single->identity && (uint64_t)status.st_size >= single->extent.offset)
		return identity != 0;
	if (single->extent.pending > 0)
		return false;
	single->extent.skipping = false;
	single->extent.offset = 0;
	if (single->identity == 0)
		single->extent.offset = known_offset(single, identity, &status);
	single->identity = identity;
	return identity != 0;
}

/* Whether the path has another file now.  While it has none, the one that was
 * there may still be written to. */
static bool is_replaced(const struct single *single, const char *path)
{
	struct stat ours, theirs;

	return fstat(single->fd, &ours) == 0 && lstat(path, &theirs) == 0 &&
	       (ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev);
}

static ssize_t whole_lines(const char *text, ssize_t size, size_t room, bool is_last)
{
	const char *newline;

	if (size <= 0 || (size_t)size == room)
		return size;
	newline = memrchr(text, '\n', (size_t)size);
	if (newline != NULL)
		return newline + 1 - text;
	return is_last ? size : 0;
}

ssize_t single_read(struct single *single, const char *path, char *text, size_t room)
{
	for (unsigned i = 0; i < FILES_MAX; i++) {
		int rc = single->fd < 0 ? open_file(single, path) : 0;
		bool replaced;
		ssize_t size = 0;

		if (rc < 0)
			return rc;
		/* Asked first: lines written until then are read. */
		replaced = is_replaced(single, path);
		if (is_there(single))
			size = pread(single->fd, text, room, (off_t)single->extent.offset);
		if (size < 0)
			return -errno;
		size = whole_lines(text, size, room, replaced);
		if (size > 0 || !replaced || single->extent.pending > 0)
			return size;
		single_done(single);
	}
	return 0;
}
