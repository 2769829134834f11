/* SPDX-License-Identifier: MIT */
/* From what a configuration asks for to instances in the engine. */
#include "daemon/instances.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "conf/option.h"
#include "daemon/plugin_dir.h"
#include "engine/plugin.h"

static void say_missing(const struct wanted *wanted, const char *directory,
			struct problems *problems)
{
	char **names = plugin_names(directory);
	const char *meant;
	size_t len = 0;

	while (names != NULL && names[len] != NULL)
		len++;
	meant = option_suggest(wanted->plugin, (const char *const *)names, len);
	if (meant != NULL && plugin_dir_has(directory, meant))
		problem_warn(problems, wanted->place,
			     "there is no plugin '%s' here, it is left out; "
			     "did you mean '%s'?",
			     wanted->plugin, meant);
	else
		problem_warn(problems, wanted->place,
			     "there is no plugin '%s' here, it is left out",
			     wanted->plugin);
	plugin_free_names(names);
}

/* The plugin, or NULL, and why is among the problems. */
static const struct mc_plugin *load(const struct wanted *wanted,
				    const char *directory,
				    struct problems *problems)
{
	const struct mc_plugin *plugin = NULL;
	char why[1024];

	if (!plugin_dir_has(directory, wanted->plugin))
		say_missing(wanted, directory, problems);
	else if (plugin_load(directory, wanted->plugin, &plugin, why,
			     sizeof(why)) < 0)
		problem_error(problems, wanted->place, "%s", why);
	return plugin;
}

static void release(void *argument)
{
	option_release(argument);
	free(argument);
}

/* Fills the options of a plugin from the blocks of the file. */
static void fill(const struct wanted *wanted, const struct mc_plugin *plugin,
		 void *self, struct conf_keep *keep, struct problems *problems)
{
	static const struct mc_option none[] = { { 0 } };
	struct option_source source = { .owner = wanted->name,
					.parents = wanted->blocks,
					.parents_len = wanted->blocks_len };

	option_fill(plugin->options != NULL ? plugin->options : none, &source,
		    self, keep, problems);
}

/* Only looks whether the options are right. */
static void judge(const struct wanted *wanted, const struct mc_plugin *plugin,
		  struct problems *problems)
{
	void *self = alloc_zero(plugin->self_size);
	struct conf_keep keep;

	option_init(&keep);
	fill(wanted, plugin, self, &keep, problems);
	option_release(&keep);
	free(self);
}

static void add_flushing(struct instances *instances,
			 const struct wanted *wanted,
			 const struct mc_plugin *plugin, struct mc_ctx *ctx,
			 struct problems *problems)
{
	if (wanted->flush_interval == 0)
		return;
	if (plugin->flush == NULL) {
		problem_warn(problems, wanted->place,
			     "FlushInterval has no effect: '%s' buffers "
			     "nothing",
			     plugin->name);
		return;
	}
	instances->flushings =
		alloc_resize(instances->flushings, instances->flushings_len + 1,
			     sizeof(*instances->flushings));
	instances->flushings[instances->flushings_len++] =
		(struct flushing){ .ctx = ctx,
				   .name = ctx->name,
				   .interval = wanted->flush_interval,
				   .timeout = wanted->flush_timeout };
}

static void add(struct instances *instances, const struct wanted *wanted,
		const struct mc_plugin *plugin, struct engine *engine,
		struct problems *problems)
{
	struct instance *instance = engine_add(engine, plugin, wanted->name);
	struct mc_ctx *ctx = engine_ctx(instance);
	struct conf_keep *keep = alloc_zero(sizeof(*keep));

	option_init(keep);
	engine_set_release(instance, release, keep);
	fill(wanted, plugin, ctx->self, keep, problems);
	if (wanted->interval > 0)
		engine_set_interval(instance, wanted->interval);
	add_flushing(instances, wanted, plugin, ctx, problems);
	instances->any = ctx;
	instances->len++;
	instances->has_log |= plugin->log != NULL;
	if (strcmp(plugin->name, "syslog") == 0)
		instances->syslog = instance;
}

void instances_add(struct instances *instances,
		   const struct configure *configure, const char *directory,
		   bool readers_only, struct engine *engine,
		   struct problems *problems)
{
	*instances = (struct instances){ 0 };
	for (size_t i = 0; i < configure->len; i++) {
		const struct wanted *wanted = &configure->items[i];
		const struct mc_plugin *plugin;

		if (!wanted->load)
			continue;
		plugin = load(wanted, directory, problems);
		if (plugin == NULL)
			continue;
		if (readers_only && plugin->read == NULL)
			judge(wanted, plugin, problems);
		else
			add(instances, wanted, plugin, engine, problems);
	}
}

void instances_done(struct instances *instances)
{
	free(instances->flushings);
	*instances = (struct instances){ 0 };
}
