/* SPDX-License-Identifier: MIT */
/* Include, as collectd.conf(5) describes it and collectd 5.12 does it: folders with all below them,
 * in the order of strcmp(3), hidden names left out; Filter is compared with the last part of each
 * file's path; relative paths start at the working directory; not inside blocks.  Different: a path
 * may have blanks, "$NAME" is not replaced, and loops of links are found. */
#include "conf/include.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fnmatch.h>
#include <glob.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/slow_file.h"

#define FILES_MAX 10000 /* Files of one configuration. */

struct level { /* A file or folder that is being read. */
	const struct level *outer;
	dev_t device;
	ino_t inode;
	unsigned depth; /* Depth of nested files. */
};

struct include { /* One Include statement. */
	struct place place;
	const char *filter; /* Or NULL. */
	const struct level *level;
};

struct loader {
	struct conf_tree *tree;
	struct timed_calls *calls;
	struct problems *problems;
	unsigned files;
	struct conf_node **nodes; /* The top of all files so far. */
	size_t nodes_len, nodes_room;
};

static void load_path(struct loader *, const struct include *, const char *path);

/* --- Files ---------------------------------------------------------------- */

/* All of a file in *text, which is the caller's to free; or -errno. */
static ssize_t read_all(int fd, char **text)
{
	size_t size = 0, room = 1 << 14;
	ssize_t n;

	*text = alloc_resize(NULL, room, 1);
	while ((n = read(fd, *text + size, room - size)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0) {
			n = -errno;
			free(*text);
			return n;
		}
		size += (size_t)n;
		if (size > CONF_SIZE_MAX)
			break; /* conf_parse() says so. */
		if (size == room)
			*text = alloc_resize(*text, room *= 2, 1);
	}
	return (ssize_t)size;
}

static bool is_loop(const struct level *level, const struct stat *status)
{
	for (; level != NULL; level = level->outer) {
		if (level->device == status->st_dev && level->inode == status->st_ino)
			return true;
	}
	return false;
}

static void add_node(struct loader *loader, struct conf_node *node)
{
	if (loader->nodes_len == loader->nodes_room) {
		loader->nodes_room = loader->nodes_room * 2 + 64;
		loader->nodes =
			alloc_resize(loader->nodes, loader->nodes_room, sizeof(struct conf_node *));
	}
	loader->nodes[loader->nodes_len++] = node;
}

static void resolve(struct loader *, const struct conf_node *, const struct level *);

/* Adds the statements of an open file, with what they include.  Returns 0 or -errno. */
static int load_file(struct loader *loader, const char *path, int fd, const struct level *level)
{
	struct conf_node *top;
	char *text;
	ssize_t size = read_all(fd, &text);

	if (size < 0)
		return (int)size;
	top = conf_parse(text, (size_t)size, path, loader->problems, &loader->tree->arena);
	free(text);
	for (size_t i = 0; i < top->children_len; i++) {
		if (strcasecmp(top->children[i]->name, "Include") == 0)
			resolve(loader, top->children[i], level);
		else
			add_node(loader, top->children[i]);
	}
	return 0;
}

/* --- Include -------------------------------------------------------------- */

/* A missing file is left out, as in collectd; one that exists and cannot be read is an error. */
static void cannot_read(struct loader *loader, struct place place, const char *path, int error)
{
	if (error == ENOENT || error == ENOTDIR) {
		problem_warn(loader->problems, place, "there is no '%s' to include", path);
		return;
	}
	problem_error(loader->problems, place, "cannot read '%s': %s", path, strerror(error));
}

