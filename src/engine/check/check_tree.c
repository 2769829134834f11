/* SPDX-License-Identifier: MIT */
/* collectd keeps no file open, so we read its configuration: collectd(1) for -C and the default,
 * collectd.conf(5) for BaseDir and for DataDir, which is below it. */
#include "engine/check/check_tree.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/problem.h"
#include "conf/include.h"

#define ARGUMENTS_SIZE 4096
#define BASE_DIR "/var/lib/collectd"

struct search {
	const char *plugin, *folder;
	struct timed_calls *files;
	struct check_process *found;
};

/* --- collectd ---------------------------------------------------------- */

/* The argument of -C, in the arguments of a process, each with its null byte;
 * or the file that is read without. */
static const char *find_config(const char *arguments, size_t size)
{
	static const char *const usual[] = { "/etc/collectd/collectd.conf", "/etc/collectd.conf" };
	const char *end = arguments + size;

	for (const char *one = arguments; one < end; one += strlen(one) + 1) {
		if (strncmp(one, "-C", 2) != 0)
			continue;
		if (one[2] != '\0')
			return one + 2;
		return one + 3 < end ? one + 3 : NULL;
	}
	return access(usual[0], F_OK) == 0 ? usual[0] : usual[1];
}

static const char *text_of(const struct conf_node *node)
{
	return node->values_len == 1 ? node->values[0].text : "";
}

static const char *option_of(const struct conf_node *block, const char *name, const char *preset)
{
	for (size_t i = 0; i < block->children_len; i++)
		if (strcasecmp(block->children[i]->name, name) == 0)
			preset = text_of(block->children[i]);
	return preset;
}

static bool is_same(const char *one, const char *other)
{
	struct stat a, b;

	return stat(one, &a) == 0 && stat(other, &b) == 0 && a.st_dev == b.st_dev &&
	       a.st_ino == b.st_ino;
}

/* Whether that plugin is loaded, and where it writes. */
static bool writes(const struct conf_node *root, const char *plugin, const char *folder)
{
	const char *base = option_of(root, "BaseDir", BASE_DIR), *data = "";
	bool loaded = false;
	char path[PATH_MAX];

	for (size_t i = 0; i < root->children_len; i++) {
		const struct conf_node *node = root->children[i];

		if (strcasecmp(text_of(node), plugin) != 0)
			continue;
		if (strcasecmp(node->name, "LoadPlugin") == 0)
			loaded = true;
		else if (strcasecmp(node->name, "Plugin") == 0)
			data = option_of(node, "DataDir", data);
	}
	if (data[0] == '/')
		return loaded && is_same(data, folder);
	snprintf(path, sizeof(path), "%s/%s", base, data);
	return loaded && is_same(path, folder);
}

static size_t read_arguments(pid_t pid, char out[ARGUMENTS_SIZE])
{
	char path[64];
	size_t size = 0;
	FILE *file;

	snprintf(path, sizeof(path), "/proc/%d/cmdline", (int)pid);
	file = fopen(path, "re");
	if (file == NULL)
		return 0;
	size = fread(out, 1, ARGUMENTS_SIZE - 1, file);
	fclose(file);
	out[size] = '\0';
	return size;
}

/* Whether it sees other files than this process does; that of another user is
 * taken to see the same. */
static bool is_contained(pid_t pid)
{
	char path[64];
	struct stat theirs, ours;

	snprintf(path, sizeof(path), "/proc/%d/root", (int)pid);
	return stat(path, &theirs) == 0 && stat("/", &ours) == 0 &&
	       (theirs.st_dev != ours.st_dev || theirs.st_ino != ours.st_ino);
}

static bool is_collectd(const struct check_process *process, void *argument)
{
	const struct search *search = argument;
	char arguments[ARGUMENTS_SIZE];
	const char *config;
	struct problems problems;
	struct conf_tree *tree;
	bool found;

	if (strcmp(process->name, CHECK_COLLECTD) != 0 || is_contained(process->pid))
		return false;
	config = find_config(arguments, read_arguments(process->pid, arguments));
	if (config == NULL)
		return false;
	problem_init(&problems);
	tree = conf_load(config, search->files, &problems);
	found = tree != NULL && writes(tree->root, search->plugin, search->folder);
	conf_free(tree);
	problem_done(&problems);
	if (found)
		*search->found = *process;
	return found;
}

bool check_tree_of_collectd(const char *plugin, const char *folder, struct timed_calls *files,
			    struct check_process *found)
{
	struct search search = { plugin, folder, files, found };

	return check_process_find(is_collectd, &search);
}

/* --- Another collector -------------------------------------------------- */

static bool is_collector(const struct check_process *process, void *argument)
{
	const struct search *search = argument;

	if (process->pid == getpid() || strcmp(process->name, CHECK_COLLECTOR) != 0 ||
	    !check_process_holds(process, search->folder))
		return false;
	*search->found = *process;
	return true;
}

bool check_tree_of_collector(const char *folder, struct check_process *found)
{
	char *path = realpath(folder, NULL);
	struct search search = { NULL, path, NULL, found };
	bool taken = path != NULL && check_process_find(is_collector, &search);

	free(path);
	return taken;
}
