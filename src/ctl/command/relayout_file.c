/* SPDX-License-Identifier: MIT */
#include "ctl/command/relayout_file.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "formats/rrd/rrd_relayout.h"

static int fail(char *why, int error, const char *what)
{
	snprintf(why, RELAYOUT_WHY, "%s: %s", what, strerror(error));
	return -error;
}

/* The lock that librrd has while it writes; it holds as long as the file is open. */
static bool lock(int fd)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };

	return fcntl(fd, F_SETLK, &whole) == 0;
}

/* All of the file; NULL, and 'why'.  Freed by the caller. */
static uint8_t *read_all(int fd, const struct stat *status, char *why)
{
	uint8_t *data;
	ssize_t got;

	if (!S_ISREG(status->st_mode) || status->st_size > MC_RRD_RELAYOUT_MOST) {
		snprintf(why, RELAYOUT_WHY, "not a file of up to 256 MiB");
		return NULL;
	}
	data = alloc_zero((size_t)status->st_size + 1);
	got = pread(fd, data, (size_t)status->st_size, 0);
	if (got == status->st_size)
		return data;
	snprintf(why, RELAYOUT_WHY, "cannot be read: %s", got < 0 ? strerror(errno) : "cut");
	free(data);
	return NULL;
}

/* Writes it all, with the owner, rights and times of the old one, and has the disk store it. */
static int store(int fd, const uint8_t *data, size_t size, const struct stat *old)
{
	const struct timespec times[] = { old->st_atim, old->st_mtim };

	for (size_t used = 0; used < size;) {
		ssize_t written = write(fd, data + used, size - used);

		if (written < 0 && errno != EINTR)
			return -errno;
		used += written > 0 ? (size_t)written : 0;
	}
	if (fchown(fd, old->st_uid, old->st_gid) != 0 || fchmod(fd, old->st_mode & 07777) != 0 ||
	    futimens(fd, times) != 0 || fsync(fd) != 0)
		return -errno;
	return 0;
}

/* Whether nobody has written since. */
static bool is_unchanged(int fd, const struct stat *old)
{
	struct stat now;

	return fstat(fd, &now) == 0 && now.st_size == old->st_size && now.st_nlink > 0 &&
	       now.st_mtim.tv_sec == old->st_mtim.tv_sec &&
	       now.st_mtim.tv_nsec == old->st_mtim.tv_nsec;
}

struct change { /* Of a file that is open. */
	int folder, fd;
	const char *name;
	const struct stat *status;
};

static int replace(const struct change *change, const uint8_t *data, size_t size, char *why)
{
	char beside[NAME_MAX + 16];
	int fd, rc;

	snprintf(beside, sizeof(beside), ".%s.relayout", change->name);
	unlinkat(change->folder, beside, 0); /* Of one that was killed. */
	fd = openat(change->folder, beside, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
		    0600);
	if (fd < 0)
		return fail(why, errno, "cannot make a file beside it");
	rc = store(fd, data, size, change->status);
	close(fd);
	if (rc < 0)
		fail(why, -rc, "cannot write a file beside it");
	else if (!is_unchanged(change->fd, change->status))
		rc = fail(why, EBUSY, "it is being written");
	else if (renameat(change->folder, beside, change->folder, change->name) != 0)
		rc = fail(why, errno, "cannot be replaced");
	if (rc < 0)
		unlinkat(change->folder, beside, 0);
	return rc;
}

static int convert(const struct change *change, const struct mc_rrd_rules *rules,
		   struct relayout_file *result, char *why)
{
	size_t old_size = (size_t)change->status->st_size, size;
	uint8_t *old = read_all(change->fd, change->status, why), *new = NULL;
	char reason[MC_RRD_RELAYOUT_WHY];
	int rc = -EINVAL;

	if (old == NULL)
		return rc;
	size = mc_rrd_relayout_size(old, old_size, rules, reason);
	result->before = old_size;
	result->after = size;
	result->done = mc_rrd_relayout_is_done(old, old_size, rules);
	if (size == 0) {
		snprintf(why, RELAYOUT_WHY, "%s", reason);
	} else if (result->dry || result->done) {
		rc = 0;
	} else {
		new = alloc_zero(size);
		mc_rrd_relayout(old, old_size, rules, new);
		rc = replace(change, new, size, why);
	}
	free(old);
	free(new);
	return rc;
}

int relayout_file(int folder, const char *name, const struct mc_rrd_rules *rules,
		  struct relayout_file *result, char why[static RELAYOUT_WHY])
{
	int flags =
		(result->dry ? O_RDONLY : O_RDWR) | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC;
	int fd = openat(folder, name, flags), rc;
	struct stat status;

	if (fd < 0 || fstat(fd, &status) != 0)
		rc = fail(why, errno, "cannot be opened");
	else if (!result->dry && !lock(fd))
		rc = fail(why, EBUSY, "it is being written");
	else
		rc = convert(&(struct change){ folder, fd, name, &status }, rules, result, why);
	if (fd >= 0)
		close(fd);
	return rc;
}
