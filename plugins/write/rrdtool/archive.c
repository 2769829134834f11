/* SPDX-License-Identifier: GPL-2.0-or-later */
/* librrd reports failures in words only, so the kind of a failure is found by asking the file
 * system once more. */
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

#include <collector/kit/alloc.h>
#include <collector/private/beneath.h>

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

/* A path for librrd that leads to what the descriptor is open for, whatever
 * others put in place of its name. */
#define FD_PATH_SIZE 32
static void fd_path(int fd, char out[FD_PATH_SIZE])
{
	snprintf(out, FD_PATH_SIZE, "/proc/self/fd/%d", fd);
}

/* Opens a regular file, for 'path' to be given to librrd.  It must not be
 * closed meanwhile: that would let go librrd's lock. */
static int open_file(int folder, const char *name, char path[FD_PATH_SIZE], char *reason)
{
	struct stat status;
	int fd = mc_open_beneath(folder, name, O_RDWR | O_NOCTTY | O_NONBLOCK, 0);

	if (fd == -EISDIR || fd == -ENXIO ||
	    (fd >= 0 && fstat(fd, &status) == 0 && !S_ISREG(status.st_mode))) {
		if (fd >= 0)
			close(fd);
		snprintf(reason, ARCHIVE_REASON_SIZE, "not a regular file");
		return -EINVAL;
	}
	if (fd < 0)
		return system_error(-fd, reason);
	fd_path(fd, path);
	return fd;
}

/* Why librrd could not use the file. */
static int explain_failure(const char *path, char *reason)
{
	if (strstr(rrd_get_error(), "could not lock") != NULL)
		return system_error(EAGAIN, reason); /* By another program. */
	snprintf(reason, ARCHIVE_REASON_SIZE, "not a sound RRD file: %s", rrd_text(path));
	return -EINVAL;
}

