/* SPDX-License-Identifier: MIT */
/* Directories of plugins.  A plugin of ours defines a symbol "mc_plugin_NAME",
 * so that text is in its table of symbol names. */
#include "daemon/config/plugin_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "engine/change/plugin.h"

static bool contains(int fd, const char *text)
{
	struct stat st;
	void *bytes;
	bool found;

	if (fstat(fd, &st) != 0 || !S_ISREG(st.st_mode) || st.st_size == 0)
		return false;
	bytes = mmap(NULL, st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return false;
	found = memmem(bytes, st.st_size, text, strlen(text) + 1) != NULL;
	munmap(bytes, st.st_size);
	return found;
}

/* The descriptor of DIRECTORY/NAME.so, or -errno. */
static int open_object(const char *directory, const char *name)
{
	char path[4096];
	int fd;

	if (!plugin_is_name(name))
		return -ENOENT;
	snprintf(path, sizeof(path), "%s/%s.so", directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	return fd >= 0 ? fd : -errno;
}

bool plugin_dir_has(const char *directory, const char *name)
{
	int fd = open_object(directory, name);
	char symbol[128];
	bool found;

	if (fd < 0)
		return false;
	snprintf(symbol, sizeof(symbol), "mc_plugin_%s", name);
	found = contains(fd, symbol);
	close(fd);
	return found;
}

bool plugin_dir_has_any(const char *directory)
{
	char **names = plugin_names(directory);
	bool found = false;

	for (char **name = names; name != NULL && *name != NULL && !found; name++)
		found = plugin_dir_has(directory, *name);
	plugin_free_names(names);
	return found;
}

void plugin_dir_add(struct plugin_dirs *dirs, const char *directory)
{
	for (size_t i = 0; i < dirs->len; i++)
		if (strcmp(dirs->items[i], directory) == 0)
			return;
	dirs->items = alloc_resize(dirs->items, dirs->len + 1, sizeof(char *));
	dirs->items[dirs->len++] = directory;
}

void plugin_dir_done(struct plugin_dirs *dirs)
{
	free(dirs->items);
	*dirs = (struct plugin_dirs){ 0 };
}

const char *plugin_dir_find(const struct plugin_dirs *dirs, const char *name)
{
	for (size_t i = 0; i < dirs->len; i++)
		if (plugin_dir_has(dirs->items[i], name))
			return dirs->items[i];
	return NULL;
}

const struct mc_plugin *plugin_dir_load(const struct plugin_dirs *dirs, const char *name)
{
	const char *directory = plugin_dir_find(dirs, name);
	const struct mc_plugin *plugin;
	char why[1024];

	if (directory == NULL || plugin_load(directory, name, &plugin, why, sizeof(why)) < 0)
		return NULL;
	return plugin;
}

const char *plugin_dir_unreadable(const struct plugin_dirs *dirs, const char *name, int *why)
{
	for (size_t i = 0; i < dirs->len; i++) {
		int fd = open_object(dirs->items[i], name);

		if (fd >= 0) {
			close(fd);
		} else if (fd != -ENOENT) {
			*why = -fd;
			return dirs->items[i];
		}
	}
	return NULL;
}

/* Adds those that an earlier directory has not; returns how many. */
static size_t add_names(const struct plugin_dirs *dirs, size_t i, char ***all, size_t len)
{
	char **names = plugin_names(dirs->items[i]);
	size_t added = 0;

	for (char **name = names; name != NULL && *name != NULL; name++) {
		if (plugin_dir_find(dirs, *name) != dirs->items[i])
			continue;
		*all = alloc_resize(*all, len + added + 2, sizeof(char *));
		(*all)[len + added++] = alloc_copy(*name);
		(*all)[len + added] = NULL;
	}
	plugin_free_names(names);
	return added;
}

char **plugin_dir_names(const struct plugin_dirs *dirs)
{
	char **all = alloc_array(1, sizeof(*all));
	size_t len = 0;

	for (size_t i = 0; i < dirs->len; i++)
		len += add_names(dirs, i, &all, len);
	return all;
}

const char *plugin_dir_text(const struct plugin_dirs *dirs, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; i < dirs->len && used < size; i++) {
		char **names = alloc_array(1, sizeof(*names));
		size_t found = add_names(dirs, i, &names, 0);

		used += (size_t)snprintf(out + used, size - used,
					 i == 0 ? "'%s' has %zu" : ", '%s' %zu", dirs->items[i],
					 found);
		plugin_free_names(names);
	}
	return out;
}