static int visible(const struct dirent *entry)
{
	return entry->d_name[0] != '.';
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static void load_folder(struct loader *loader, const struct include *include, const char *path)
{
	struct dirent **entries;
	int len = scandir(path, &entries, visible, by_bytes);
	size_t size = strlen(path);

	if (len < 0) {
		cannot_read(loader, include->place, path, errno);
		return;
	}
	while (size > 1 && path[size - 1] == '/')
		size--;
	for (int i = 0; i < len; i++) {
		char below[PATH_MAX];
		int n = snprintf(below, sizeof(below), "%.*s%s%s", (int)size, path,
				 path[size - 1] == '/' ? "" : "/", entries[i]->d_name);

		if (n < (int)sizeof(below))
			load_path(loader, include, below);
		else
			cannot_read(loader, include->place, path, ENAMETOOLONG);
		free(entries[i]);
	}
	free(entries);
}

static void load_regular(struct loader *loader, const struct include *include, const char *path,
			 const struct level *level)
{
	int fd, error;

	if (level->depth > CONF_INCLUDE_DEPTH_MAX) {
		problem_error(loader->problems, include->place,
			      "files are included deeper than %d levels", CONF_INCLUDE_DEPTH_MAX);
		return;
	}
	if (++loader->files > FILES_MAX) {
		if (loader->files == FILES_MAX + 1)
			problem_error(loader->problems, include->place,
				      "more than %d files are included", FILES_MAX);
		return;
	}
	fd = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	error = fd < 0 ? -errno : load_file(loader, path, fd, level);
	if (error < 0)
		cannot_read(loader, include->place, path, -error);
	if (fd >= 0)
		close(fd);
}

/* False, and a problem, if nothing is to be asked about that path: it would hang. */
static bool answers(struct loader *loader, const struct include *include, const char *path)
{
	int rc = slow_file_try(loader->calls, path, NULL);

	if (slow_file_hangs(rc))
		problem_error(loader->problems, include->place, "cannot read '%s': %s", path,
			      slow_file_reason(rc));
	return !slow_file_hangs(rc);
}

/* A file or folder that exists. */
static void load_path(struct loader *loader, const struct include *include, const char *path)
{
	const char *slash = strrchr(path, '/');
	struct level level = { .outer = include->level };
	struct include inner = *include;
	struct stat status;

	if (!answers(loader, include, path))
		return;
	if (stat(path, &status) < 0) {
		cannot_read(loader, include->place, path, errno);
		return;
	}
	if (!S_ISDIR(status.st_mode) && include->filter != NULL &&
	    fnmatch(include->filter, slash != NULL ? slash + 1 : path, 0) != 0)
		return;
	if (is_loop(include->level, &status)) {
		problem_error(loader->problems, include->place, "'%s' includes itself", path);
		return;
	}
	level.device = status.st_dev;
	level.inode = status.st_ino;
	level.depth = include->level->depth + !S_ISDIR(status.st_mode);
	inner.level = &level;
	if (S_ISDIR(status.st_mode))
		load_folder(loader, &inner, path);
	else if (S_ISREG(status.st_mode))
		load_regular(loader, &inner, path, &level);
	else
		problem_warn(loader->problems, include->place,
			     "'%s' is neither a file nor a folder", path);
}

/* Expands the path as the shell would.  Sorted by bytes: glob(3) sorts by locale, and the daemon's
 * is "C". */
static void load_pattern(struct loader *loader, const struct include *include, const char *pattern)
{
	glob_t found;
	int error = glob(pattern, GLOB_TILDE, NULL, &found);

	if (error == GLOB_NOMATCH && strpbrk(pattern, "*?[") != NULL) {
		problem_warn(loader->problems, include->place, "no file matches '%s'", pattern);
	} else if (error != 0) {
		cannot_read(loader, include->place, pattern, error == GLOB_NOMATCH ? ENOENT : EIO);
	} else {
		for (size_t i = 0; i < found.gl_pathc; i++)
			load_path(loader, include, found.gl_pathv[i]);
	}
	globfree(&found);
}

static const char *filter_of(struct loader *loader, const struct conf_node *node)
{
	const char *filter = NULL;

	for (size_t i = 0; i < node->children_len; i++) {
		const struct conf_node *child = node->children[i];

		if (strcasecmp(child->name, "Filter") != 0)
			problem_warn(loader->problems, child->place,
				     "no option '%s' in <Include>, only "
				     "'Filter'",
				     child->name);
		else if (child->values_len != 1)
			problem_warn(loader->problems, child->place,
				     "'Filter' takes one value, not %zu: all "
				     "files are included",
				     child->values_len);
		else
			filter = child->values[0].text;
	}
	return filter;
}

static void resolve(struct loader *loader, const struct conf_node *node, const struct level *level)
{
	struct include include = { .place = node->place, .level = level };
	struct stat status;

	include.filter = filter_of(loader, node);
	if (node->values_len != 1)
		problem_warn(loader->problems, node->place,
			     "'Include' takes one value, not %zu: nothing is "
			     "included",
			     node->values_len);
	else if (!answers(loader, &include, node->values[0].text))
		return;
	else if (stat(node->values[0].text, &status) == 0)
		load_path(loader, &include, node->values[0].text);
	else
		load_pattern(loader, &include, node->values[0].text);
}

/* --- The tree --------------------------------------------------------- */

struct conf_tree *conf_load(const char *path, struct timed_calls *calls, struct problems *problems)
{
	struct conf_tree *tree = alloc_zero(sizeof(*tree));
	struct loader loader = { .tree = tree, .calls = calls, .problems = problems };
	struct level level = { 0 };
	struct stat status;
	int rc = slow_file_try(calls, path, NULL);
	int fd = slow_file_hangs(rc) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
	int error = slow_file_hangs(rc) ? rc : fd < 0 || fstat(fd, &status) < 0 ? -errno : 0;
	size_t size;

	arena_init(&tree->arena, 4096);
	if (error == 0) {
		level.device = status.st_dev;
		level.inode = status.st_ino;
		error = load_file(&loader, path, fd, &level);
	}
	if (fd >= 0)
		close(fd);
	if (error < 0) {
		problem_error(problems, (struct place){ 0 }, "cannot read '%s': %s", path,
			      slow_file_reason(error));
		conf_free(tree);
		return NULL;
	}
	tree->root = arena_zero(&tree->arena, sizeof(*tree->root));
	tree->root->name = "";
	tree->root->block = true;
	tree->root->place.file = arena_copy(&tree->arena, path, strlen(path));
	tree->root->children_len = loader.nodes_len;
	size = loader.nodes_len * sizeof(struct conf_node *);
	tree->root->children = arena_take(&tree->arena, size);
	if (size > 0)
		memcpy(tree->root->children, loader.nodes, size);
	free(loader.nodes);
	return tree;
}

void conf_free(struct conf_tree *tree)
{
	if (tree == NULL)
		return;
	arena_done(&tree->arena);
	free(tree);
}
