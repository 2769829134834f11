/* SPDX-License-Identifier: MIT */
/* Whatever fails here is a mistake in the test: the program ends. */
#undef _FORTIFY_SOURCE /* Its forms of the functions that are replaced here. */

#include "fixture.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>
#include <utmpx.h>

#include "mistake.h"

#define ENTRIES ".entries"
#define SYMLINK ".symlink"

static void join(char out[PATH_MAX], const char *a, const char *b)
{
	if (snprintf(out, PATH_MAX, "%s/%s", a, b) >= PATH_MAX)
		mistake_errno(a);
}

static bool is_folder(const char *path)
{
	struct stat s;

	return lstat(path, &s) == 0 && S_ISDIR(s.st_mode);
}

static bool is_symlink(const char *path)
{
	struct stat s;

	return lstat(path, &s) == 0 && S_ISLNK(s.st_mode);
}

static bool ends_with(const char *path, const char *suffix)
{
	size_t size = strlen(path), suffix_size = strlen(suffix);

	return size > suffix_size && strcmp(path + size - suffix_size, suffix) == 0;
}

/* Calls 'visit' with every entry of both folders' names; it may remove it. */
static void each(const char *folder, const char *other,
		 void (*visit)(const char *path, const char *other_path))
{
	DIR *dir = opendir(folder);
	struct dirent *entry;

	if (dir == NULL)
		mistake_errno(folder);
	while ((entry = readdir(dir)) != NULL) {
		char path[PATH_MAX], other_path[PATH_MAX];

		if (strcmp(entry->d_name, ".") == 0 || strcmp(entry->d_name, "..") == 0)
			continue;
		join(path, folder, entry->d_name);
		join(other_path, other, entry->d_name);
		visit(path, other_path);
	}
	closedir(dir);
}

/* Who still has the file open finds it empty, as with a device that is gone. */
static void take_away(const char *path, const char *source)
{
	char entries[PATH_MAX + sizeof(ENTRIES)];

	if (is_symlink(path)) {
		unlink(path);
		return;
	}
	if (is_folder(path)) {
		each(path, source, take_away);
		rmdir(path); /* Stays if something in it stayed. */
		return;
	}
	if (truncate(path, 0) != 0 && errno != EINVAL) /* EINVAL: a fifo or a socket. */
		mistake_errno(path);
	snprintf(entries, sizeof(entries), "%s" ENTRIES, source);
	if (access(source, F_OK) != 0 && access(entries, F_OK) != 0)
		unlink(path);
}

static void copy(FILE *in, FILE *out)
{
	char bytes[4096];
	size_t size;

	while ((size = fread(bytes, 1, sizeof(bytes), in)) > 0)
		fwrite(bytes, 1, size, out);
}

static void write_entries(FILE *in, FILE *out)
{
	char line[256], kind[16];

	while (fgets(line, sizeof(line), in) != NULL) {
		struct utmpx entry = { .ut_type = DEAD_PROCESS };
		size_t size = sizeof(entry);

		if (sscanf(line, "%15s %31s %31s", kind, entry.ut_user, entry.ut_line) < 1)
			continue;
		if (strcmp(kind, "user") == 0)
			entry.ut_type = USER_PROCESS;
		if (strcmp(kind, "half") == 0) {
			entry.ut_type = USER_PROCESS;
			size /= 2;
		}
		fwrite(&entry, size, 1, out);
	}
}

/* The target is the text of the source. */
static void put_symlink(const char *source, const char *path)
{
	char target[PATH_MAX] = "", name[PATH_MAX];
	FILE *in = fopen(source, "r");

	if (in == NULL || fgets(target, sizeof(target), in) == NULL)
		mistake_errno(source);
	fclose(in);
	target[strcspn(target, "\n")] = '\0';
	snprintf(name, sizeof(name), "%.*s", (int)(strlen(path) - strlen(SYMLINK)), path);
	if (symlink(target, name) != 0)
		mistake_errno(name);
}

static void put(const char *source, const char *path)
{
	size_t size = strlen(path), suffix = strlen(ENTRIES);
	bool entries = ends_with(path, ENTRIES);
	char target[PATH_MAX];
	FILE *in, *out;

	if (is_folder(source)) {
		if (mkdir(path, 0777) != 0 && errno != EEXIST)
			mistake_errno(path);
		each(source, path, put);
		return;
	}
	if (ends_with(path, SYMLINK)) {
		put_symlink(source, path);
		return;
	}
	snprintf(target, sizeof(target), "%.*s", (int)(entries ? size - suffix : size), path);
	in = fopen(source, "r");
	out = fopen(target, "w");
	if (in == NULL || out == NULL)
		mistake_errno(in == NULL ? source : target);
	(entries ? write_entries : copy)(in, out);
	fclose(in);
	if (fclose(out) != 0)
		mistake_errno(target);
}

void fixture_init(char *root, size_t size)
{
	const char *temporary = getenv("TMPDIR");

	snprintf(root, size, "%s/case.XXXXXX", temporary != NULL ? temporary : "/tmp");
	if (mkdtemp(root) == NULL)
		mistake_errno(root);
}

void fixture_lay(const char *root, const char *folder)
{
	each(root, folder, take_away);
	each(folder, root, put);
}

void fixture_done(const char *root)
{
	each(root, "/nonexistent", take_away);
	rmdir(root);
}

/* These stand in for those of libc, also for plugins and their libraries, which
 * are loaded after them: they do not depend on the machine. */
__attribute__((visibility("default"))) int gethostname(char *out, size_t size)
{
	snprintf(out, size, "machine");
	return 0;
}

__attribute__((visibility("default"))) int statvfs(const char *restrict path,
						   struct statvfs *restrict out)
{
	char file[PATH_MAX];
	uint64_t n[7] = { 0 };
	int error = 0;
	FILE *in;

	join(file, path, ".statvfs");
	in = fopen(file, "r");
	if (in == NULL)
		return -1;
	if (fscanf(in, "error %d", &error) != 1)
		for (size_t i = 0; i < 7; i++)
			if (fscanf(in, "%" SCNu64, &n[i]) != 1)
				error = EINVAL;
	fclose(in);
	if (error != 0) {
		errno = error;
		return -1;
	}
	*out = (struct statvfs){ .f_blocks = n[0],
				 .f_bfree = n[1],
				 .f_bavail = n[2],
				 .f_frsize = n[3],
				 .f_bsize = n[3],
				 .f_files = n[4],
				 .f_ffree = n[5],
				 .f_favail = n[6] };
	return 0;
}