static int compare_sources(const struct mc_rrd_layout *layout, char **names,
			   unsigned long names_len, char *reason)
{
	if (names_len != layout->sources_len) {
		snprintf(reason, ARCHIVE_REASON_SIZE, "has %lu data sources, but type '%s' has %u",
			 names_len, layout->type, layout->sources_len);
		return -EINVAL;
	}
	for (unsigned i = 0; i < layout->sources_len; i++) {
		if (strcmp(names[i], layout->sources[i].name) == 0)
			continue;
		snprintf(reason, ARCHIVE_REASON_SIZE,
			 "data source %u is '%s', but '%s' in type '%s'", i, names[i],
			 layout->sources[i].name, layout->type);
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

static void take_fact(const rrd_info_t *info, struct archive_facts *facts)
{
	int64_t number;

	if (info->type != RD_I_CNT)
		return;
	number = (int64_t)info->value.u_cnt;
	if (strstr(info->key, "].minimal_heartbeat") != NULL &&
	    (facts->heartbeat == 0 || number < facts->heartbeat))
		facts->heartbeat = number;
	if (strncmp(info->key, "rra[", 4) == 0 && strstr(info->key, "].rows") != NULL)
		facts->rows += info->value.u_cnt;
}

struct archive_facts archive_facts(const struct archive *archive)
{
	char opened[FD_PATH_SIZE], reason[ARCHIVE_REASON_SIZE];
	int fd = open_file(archive->folder, archive->path, opened, reason);
	struct archive_facts facts = { 0 };
	rrd_info_t *info;

	if (fd < 0)
		return facts;
	rrd_clear_error();
	info = rrd_info_r(opened);
	for (const rrd_info_t *at = info; at != NULL; at = at->next)
		take_fact(at, &facts);
	rrd_info_free(info);
	close(fd);
	return facts;
}

int archive_look(const struct archive *archive, int64_t *last, char *reason)
{
	char **names = NULL, **values = NULL, opened[FD_PATH_SIZE];
	unsigned long len = 0;
	time_t second = 0;
	int fd = open_file(archive->folder, archive->path, opened, reason), error;

	if (fd < 0)
		return fd;
	rrd_clear_error();
	if (rrd_lastupdate_r(opened, &second, &len, &names, &values) != 0) {
		error = explain_failure(opened, reason);
	} else {
		error = compare_sources(archive->layout, names, len, reason);
		free_strings(names, len);
		free_strings(values, len);
	}
	close(fd);
	if (error == 0)
		*last = second;
	return error;
}

static int explain_creation(int parent, const char *path, char *reason)
{
	struct statvfs disk;

	if (faccessat(parent, ".", W_OK | X_OK, 0) != 0)
		return system_error(errno, reason);
	if (fstatvfs(parent, &disk) == 0 && (disk.f_bavail * disk.f_frsize < FREE_LEAST ||
					     (disk.f_files > 0 && disk.f_favail == 0)))
		return system_error(ENOSPC, reason);
	snprintf(reason, ARCHIVE_REASON_SIZE, "%s", rrd_text(path));
	return -EIO;
}

/* For files that the maker does not know, or cannot make. */
static int create_by_librrd(const struct archive *archive, int parent, const char *name,
			    int64_t last, char *reason)
{
	char inside[FD_PATH_SIZE + NAME_MAX + 2], directory[FD_PATH_SIZE];
	int64_t second;
	int error;

	fd_path(parent, directory);
	if ((size_t)snprintf(inside, sizeof(inside), "%s/%s", directory, name) >= sizeof(inside))
		return system_error(ENAMETOOLONG, reason);
	rrd_clear_error();
	if (rrd_create_r2(inside, archive->layout->step, (time_t)last, 1, NULL, NULL,
			  archive->layout->argc, (const char **)archive->layout->argv) != 0)
		return explain_creation(parent, inside, reason);
	/* librrd does not notice when the last bytes of a new file did not fit on the disk: look
	 * at what it made. */
	error = archive_look(archive, &second, reason);
	if (error == -EINVAL) {
		unlinkat(parent, name, 0);
		error = system_error(ENOSPC, reason);
	}
	return error;
}

int archive_create(const struct archive *archive, struct mc_rrd_maker *maker, int64_t last,
		   char *reason)
{
	const char *slash = strrchr(archive->path, '/');
	const char *name = slash != NULL ? slash + 1 : archive->path;
	int error = mc_mkdirs_beneath(archive->folder, archive->path, 0777);
	int parent = error == 0 ? mc_parent_beneath(archive->folder, archive->path) : error;

	if (parent < 0)
		return system_error(-parent, reason);
	if (mc_rrd_make(maker, archive->layout, last, parent, name) != 0)
		error = create_by_librrd(archive, parent, name, last, reason);
	close(parent);
	return error;
}

static int update_chunk(const char *path, const struct mc_rrd_layout *layout,
			const uint64_t *records, size_t len, char *reason)
{
	const char *argv[CHUNK_LEN];
	size_t used = 0, stride = 1 + (size_t)layout->sources_len;
	char *text = mc_alloc(len * MC_RRD_UPDATE_SIZE(layout->sources_len));
	int failed;

	for (size_t i = 0; i < len; i++, records += stride) {
		argv[i] = text + used;
		used += mc_rrd_update(layout, (int64_t)records[0],
				      (const union mc_value *)(records + 1), text + used);
	}
	rrd_clear_error();
	failed = rrd_updatex_r(path, NULL, RRD_SKIP_PAST_UPDATES, (int)len, argv);
	free(text);
	return failed ? explain_failure(path, reason) : 0;
}

int archive_update(const struct archive *archive, const uint64_t *records, size_t records_len,
		   char *reason)
{
	size_t stride = 1 + (size_t)archive->layout->sources_len;
	char opened[FD_PATH_SIZE];
	int fd = open_file(archive->folder, archive->path, opened, reason), error = 0;

	if (fd < 0)
		return fd;

	for (size_t i = 0; i < records_len && error == 0; i += CHUNK_LEN) {
		size_t len = records_len - i;

		error = update_chunk(opened, archive->layout, records + i * stride,
				     len < CHUNK_LEN ? len : CHUNK_LEN, reason);
	}
	close(fd);
	return error;
}
