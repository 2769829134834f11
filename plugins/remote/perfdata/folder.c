/* SPDX-License-Identifier: MIT */
/* Facts: inotify(7), rename(2), flock(2). */
#include "folder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>
#include <collector/private/beneath.h>

#include "formats/perfdata/event.h"

#define TAKEN ".taken"
#define NUMBER_DIGITS 10
#define NAME_KEPT 200              /* Bytes of a name that is taken. */
#define SETTLED (MC_SECOND)        /* Since it was written last. */
#define AHEAD_MAX (60 * MC_SECOND) /* Of the clock of the file system. */
#define PEEK_SIZE 1024

/* --- Opening -------------------------------------------------------------- */

void folder_init(struct folder *folder, const char *path)
{
	*folder = (struct folder){ .path = path, .fd = -1, .taken = -1, .inotify = -1 };
}

static void close_one(int *fd)
{
	if (*fd >= 0)
		close(*fd);
	*fd = -1;
}

static void forget_files(struct folder *folder)
{
	for (size_t i = 0; i < folder->len; i++)
		free(folder->files[i].name);
	folder->len = folder->next = 0;
	folder->bytes = 0;
}

void folder_done(struct folder *folder)
{
	forget_files(folder);
	free(folder->files);
	folder->files = NULL;
	folder->room = 0;
	close_one(&folder->taken);
	close_one(&folder->fd);
	close_one(&folder->inotify);
}

static int open_taken(struct folder *folder)
{
	int taken;

	if (mkdirat(folder->fd, TAKEN, 0700) < 0 && errno != EEXIST)
		return -errno;
	taken = mc_open_beneath(folder->fd, TAKEN, O_RDONLY | O_DIRECTORY, 0);
	if (taken < 0)
		return taken;
	if (flock(taken, LOCK_EX | LOCK_NB) < 0) {
		int errnum = errno == EWOULDBLOCK ? EBUSY : errno;

		close(taken);
		return -errnum;
	}
	folder->taken = taken;
	return 0;
}

