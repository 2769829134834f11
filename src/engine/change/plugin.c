/* SPDX-License-Identifier: MIT */
/* Plugins on disk: one shared object each. */
#include "engine/change/plugin.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"

#define NAME_MAX_SIZE 64

bool plugin_is_name(const char *name)
{
	size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_");

	return size > 0 && size <= NAME_MAX_SIZE && name[size] == '\0';
}

const struct mc_writer *plugin_writer(const struct mc_plugin *plugin)
{
	static const struct mc_writer none = { 0 };

	return plugin->writer != NULL ? plugin->writer : &none;
}

bool plugin_looks(const struct mc_plugin *plugin)
{
	return plugin->read != NULL && plugin->run == NULL && plugin_writer(plugin)->on_request;
}

bool plugin_takes(const struct mc_plugin *plugin)
{
	return (plugin_writer(plugin)->write != NULL && !plugin_looks(plugin)) ||
	       (plugin->run != NULL && plugin->types == NULL);
}

/* NULL, or what is wrong with a descriptor. */
static const char *fault(const struct mc_plugin *plugin, const char *name)
{
	if (plugin == NULL)
		return "has no descriptor";
	if (plugin->api != MC_API)
		return "was built for another version of the collector";
	if (plugin->name == NULL || strcmp(plugin->name, name) != 0)
		return "describes itself under another name";
	return NULL;
}

int plugin_load(const char *directory, const char *name, const struct mc_plugin **plugin, char *why,
		size_t why_size)
{
	char path[4096], symbol[NAME_MAX_SIZE + 16];
	const struct mc_plugin *found;
	void *object;

	if (!plugin_is_name(name)) {
		snprintf(why, why_size, "'%s' cannot be a plugin's name", name);
		return -ENOENT;
	}
	snprintf(path, sizeof(path), "%s/%s.so", directory, name);
	if (access(path, F_OK) != 0) {
		snprintf(why, why_size, "there is no plugin '%s' in '%s'", name, directory);
		return -ENOENT;
	}
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL);
	if (object == NULL) {
		snprintf(why, why_size, "cannot load plugin '%s': %s", name, dlerror());
		return -ELIBBAD;
	}
	snprintf(symbol, sizeof(symbol), "mc_plugin_%s", name);
	found = dlsym(object, symbol);
	if (fault(found, name) != NULL) {
		snprintf(why, why_size, "'%s' %s", path, fault(found, name));
		dlclose(object);
		return -ELIBBAD;
	}
	*plugin = found;
	return 0;
}

const struct mc_hostname *plugin_hostname(const char *directory, const char *name)
{
	char path[4096], symbol[NAME_MAX_SIZE + 16];
	const struct mc_hostname *found;
	void *object;

	snprintf(path, sizeof(path), "%s/%s.so", directory, name);
	snprintf(symbol, sizeof(symbol), "mc_hostname_%s", name);
	object = dlopen(path, RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
	if (object == NULL)
		return NULL;
	found = dlsym(object, symbol);
	dlclose(object); /* plugin_load() has it, too. */
	return found;
}

static int is_object(const struct dirent *entry)
{
	size_t size = strlen(entry->d_name);

	return size > 3 && strcmp(entry->d_name + size - 3, ".so") == 0;
}

char **plugin_names(const char *directory)
{
	struct dirent **entries;
	int n = scandir(directory, &entries, is_object, alphasort);
	size_t len = 0;
	char **names;

	if (n < 0)
		return NULL;
	names = alloc_array(n + 1, sizeof(*names));
	for (int i = 0; i < n; i++) {
		entries[i]->d_name[strlen(entries[i]->d_name) - 3] = '\0';
		if (plugin_is_name(entries[i]->d_name))
			names[len++] = alloc_copy(entries[i]->d_name);
		free(entries[i]);
	}
	free(entries);
	return names;
}

void plugin_free_names(char **names)
{
	for (size_t i = 0; names != NULL && names[i] != NULL; i++)
		free(names[i]);
	free(names);
}
