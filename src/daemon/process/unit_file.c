/* SPDX-License-Identifier: MIT */
/* systemd.unit(5), "Unit File Load Path" and the text on drop-ins above it;
 * systemd.syntax(7) for lines and comments. */
#include "daemon/process/unit_file.h"

#include <errno.h>
#include <glob.h>
#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/alloc.h"

/* From the first that counts to the last; those of generators are for units
 * that nobody has written. */
static const char *const system_folders[] = {
	"/etc/systemd/system.control",
	"/run/systemd/system.control",
	"/run/systemd/transient",
	"/etc/systemd/system",
	"/etc/systemd/system.attached",
	"/run/systemd/system",
	"/run/systemd/system.attached",
	"/usr/local/lib/systemd/system",
	"/usr/lib/systemd/system",
	"/lib/systemd/system",
	NULL,
};

struct reading {
	unit_file_fn *take;
	void *argument;
	bool in_service; /* The section is [Service]. */
};

/* --- A file -------------------------------------------------------------- */

static void take_line(struct reading *reading, char *line)
{
	char *name = line + strspn(line, " \t"), *value;

	if (name[0] == '[')
		reading->in_service = strcmp(name, "[Service]") == 0;
	value = strchr(name, '=');
	if (value == NULL || !reading->in_service)
		return;
	*value++ = '\0';
	name[strcspn(name, " \t")] = '\0';
	reading->take(reading->argument, name, value + strspn(value, " \t"));
}

static bool is_comment(const char *line)
{
	line += strspn(line, " \t");
	return *line == '#' || *line == ';';
}

/* Without blanks at its end; whether it ended with a backslash, which becomes a blank. */
static bool trim(char *line)
{
	size_t size = strlen(line);
	bool goes_on;

	while (size > 0 && strchr(" \t\r\n", line[size - 1]) != NULL)
		size--;
	line[size] = '\0';
	goes_on = size > 0 && line[size - 1] == '\\';
	if (goes_on)
		line[size - 1] = ' ';
	return goes_on;
}

static void read_lines(struct reading *reading, FILE *file)
{
	char *line = NULL, *whole = NULL;
	size_t room = 0, size = 0, more;
	bool goes_on = false;

	while (getline(&line, &room, file) >= 0) {
		if (is_comment(line))
			continue;
		goes_on = trim(line);
		more = strlen(line);
		whole = alloc_resize(whole, size + more + 1, 1);
		memcpy(whole + size, line, more + 1);
		size += more;
		if (goes_on)
			continue;
		take_line(reading, whole);
		size = 0;
	}
	if (size > 0)
		take_line(reading, whole);
	free(whole);
	free(line);
}

static int read_file(struct reading *reading, const char *path)
{
	FILE *file = fopen(path, "re");

	if (file == NULL)
		return -errno;
	reading->in_service = false;
	read_lines(reading, file);
	fclose(file);
	return 0;
}

/* --- Drop-ins ------------------------------------------------------------ */

struct drop_ins {
	char **paths;
	size_t len;
};

static const char *name_of(const char *path)
{
	return strrchr(path, '/') + 1;
}

static bool has(const struct drop_ins *found, const char *name)
{
	for (size_t i = 0; i < found->len; i++)
		if (strcmp(name_of(found->paths[i]), name) == 0)
			return true;
	return false;
}

/* Those of a folder whose names no folder before it had. */
static void add_folder(struct drop_ins *found, const char *folder)
{
	char pattern[PATH_MAX];
	glob_t files;

	snprintf(pattern, sizeof(pattern), "%s/*.conf", folder);
	if (glob(pattern, 0, NULL, &files) != 0)
		return;
	for (size_t i = 0; i < files.gl_pathc; i++) {
		if (has(found, name_of(files.gl_pathv[i])))
			continue;
		found->paths = alloc_resize(found->paths, found->len + 1, sizeof(char *));
		found->paths[found->len++] = alloc_copy(files.gl_pathv[i]);
	}
	globfree(&files);
}

static int by_name(const void *a, const void *b)
{
	const char *const *one = a, *const *other = b;

	return strcmp(name_of(*one), name_of(*other));
}

static void read_drop_ins(struct reading *reading, struct drop_ins *found)
{
	if (found->len > 0)
		qsort(found->paths, found->len, sizeof(char *), by_name);
	for (size_t i = 0; i < found->len; i++) {
		read_file(reading, found->paths[i]);
		free(found->paths[i]);
	}
	free(found->paths);
}

/* --- Units --------------------------------------------------------------- */

int unit_file_read(const char *path, unit_file_fn *take, void *argument)
{
	struct reading reading = { .take = take, .argument = argument };
	struct drop_ins found = { 0 };
	char folder[PATH_MAX];
	int rc = read_file(&reading, path);

	if (rc < 0)
		return rc;
	snprintf(folder, sizeof(folder), "%s.d", path);
	add_folder(&found, folder);
	read_drop_ins(&reading, &found);
	return 0;
}

/* 0, or a negative errno; -ENOENT: no folder has it. */
static int read_unit(struct reading *reading, const char *const *folders, const char *name)
{
	char path[PATH_MAX];
	struct stat st;

	for (size_t i = 0; folders[i] != NULL; i++) {
		snprintf(path, sizeof(path), "%s/%s", folders[i], name);
		if (stat(path, &st) < 0)
			continue;
		if (!S_ISREG(st.st_mode) || st.st_size == 0)
			return -ESHUTDOWN;
		return read_file(reading, path);
	}
	return -ENOENT;
}

int unit_file_find(const char *const *folders, const char *name, unit_file_fn *take, void *argument)
{
	struct reading reading = { .take = take, .argument = argument };
	struct drop_ins found = { 0 };
	char folder[PATH_MAX];
	int rc;

	if (folders == NULL)
		folders = system_folders;
	rc = read_unit(&reading, folders, name);
	if (rc < 0)
		return rc;
	for (size_t i = 0; folders[i] != NULL; i++) {
		snprintf(folder, sizeof(folder), "%s/%s.d", folders[i], name);
		add_folder(&found, folder);
	}
	for (size_t i = 0; folders[i] != NULL; i++) {
		snprintf(folder, sizeof(folder), "%s/service.d", folders[i]);
		add_folder(&found, folder);
	}
	read_drop_ins(&reading, &found);
	return 0;
}

bool unit_file_is_below(const char *path, const char *folder)
{
	size_t size = strlen(folder);

	while (size > 0 && folder[size - 1] == '/')
		size--;
	return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}
