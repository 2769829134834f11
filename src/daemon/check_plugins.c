/* SPDX-License-Identifier: MIT */
/* Has every plugin that a configuration asks for judge its options. */
#include "daemon/check_plugins.h"

#include <stdio.h>

#include "conf/given.h"
#include "conf/option.h"
#include "daemon/plugin_dir.h"
#include "engine/check.h"
#include "engine/plugin.h"

struct checking { /* Of one instance. */
	const struct wanted *wanted;
	const struct conf_keep *keep;
	struct problems *problems;
};

static void report(void *argument, bool error, const void *field,
		   const char *text)
{
	const struct checking *checking = argument;
	struct place place = checking->wanted->place;
	struct given given;
	char title[80] = "", value[160] = "";
	const char *blank = "";

	if (given_find(checking->keep, field, &given)) {
		given_title(&given, title, sizeof(title));
		if (given.value != NULL)
			snprintf(value, sizeof(value), " '%.120s'",
				 given.value);
		if (given.place.file != NULL)
			place = given.place;
		blank = " ";
	}
	if (error)
		problem_error(checking->problems, place, "%s: %s%s%s%s",
			      checking->wanted->name, title, value, blank,
			      text);
	else
		problem_warn(checking->problems, place, "%s: %s%s%s%s",
			     checking->wanted->name, title, value, blank, text);
}

/* Options that cannot be read have their presets, and are problems already. */
static void check(const struct instances_source *source,
		  const struct wanted *wanted, const struct mc_plugin *plugin,
		  bool host, struct problems *problems)
{
	struct instance *instance =
		engine_prepare(source->engine, plugin, wanted->name);
	struct conf_keep keep;
	struct problems known;
	struct checking checking = { wanted, &keep, problems };

	option_init(&keep);
	problem_init(&known);
	instances_fill(wanted, plugin, engine_ctx(instance)->self, &keep,
		       &known);
	if (known.errors == 0)
		check_instance(instance,
			       &(struct check){ .host = host,
						.report = report,
						.argument = &checking });
	engine_drop(instance);
	problem_done(&known);
	option_release(&keep);
}

void check_plugins(const struct instances_source *source, bool host,
		   struct problems *problems)
{
	for (size_t i = 0; i < source->configure->len; i++) {
		const struct wanted *wanted = &source->configure->items[i];
		const struct mc_plugin *plugin;
		char why[1024];

		if (wanted->load &&
		    plugin_dir_has(source->directory, wanted->plugin) &&
		    plugin_load(source->directory, wanted->plugin, &plugin, why,
				sizeof(why)) == 0)
			check(source, wanted, plugin, host, problems);
	}
}