int folder_open(struct folder *folder)
{
	int rc;

	folder->fd = open(folder->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (folder->fd < 0)
		return -errno;
	rc = open_taken(folder);
	if (rc < 0) {
		close_one(&folder->fd);
		return rc;
	}
	/* Without it, files are found once an interval. */
	folder->inotify = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
	if (folder->inotify >= 0 &&
	    inotify_add_watch(folder->inotify, folder->path,
			      IN_MOVED_TO | IN_CLOSE_WRITE | IN_ONLYDIR) < 0)
		close_one(&folder->inotify);
	return 0;
}

bool folder_is_gone(const struct folder *folder)
{
	struct stat ours, theirs;

	return fstat(folder->fd, &ours) < 0 || stat(folder->path, &theirs) < 0 ||
	       ours.st_ino != theirs.st_ino || ours.st_dev != theirs.st_dev;
}

void folder_drain(struct folder *folder)
{
	char events[4096];

	while (folder->inotify >= 0 && read(folder->inotify, events, sizeof(events)) > 0)
		;
}

/* --- What waits ----------------------------------------------------------- */

/* Those of PNP's npcd that it works on, and what is not yet in its place. */
static bool is_other(const char *name)
{
	size_t size = strlen(name);

	return name[0] == '.' || strncmp(name, "tmp", 3) == 0 || strstr(name, "-PID-") != NULL ||
	       (size > 4 && strcmp(name + size - 4, ".tmp") == 0);
}

/* The time in a name such as "service-perfdata.1795211799", or 0. */
static int64_t time_in(const char *name)
{
	for (const char *at = name; *at != '\0';) {
		size_t digits = strspn(at, "0123456789");
		uint64_t seconds;

		if (digits == 10 && mc_number_take(&at, 10, &seconds))
			return (int64_t)seconds;
		at += digits;
		at += strcspn(at, "0123456789");
	}
	return 0;
}

static void add_file(struct folder *folder, const char *name, const struct stat *status)
{
	int64_t time = time_in(name);

	MC_ARRAY_GROW(folder->files, folder->len, folder->room);
	folder->files[folder->len++] = (struct folder_file){
		.name = mc_alloc_copy(name),
		.time = time > 0 ? time : (int64_t)status->st_mtim.tv_sec,
		.size = (uint64_t)status->st_size,
		.refused = !S_ISREG(status->st_mode) || status->st_size > UINT32_MAX ||
			   faccessat(folder->fd, name, R_OK, AT_EACCESS) < 0,
	};
	folder->bytes += (uint64_t)status->st_size;
}

static int compare(const void *a, const void *b)
{
	const struct folder_file *one = a, *other = b;

	if (one->time != other->time)
		return one->time < other->time ? -1 : 1;
	return strverscmp(one->name, other->name);
}

/* Looks at one; it may be gone by now. */
static void look_at(struct folder *folder, const char *name, mc_time now)
{
	struct stat status;
	mc_time written;

	if (is_other(name) || fstatat(folder->fd, name, &status, AT_SYMLINK_NOFOLLOW) < 0 ||
	    S_ISDIR(status.st_mode))
		return;
	written = status.st_mtim.tv_sec * MC_SECOND + status.st_mtim.tv_nsec;
	/* One that was written since 'now' is younger still. */
	if (now - written < SETTLED && written - now < AHEAD_MAX) {
		folder->young = true;
		return;
	}
	add_file(folder, name, &status);
}

int folder_list(struct folder *folder, mc_time now)
{
	int fd = openat(folder->fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (directory == NULL) {
		int errnum = errno;

		if (fd >= 0)
			close(fd);
		return -errnum;
	}
	forget_files(folder);
	folder->young = false;
	while (folder->len < FOLDER_FILES_MAX && (entry = readdir(directory)) != NULL)
		look_at(folder, entry->d_name, now);
	closedir(directory);
	if (folder->len > 1)
		qsort(folder->files, folder->len, sizeof(*folder->files), compare);
	return 0;
}

mc_time folder_first_time(const struct folder *folder, const char *name)
{
	int fd = openat(folder->fd, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char text[PEEK_SIZE];
	ssize_t size;

	if (fd < 0)
		return 0;
	size = read(fd, text, sizeof(text));
	close(fd);
	return size > 0 ? event_first_time(text, (size_t)size) : 0;
}

/* --- What is taken -------------------------------------------------------- */

int folder_take(const struct folder *folder, const char *name, uint64_t number,
		char out[FOLDER_NAME_SIZE])
{
	char taken[FOLDER_NAME_SIZE];

	snprintf(taken, sizeof(taken), "%0*llu-%.*s", NUMBER_DIGITS, (unsigned long long)number,
		 NAME_KEPT, name);
	if (renameat(folder->fd, name, folder->taken, taken) < 0)
		return -errno;
	memcpy(out, taken, sizeof(taken));
	return 0;
}

int folder_open_taken(const struct folder *folder, const char *name)
{
	int fd = openat(folder->taken, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat status;

	if (fd < 0)
		return -errno;
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		return fd;
	close(fd);
	return -EINVAL;
}

uint64_t folder_number(const char *name)
{
	uint64_t number;

	return mc_number_take(&name, 10, &number) && *name == '-' ? number : 0;
}

uint64_t folder_taken_size(const struct folder *folder, const char *name)
{
	struct stat status;

	if (fstatat(folder->taken, name, &status, AT_SYMLINK_NOFOLLOW) < 0)
		return 0;
	return (uint64_t)status.st_size;
}

void folder_set_aside(const struct folder *folder, const char *name)
{
	char renamed[FOLDER_NAME_SIZE];

	snprintf(renamed, sizeof(renamed), "bad-%.*s", NAME_KEPT, name);
	renameat(folder->taken, name, folder->taken, renamed);
}
