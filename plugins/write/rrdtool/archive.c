/* SPDX-License-Identifier: GPL-2.0-or-later */
/* librrd tells what went wrong in words only, so the kind of a failure is found
 * by asking the file system once more. */
#include "archive.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

enum {
	CHUNK_LEN = 256,      /* Updates in one call. */
	FREE_LEAST = 1 << 20, /* Bytes; fewer: the disk is full. */
};

static int system_error(int errnum, char *reason)
{
	snprintf(reason, ARCHIVE_REASON_SIZE, "%s", strerror(errnum));
	return -errnum;
}

/* librrd puts the path in front of most texts; the caller names it. */
static const char *rrd_text(const char *path)
{
	const char *text = rrd_get_error();
	size_t size = strlen(path);

	if (strncmp(text, path, size) == 0 && text[size] == ':')
		text += size + 1 + strspn(text + size + 1, " ");
	return text;
}

/* Why librrd could not use the file. */
static int explain_failure(const char *path, char *reason)
{
	struct stat status;
	int fd;

	if (stat(path, &status) != 0)
		return system_error(errno, reason);
	if (!S_ISREG(status.st_mode)) {
		snprintf(reason, ARCHIVE_REASON_SIZE, "not a regular file");
		return -EINVAL;
	}
	fd = open(path, O_RDWR | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
	if (fd < 0)
		return system_error(errno, reason);
	close(fd);
	if (strstr(rrd_get_error(), "could not lock") != NULL)
		return system_error(EAGAIN, reason); /* By another program. */
	snprintf(reason, ARCHIVE_REASON_SIZE, "not a sound RRD file: %s",
		 rrd_text(path));
	return -EINVAL;
}

static int compare_sources(const struct mc_rrd_layout *layout, char **names,
			   unsigned long names_len, char *reason)
{
	if (names_len != layout->sources_len) {
		snprintf(reason, ARCHIVE_REASON_SIZE,
			 "has %lu data sources, but type '%s' has %u",
			 names_len, layout->type, layout->sources_len);
		return -EINVAL;
	}
	for (unsigned i = 0; i < layout->sources_len; i++) {
		if (strcmp(names[i], layout->sources[i].name) == 0)
			continue;
		snprintf(reason, ARCHIVE_REASON_SIZE,
			 "data source %u is '%s', but '%s' in type '%s'", i,
			 names[i], layout->sources[i].name, layout->type);
		return -EINVAL;
	}
	return 0;
}

static void free_strings(char **strings, unsigned long len)
{
	for (unsigned long i = 0; i < len; i++)
		free(strings[i]);
	free(strings);
}

int archive_look(const char *path, const struct mc_rrd_layout *layout,
		 int64_t *last, char *reason)
{
	char **names = NULL, **values = NULL;
	unsigned long len = 0;
	struct stat status;
	time_t second = 0;
	int error;

	if (stat(path, &status) != 0)
		return system_error(errno, reason);
	rrd_clear_error();
	if (!S_ISREG(status.st_mode) ||
	    rrd_lastupdate_r(path, &second, &len, &names, &values) != 0)
		return explain_failure(path, reason);
	error = compare_sources(layout, names, len, reason);
	free_strings(names, len);
	free_strings(values, len);
	if (error == 0)
		*last = second;
	return error;
}

/* Makes each directory in front of the last component; 'path' is restored. */
static int make_parents(char *path)
{
	for (char *slash = strchr(path + 1, '/'); slash != NULL;
	     slash = strchr(slash + 1, '/')) {
		int failed;

		*slash = '\0';
		failed = mkdir(path, 0777) != 0 && errno != EEXIST;
		*slash = '/';
		if (failed)
			return -errno;
	}
	return 0;
}

static int explain_creation(const char *path, char *reason)
{
	char directory[PATH_MAX];
	struct statvfs disk;
	char *slash;

	snprintf(directory, sizeof(directory), "%s", path);
	slash = strrchr(directory, '/');
	if (slash != NULL)
		*slash = '\0';
	if (access(directory, W_OK | X_OK) != 0)
		return system_error(errno, reason);
	if (statvfs(directory, &disk) == 0 &&
	    (disk.f_bavail * disk.f_frsize < FREE_LEAST ||
	     (disk.f_files > 0 && disk.f_favail == 0)))
		return system_error(ENOSPC, reason);
	snprintf(reason, ARCHIVE_REASON_SIZE, "%s", rrd_text(path));
	return -EIO;
}

int archive_create(const char *path, const struct mc_rrd_layout *layout,
		   int64_t last, char *reason)
{
	char copy[PATH_MAX];
	int64_t second;
	int error;

	if ((size_t)snprintf(copy, sizeof(copy), "%s", path) >= sizeof(copy))
		return system_error(ENAMETOOLONG, reason);
	error = make_parents(copy);
	if (error != 0)
		return system_error(-error, reason);
	rrd_clear_error();
	if (rrd_create_r2(path, layout->step, (time_t)last, 1, NULL, NULL,
			  layout->argc, (const char **)layout->argv) != 0)
		return explain_creation(path, reason);
	/* librrd does not notice when the last bytes of a new file did not fit
	 * on the disk: look at what it made. */
	error = archive_look(path, layout, &second, reason);
	if (error == -EINVAL) {
		unlink(path);
		error = system_error(ENOSPC, reason);
	}
	return error;
}

static int update_chunk(const char *path, const struct mc_rrd_layout *layout,
			const uint64_t *records, size_t len, char *reason)
{
	const char *argv[CHUNK_LEN];
	size_t used = 0, stride = 1 + (size_t)layout->sources_len;
	char *text = malloc(len * MC_RRD_UPDATE_SIZE(layout->sources_len));
	int failed;

	if (text == NULL)
		abort();
	for (size_t i = 0; i < len; i++, records += stride) {
		argv[i] = text + used;
		used += mc_rrd_update(layout, (int64_t)records[0],
				      (const union mc_value *)(records + 1),
				      text + used);
	}
	rrd_clear_error();
	failed = rrd_updatex_r(path, NULL, RRD_SKIP_PAST_UPDATES, (int)len,
			       argv);
	free(text);
	return failed ? explain_failure(path, reason) : 0;
}

int archive_update(const char *path, const struct mc_rrd_layout *layout,
		   const uint64_t *records, size_t records_len, char *reason)
{
	size_t stride = 1 + (size_t)layout->sources_len;
	int error = 0;

	for (size_t i = 0; i < records_len && error == 0; i += CHUNK_LEN) {
		size_t len = records_len - i;

		error = update_chunk(path, layout, records + i * stride,
				     len < CHUNK_LEN ? len : CHUNK_LEN, reason);
	}
	return error;
}
