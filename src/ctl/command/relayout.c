/* SPDX-License-Identifier: MIT */
/* Works on the files, and asks no collector.  A tree that a collector, collectd or rrdcached has is
 * refused, as they would write to what is no longer there, or hold back values for it.
 *
 * Facts: rrdcached.c changes into the folder of its option -b; collectd into BaseDir. */
#include "ctl/command/relayout.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/alloc.h"
#include "ctl/command/relayout_file.h"
#include "ctl/ctl.h"
#include "ctl/print/human.h"

enum { LEVELS_MAX = 8 };

struct relayout {
	struct mc_rrd_rules rules;
	const char *layout;
	bool dry, full; /* The disk is full: no use to go on. */
	uint64_t files, done, left, before, after;
	char first[PATH_MAX + RELAYOUT_WHY]; /* Of those that are left. */
};

/* --- Users of the tree ------------------------------------------------------ */

static bool is_below(const char *path, const char *folder)
{
	size_t size = strlen(folder);

	return strncmp(path, folder, size) == 0 && (path[size] == '/' || path[size] == '\0');
}

static bool read_link(const char *path, char out[static PATH_MAX])
{
	ssize_t size = readlink(path, out, PATH_MAX - 1);

	out[size > 0 ? size : 0] = '\0';
	return size > 0;
}

static bool has_open(const char *pid, const char *folder)
{
	char path[PATH_MAX], link[PATH_MAX];
	const struct dirent *entry;
	bool found = false;
	DIR *dir;

	snprintf(path, sizeof(path), "/proc/%s/fd", pid);
	dir = opendir(path);
	while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
		snprintf(path, sizeof(path), "/proc/%s/fd/%s", pid, entry->d_name);
		found = read_link(path, link) && is_below(link, folder);
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

static bool uses(const char *pid, const char *folder, char name[static 32])
{
	char path[64], link[PATH_MAX];
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%.16s/comm", pid);
	file = fopen(path, "re");
	if (file == NULL || fgets(name, 32, file) == NULL)
		name[0] = '\0';
	if (file != NULL)
		fclose(file);
	name[strcspn(name, "\n")] = '\0';
	if (strcmp(name, "collectord") == 0)
		return has_open(pid, folder);
	if (strcmp(name, "rrdcached") != 0 && strcmp(name, "collectd") != 0)
		return false;
	snprintf(path, sizeof(path), "/proc/%.16s/cwd", pid);
	return read_link(path, link) && strcmp(link, "/") != 0 &&
	       (is_below(folder, link) || is_below(link, folder));
}

/* "rrdcached, process 12" */
static bool find_user(const char *folder, char *out, size_t size)
{
	DIR *dir = opendir("/proc");
	const struct dirent *entry;
	bool found = false;
	char name[32];

	while (dir != NULL && !found && (entry = readdir(dir)) != NULL) {
		if (entry->d_name[0] < '1' || entry->d_name[0] > '9')
			continue;
		found = uses(entry->d_name, folder, name);
		if (found)
			snprintf(out, size, "%s, process %.16s", name, entry->d_name);
	}
	if (dir != NULL)
		closedir(dir);
	return found;
}

/* --- The tree ---------------------------------------------------------------- */

static void leave(struct relayout *relayout, const char *path, const char *name, const char *why)
{
	if (relayout->left++ == 0)
		snprintf(relayout->first, sizeof(relayout->first), "'%s/%s': %s", path, name, why);
}

static void convert(struct relayout *relayout, int folder, const char *path, const char *name)
{
	struct relayout_file file = { .dry = relayout->dry };
	char why[RELAYOUT_WHY];
	int rc = relayout_file(folder, name, &relayout->rules, &file, why);

	relayout->full = rc == -ENOSPC || rc == -EDQUOT;
	if (rc < 0) {
		leave(relayout, path, name, why);
		return;
	}
	relayout->files++;
	relayout->done += file.done;
	relayout->before += file.before;
	relayout->after += file.after;
}

static bool is_rrd(const char *name)
{
	size_t size = strlen(name);

	return size > 4 && name[0] != '.' && strcmp(name + size - 4, ".rrd") == 0;
}

static void walk(struct relayout *relayout, int fd, const char *path, unsigned level);

static void walk_entry(struct relayout *relayout, DIR *dir, const char *path,
		       const struct dirent *entry, unsigned level)
{
	char below[PATH_MAX];
	int fd;

	if (entry->d_name[0] == '.')
		return;
	fd = openat(dirfd(dir), entry->d_name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		if (is_rrd(entry->d_name))
			convert(relayout, dirfd(dir), path, entry->d_name);
		return;
	}
	if ((size_t)snprintf(below, sizeof(below), "%s/%s", path, entry->d_name) < sizeof(below) &&
	    level < LEVELS_MAX)
		walk(relayout, fd, below, level + 1);
	else
		close(fd);
}

/* Takes the descriptor over.  New names come by a rename, so none is met twice: a file that has the
 * layout stays. */
static void walk(struct relayout *relayout, int fd, const char *path, unsigned level)
{
	DIR *dir = fdopendir(fd);
	const struct dirent *entry;

	if (dir == NULL) {
		close(fd);
		return;
	}
	while (!relayout->full && (entry = readdir(dir)) != NULL)
		walk_entry(relayout, dir, path, entry, level);
	if (!relayout->dry)
		fsync(dirfd(dir));
	closedir(dir);
}

/* --- All --------------------------------------------------------------------- */

static bool find_layout(const char *word, enum mc_rrd_program *program)
{
	static const char *const words[] = { "collectd", "munin", "mrtg", "pnp", "compact" };

	for (unsigned i = 0; i < sizeof(words) / sizeof(*words); i++) {
		if (strcasecmp(words[i], word) != 0)
			continue;
		*program = (enum mc_rrd_program)i;
		return true;
	}
	return false;
}

static int print(const struct relayout *relayout)
{
	printf("%" PRIu64 " file%s: %s before, %s ", relayout->files,
	       relayout->files == 1 ? "" : "s", human_bytes((double)relayout->before).text,
	       relayout->dry ? "would be" : "are");
	printf("%s with layout %s; %" PRIu64 " had it already\n",
	       human_bytes((double)relayout->after).text, relayout->layout, relayout->done);
	if (relayout->left == 0)
		return CTL_OK;
	return ctl_failed("%" PRIu64 " file%s left, such as %s%s", relayout->left,
			  relayout->left == 1 ? " is" : "s are", relayout->first,
			  relayout->full ? "; the rest was not tried" : "");
}

int relayout_run(const struct ctl *ctl, int argc, char **argv)
{
	struct relayout relayout = { .dry = ctl->dry_run, .rules = { .rows = 1200, .xff = 0.1 } };
	char folder[PATH_MAX], user[64];
	int fd;

	if (argc != 3 || ctl->json)
		return ctl_usage("say 'rrd relayout DIRECTORY LAYOUT', without --json");
	relayout.layout = argv[2];
	if (!find_layout(argv[2], &relayout.rules.program))
		return ctl_usage("invalid layout '%s': it is collectd, munin, mrtg, pnp or compact",
				 argv[2]);
	fd = open(argv[1], O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (fd < 0 || realpath(argv[1], folder) == NULL) {
		int error = errno;

		if (fd >= 0)
			close(fd);
		return ctl_failed("cannot read '%s': %s", argv[1], strerror(error));
	}
	if (!relayout.dry && find_user(folder, user, sizeof(user))) {
		close(fd);
		return ctl_failed("'%s' is in use by %s: stop it first", argv[1], user);
	}
	walk(&relayout, fd, argv[1], 0);
	return print(&relayout);
}
