/* SPDX-License-Identifier: MIT */
#include "quarantine.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define SUFFIX ".otlp"
#define NAME_SIZE 128

void quarantine_init(struct quarantine *quarantine, const char *instance,
		     size_t len_max)
{
	*quarantine = (struct quarantine){
		.len_max = len_max,
		.folder = mc_alloc_printf("%s.refused", instance),
	};
}

void quarantine_done(struct quarantine *quarantine)
{
	free(quarantine->folder);
}

static int is_ours(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);

	return size > strlen(SUFFIX) &&
	       strcmp(entry->d_name + size - strlen(SUFFIX), SUFFIX) == 0;
}

/* Removes the oldest, which by their names come first, until there is room for
 * one more. */
static void make_room(const struct quarantine *quarantine, int folder)
{
	struct dirent **entries;
	int len = scandirat(folder, ".", &entries, is_ours, alphasort);

	for (int i = 0; i < len; i++) {
		if ((size_t)(len - i) >= quarantine->len_max)
			unlinkat(folder, entries[i]->d_name, 0);
		free(entries[i]);
	}
	if (len >= 0)
		free(entries);
}

/* "20260131T235959Z-000001-metrics.otlp" */
static void make_name(char name[NAME_SIZE], mc_time now, unsigned number,
		      const char *path)
{
	time_t second = (time_t)(now / MC_SECOND);
	const char *last = strrchr(path, '/');
	char moment[32];
	struct tm utc;

	gmtime_r(&second, &utc);
	strftime(moment, sizeof(moment), "%Y%m%dT%H%M%SZ", &utc);
	snprintf(name, NAME_SIZE, "%s-%06u-%s" SUFFIX, moment, number % 1000000,
		 last != NULL ? last + 1 : path);
}

static int write_file(int folder, const char *name, const void *body,
		      size_t size)
{
	int file = openat(folder, name,
			  O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
			  0600);
	ssize_t written;
	int rc = 0;

	if (file < 0)
		return -errno;
	for (size_t at = 0; at < size && rc == 0; at += (size_t)written) {
		written = write(file, (const char *)body + at, size - at);
		if (written <= 0) {
			rc = written < 0 ? -errno : -EIO;
			break;
		}
	}
	if (close(file) < 0 && rc == 0)
		rc = -errno;
	if (rc < 0)
		unlinkat(folder, name, 0);
	return rc;
}

int quarantine_keep(struct quarantine *quarantine, mc_time now,
		    const char *path, const void *body, size_t size)
{
	char name[NAME_SIZE];
	int folder, rc = -EEXIST;

	if (quarantine->len_max == 0)
		return -ENOENT;
	if (mkdir(quarantine->folder, 0700) < 0 && errno != EEXIST)
		return -errno;
	folder = open(quarantine->folder,
		      O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	make_room(quarantine, folder);
	/* One before us may have kept some in the same second. */
	for (size_t i = 0; i < quarantine->len_max && rc == -EEXIST; i++) {
		make_name(name, now, ++quarantine->len, path);
		rc = write_file(folder, name, body, size);
	}
	close(folder);
	return rc;
}
