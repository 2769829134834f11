/* SPDX-License-Identifier: MIT */
#include "daemon/config/recorded.h"

#include <collector/private/recorded.h>

#include <stdio.h>
#include <stdlib.h>
#include <strings.h>

#include "base/alloc.h"
#include "conf/option.h"
#include "engine/change/plugin.h"

#define NAME_SIZE 256

/* NULL: it is not to be loaded, or cannot be. */
static const struct mc_plugin *plugin_of(const struct wanted *wanted,
					 const struct plugin_dirs *directories)
{
	return wanted->load ? plugin_dir_load(directories, wanted->plugin) : NULL;
}

struct recorder {
	struct configure *configure;
	const struct plugin_dirs *directories;
	struct problems *problems;
	size_t index; /* Its item. */
};

/* Whether there is one more. */
static bool add(const struct recorder *r, const char *reader, mc_time interval)
{
	struct configure *configure = r->configure;
	const struct mc_plugin *plugin;
	struct wanted *copy;
	char name[NAME_SIZE];
	size_t i = 0;

	while (i < configure->len && strcasecmp(configure->items[i].name, reader) != 0)
		i++;
	plugin = i < configure->len ? plugin_of(&configure->items[i], r->directories) : NULL;
	if (plugin == NULL)
		return false;
	if (plugin->read == NULL || plugin->run != NULL) {
		problem_warn(r->problems, configure->items[r->index].place,
			     "%s: '%s' cannot be recorded, as it does more than to read",
			     configure->items[r->index].name, reader);
		return false;
	}
	snprintf(name, sizeof(name), "%.120s.%.120s", configure->items[i].name,
		 configure->items[r->index].name);
	copy = configure_add_copy(configure, i, name);
	if (copy == NULL)
		return false;
	copy->interval = interval;
	copy->recorded = true;
	return true;
}

static void add_all(const struct recorder *r, const struct mc_plugin *plugin)
{
	const struct wanted *wanted = &r->configure->items[r->index];
	struct option_source source = { .owner = wanted->name,
					.lenient = plugin->lenient,
					.parents = wanted->blocks,
					.parents_len = wanted->blocks_len };
	struct mc_recorded *options = alloc_zero(plugin->self_size);
	struct problems ignored; /* instances_add() reports them. */
	struct conf_keep keep;
	size_t added = 0;

	problem_init(&ignored);
	option_init(&keep);
	option_fill(plugin->options, &source, options, &keep, &ignored);
	for (size_t i = 0; i < options->readers.len; i++)
		added += add(r, options->readers.items[i], options->interval);
	wanted = &r->configure->items[r->index];
	if (added == 0)
		problem_warn(r->problems, wanted->place,
			     "%s: none of the plugins that it records is loaded", wanted->name);
	option_release(&keep);
	problem_done(&ignored);
	free(options);
}

void recorded_add(struct configure *configure, const struct plugin_dirs *directories,
		  struct problems *problems)
{
	for (size_t i = 0, len = configure->len; i < len; i++) {
		const struct mc_plugin *plugin = plugin_of(&configure->items[i], directories);
		const struct recorder recorder = { configure, directories, problems, i };

		if (plugin != NULL && plugin_writer(plugin)->record != NULL)
			add_all(&recorder, plugin);
	}
}
