/* SPDX-License-Identifier: MIT */
/* Has every plugin that a configuration asks for judge its options. */
#include "daemon/config/check_plugins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/arena.h"
#include "base/log.h"
#include "conf/given.h"
#include "conf/option.h"
#include "daemon/config/plugin_dir.h"
#include "daemon/config/report.h"
#include "daemon/config/shadow.h"
#include "engine/change/plugin.h"
#include "engine/check/check.h"

struct claim { /* Keys that only one instance can have. */
	const char *key;
	char *owner; /* In words. */
};

struct checking {
	const struct instances_source *source;
	const struct check_rules *rules;
	struct problems *problems;
	struct arena arena; /* Of claims. */
	struct claim *claims;
	size_t claims_len;
	unsigned held; /* By other daemons. */

	/* The instance whose turn it is. */
	const struct wanted *wanted;
	const struct conf_keep *keep;
};

/* The position for an error of a field. */
static struct place place_of(const struct checking *checking, const void *field)
{
	struct given given;

	if (given_find(checking->keep, field, &given) && given.place.file != NULL)
		return given.place;
	return checking->wanted->place;
}

/* "TLSKey '/a' ", "TLSKey ", or "" if that is not a field. */
static void name_field(const struct checking *checking, const void *field, char *out, size_t size)
{
	struct given given;
	char title[80];

	out[0] = '\0';
	if (!given_find(checking->keep, field, &given))
		return;
	given_title(&given, title, sizeof(title));
	if (given.value != NULL && !given.option->secret)
		snprintf(out, size, "%s '%.120s' ", title, given.value);
	else
		snprintf(out, size, "%s ", title);
}

static void report(void *argument, bool error, const void *field, const char *text)
{
	const struct checking *checking = argument;
	struct place place = place_of(checking, field);
	char name[240];

	name_field(checking, field, name, sizeof(name));
	if (error)
		problem_error(checking->problems, place, "%s: %s%s", checking->wanted->name, name,
			      text);
	else
		problem_warn(checking->problems, place, "%s: %s%s", checking->wanted->name, name,
			     text);
}

static void held(void *argument, const void *field, const char *text)
{
	struct checking *checking = argument;

	report(checking, !checking->rules->beside, field, text);
	checking->held++;
}

static const char *owner_of(void *argument, const char *key)
{
	const struct checking *checking = argument;

	for (size_t i = 0; i < checking->claims_len; i++)
		if (strcmp(checking->claims[i].key, key) == 0)
			return checking->claims[i].owner;
	return NULL;
}

static const char *claim(void *argument, const void *field, const char *key)
{
	struct checking *checking = argument;
	struct place place = place_of(checking, field);
	char owner[400];

	if (owner_of(argument, key) != NULL)
		return owner_of(argument, key);
	snprintf(owner, sizeof(owner), "%s (%s:%u:%u)", checking->wanted->name,
		 place.file != NULL ? place.file : "", place.line, place.column);
	checking->claims =
		alloc_resize(checking->claims, checking->claims_len + 1, sizeof(*checking->claims));
	checking->claims[checking->claims_len++] = (struct claim){
		.key = arena_copy(&checking->arena, key, strlen(key)),
		.owner = arena_copy(&checking->arena, owner, strlen(owner)),
	};
	return NULL;
}

static bool has_instance(void *argument, const char *name)
{
	const struct checking *checking = argument;
	const struct configure *configure = checking->source->configure;

	for (size_t i = 0; i < configure->len; i++) {
		const struct wanted *wanted = &configure->items[i];

		if (wanted->load && strcmp(wanted->name, name) == 0)
			return plugin_dir_find(checking->source->directories, wanted->plugin) !=
			       NULL;
	}
	return false;
}

static const char *meant(void *argument, const char *name)
{
	const struct checking *checking = argument;
	const struct configure *configure = checking->source->configure;
	const char **names, *found;
	size_t len = 0;

	if (plugin_dir_find(checking->source->directories, name) != NULL)
		return NULL;
	names = alloc_array(configure->len, sizeof(*names));
	for (size_t i = 0; i < configure->len; i++)
		if (configure->items[i].load)
			names[len++] = configure->items[i].plugin;
	found = option_suggest(name, names, len);
	free(names);
	return found != NULL && strcmp(found, name) != 0 ? found : NULL;
}

