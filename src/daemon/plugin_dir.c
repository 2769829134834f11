/* SPDX-License-Identifier: MIT */
/* Directories of plugins.  A plugin of ours defines a symbol "mc_plugin_NAME",
 * so that text is in its table of symbol names. */
#include "daemon/plugin_dir.h"

#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

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

bool plugin_dir_has(const char *directory, const char *name)
{
	char path[4096], symbol[128];
	bool found;
	int fd;

	if (!plugin_is_name(name))
		return false;
	snprintf(symbol, sizeof(symbol), "mc_plugin_%s", name);
	snprintf(path, sizeof(path), "%s/%s.so", directory, name);
	fd = open(path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	found = contains(fd, symbol);
	close(fd);
	return found;
}

bool plugin_dir_has_any(const char *directory)
{
	char **names = plugin_names(directory);
	bool found = false;

	for (char **name = names; name != NULL && *name != NULL && !found;
	     name++)
		found = plugin_dir_has(directory, *name);
	plugin_free_names(names);
	return found;
}
