/* SPDX-License-Identifier: MIT */
#include "kit/base/quarantine.h"

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

#define NAME_SIZE 128

void mc_quarantine_init(struct mc_quarantine *quarantine, const char *instance, const char *suffix,
			size_t len_max)
{
	*quarantine = (struct mc_quarantine){
		.suffix = suffix,
		.len_max = len_max,
		.folder = mc_alloc_printf("%s.refused", instance),
	};
}

void mc_quarantine_done(struct mc_quarantine *quarantine)
{
	free(quarantine->folder);
}

static bool is_ours(const struct mc_quarantine *quarantine, const char *name)
{
	size_t size = strlen(name), suffix = strlen(quarantine->suffix);

	return size > suffix && strcmp(name + size - suffix, quarantine->suffix) == 0;
}

/* Removes the oldest, which by their names come first, until there is room for one more. */
static void make_room(const struct mc_quarantine *quarantine, int folder)
{
	struct dirent **entries;
	size_t kept = 0;
	char path[32];
	int len;

	snprintf(path, sizeof(path), "/proc/self/fd/%d", folder);
	len = scandir(path, &entries, NULL, alphasort);
	for (int i = len - 1; i >= 0; i--) {
		if (is_ours(quarantine, entries[i]->d_name) && ++kept >= quarantine->len_max)
			unlinkat(folder, entries[i]->d_name, 0);
		free(entries[i]);
	}
	if (len >= 0)
		free(entries);
}

/* "20260131T235959Z-000001-metrics.otlp" */
static void make_name(const struct mc_quarantine *quarantine, mc_time wall, const char *path,
		      char name[NAME_SIZE])
{
	time_t second = (time_t)(wall / MC_SECOND);
	const char *last = strrchr(path, '/');
	char moment[32];
	struct tm utc;

	gmtime_r(&second, &utc);
	strftime(moment, sizeof(moment), "%Y%m%dT%H%M%SZ", &utc);
	snprintf(name, NAME_SIZE, "%s-%06u-%s%s", moment, quarantine->len % 1000000,
		 last != NULL ? last + 1 : path, quarantine->suffix);
}

static int write_file(int folder, const char *name, const void *body, size_t size)
{
	int file = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
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

int mc_quarantine_keep(struct mc_quarantine *quarantine, mc_time wall, const char *path,
		       const void *body, size_t size)
{
	char name[NAME_SIZE];
	int folder, rc = -EEXIST;

	if (quarantine->len_max == 0)
		return -ENOENT;
	if (mkdir(quarantine->folder, 0700) < 0 && errno != EEXIST)
		return -errno;
	folder = open(quarantine->folder, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (folder < 0)
		return -errno;
	make_room(quarantine, folder);
	/* One before us may have kept some in the same second. */
	for (size_t i = 0; i < quarantine->len_max && rc == -EEXIST; i++) {
		quarantine->len++;
		make_name(quarantine, wall, path, name);
		rc = write_file(folder, name, body, size);
	}
	close(folder);
	return rc;
}