static const char *source_file(void *argument, const void *field)
{
	return place_of(argument, field).file;
}

static char *hidden(void *argument, const char *path, enum check_use use)
{
	const struct checking *checking = argument;

	if (checking->rules->sandbox == NULL)
		return NULL;
	return sandbox_hides(checking->rules->sandbox, checking->wanted->plugin, path, use);
}

static char *lacking(void *argument, const char *capabilities)
{
	const struct checking *checking = argument;

	if (checking->rules->sandbox == NULL)
		return NULL;
	return sandbox_lacks(checking->rules->sandbox, checking->wanted->plugin, capabilities);
}

static char *outside(void *argument, const char *group)
{
	const struct checking *checking = argument;

	if (checking->rules->sandbox == NULL)
		return NULL;
	return sandbox_is_outside(checking->rules->sandbox, checking->wanted->plugin, group);
}

/* Samples of a type that is not known are refused, all of them. */
static void check_types(const struct checking *checking, const struct mc_plugin *plugin)
{
	for (size_t i = 0; plugin->types != NULL && plugin->types[i] != NULL; i++)
		if (type_set_find(checking->rules->types, plugin->types[i],
				  strlen(plugin->types[i])) == NULL)
			problem_error(checking->problems, checking->wanted->place,
				      "%s: its type '%s' is in no types.db: "
				      "see TypesDB",
				      checking->wanted->name, plugin->types[i]);
}

/* Options that cannot be read have their presets, and are problems already. */
static void check(struct checking *checking, const struct wanted *wanted,
		  const struct mc_plugin *plugin)
{
	struct instance *instance = engine_prepare(checking->source->engine, plugin, wanted->name);
	struct conf_keep keep;
	struct problems known;

	option_init(&keep);
	problem_init(&known);
	checking->wanted = wanted;
	checking->keep = &keep;
	check_types(checking, plugin);
	instances_fill(wanted, plugin, engine_ctx(instance)->self, &keep, &known);
	if (known.errors == 0)
		engine_check(instance, &(struct check){ .host = checking->rules->host,
							.folder = checking->rules->folder,
							.files = checking->rules->files,
							.types = checking->rules->types,
							.starting = checking->rules->starting,
							.report = report,
							.held = held,
							.claim = claim,
							.owner = owner_of,
							.has_instance = has_instance,
							.meant = meant,
							.hidden = hidden,
							.lacking = lacking,
							.outside = outside,
							.source = source_file,
							.argument = checking });
	engine_drop(instance);
	problem_done(&known);
	option_release(&keep);
}

/* Checks once more without this host: the other problems from 'first' on are the host's. */
static void mark_host(const struct instances_source *source, const struct check_rules *rules,
		      struct problems *problems, size_t first)
{
	struct check_rules of_file = *rules;
	struct problems known;

	of_file.host = of_file.apart = false;
	problem_init(&known);
	known.strict = problems->strict;
	check_plugins(source, &of_file, &known);
	problem_mark_host(problems, first, &known);
	problem_done(&known);
}

bool check_plugins(const struct instances_source *source, const struct check_rules *rules,
		   struct problems *problems)
{
	struct checking checking = { .source = source, .rules = rules, .problems = problems };
	size_t first = problems->len;

	arena_init(&checking.arena, 256);
	for (size_t i = 0; i < source->configure->len; i++) {
		const struct wanted *wanted = &source->configure->items[i];
		const struct mc_plugin *plugin =
			wanted->load ? plugin_dir_load(source->directories, wanted->plugin) : NULL;

		if (plugin != NULL && !(source->shadow && shadow_changes(wanted, plugin)))
			check(&checking, wanted, plugin);
	}
	free(checking.claims);
	arena_done(&checking.arena);
	if (rules->host && rules->apart)
		mark_host(source, rules, problems, first);
	if (!rules->starting || rules->beside || checking.held == 0)
		return true;
	report_log(problems);
	log_error("another daemon has what this one needs: see --beside");
	return false;
}
