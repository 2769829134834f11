/* SPDX-License-Identifier: MIT */
/* From what a configuration asks for to instances in the engine. */
#include "daemon/instances.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "daemon/config/plugin_package.h"
#include "daemon/config/settings.h"
#include "daemon/config/shadow.h"
#include "daemon/config/substitute.h"
#include "engine/change/plugin.h"

/* Where else it is, what else does its work, or what else may be meant. */
static void find_hint(const char *plugin, char **names, char *hint, size_t size)
{
	const char *package = plugin_package(plugin), *instead = substitute_for(plugin), *meant;
	size_t len = 0;

	while (names[len] != NULL)
		len++;
	meant = option_suggest(plugin, (const char *const *)names, len);
	hint[0] = '\0';
	if (package != NULL)
		snprintf(hint, size, "; it is in the package %s", package);
	else if (instead != NULL)
		snprintf(hint, size, "; %s", instead);
	else if (meant != NULL)
		snprintf(hint, size, "; did you mean '%s'?", meant);
}

static void say_missing(const struct wanted *wanted, const struct plugin_dirs *directories,
			struct problems *problems)
{
	int why = 0;
	const char *closed = plugin_dir_unreadable(directories, wanted->plugin, &why);
	char **names, where[300] = "", hint[300];

	if (closed != NULL) {
		problem_error(problems, wanted->place, "cannot read plugin '%s' in '%s': %s",
			      wanted->plugin, closed, strerror(why));
		return;
	}
	names = plugin_dir_names(directories);
	find_hint(wanted->plugin, names, hint, sizeof(hint));
	if (directories->len > 1)
		plugin_dir_text(directories, where, sizeof(where));
	if (wanted->stated)
		problem_error(problems, wanted->place,
			      "there is no plugin '%s' here, which this is for%s", wanted->plugin,
			      hint);
	else
		problem_warn(problems, wanted->place,
			     "there is no plugin '%s' here, it is left out%s%s%s%s", wanted->plugin,
			     where[0] != '\0' ? " (" : "", where, where[0] != '\0' ? ")" : "",
			     hint);
	plugin_free_names(names);
}

/* Whether one of its blocks says something. */
static bool is_configured(const struct wanted *wanted)
{
	for (size_t i = 0; i < wanted->blocks_len; i++)
		if (wanted->blocks[i]->children_len > 0)
			return true;
	return false;
}

/* The first option without which the plugin does nothing, if it has no configuration at all, or an
 * empty one; or NULL. */
static const struct mc_option *find_lacking(const struct wanted *wanted,
					    const struct mc_plugin *plugin)
{
	const struct mc_option *option = plugin->options;

	if (is_configured(wanted) || option == NULL)
		return NULL;
	while (option->name != NULL && !option->required)
		option++;
	return option->name != NULL ? option : NULL;
}

/* The plugin, or NULL, and why is among the problems. */
static const struct mc_plugin *load(const struct wanted *wanted,
				    const struct plugin_dirs *directories,
				    struct problems *problems)
{
	const char *directory = plugin_dir_find(directories, wanted->plugin);
	const struct mc_plugin *plugin = NULL;
	const struct mc_option *lacking;
	char why[1024];

	if (directory == NULL)
		say_missing(wanted, directories, problems);
	else if (plugin_load(directory, wanted->plugin, &plugin, why, sizeof(why)) < 0)
		problem_error(problems, wanted->place, "%s", why);
	if (plugin == NULL)
		return NULL;
	lacking = find_lacking(wanted, plugin);
	if (lacking == NULL)
		return plugin;
	problem_warn(problems, wanted->place, "%s: does nothing without '%s', it is left out",
		     wanted->name, lacking->name);
	return NULL;
}

static void release(void *argument)
{
	option_release(argument);
	free(argument);
}

void instances_fill(const struct wanted *wanted, const struct mc_plugin *plugin, void *self,
		    struct conf_keep *keep, struct problems *problems)
{
	static const struct mc_option none[] = { { 0 } };
	struct option_source source = { .owner = wanted->name,
					.lenient = plugin->lenient,
					.parents = wanted->blocks,
					.parents_len = wanted->blocks_len };

	option_fill(plugin->options != NULL ? plugin->options : none, &source, self, keep,
		    problems);
}

/* Only looks whether the options are right. */
static void judge(const struct wanted *wanted, const struct mc_plugin *plugin,
		  struct problems *problems)
{
	void *self = alloc_zero(plugin->self_size);
	struct conf_keep keep;

	option_init(&keep);
	instances_fill(wanted, plugin, self, &keep, problems);
	option_release(&keep);
	free(self);
}

static void set_flushing(struct member *member, const struct wanted *wanted,
			 const struct mc_plugin *plugin, struct problems *problems)
{
	if (wanted->flush_interval > 0 && plugin_writer(plugin)->flush == NULL) {
		problem_warn(problems, wanted->place,
			     "FlushInterval has no effect: '%s' buffers "
			     "nothing",
			     plugin->name);
		return;
	}
	member->flush_interval = wanted->flush_interval;
	member->flush_timeout = wanted->flush_timeout;
}

static struct member *push(struct instances *instances)
{
	instances->items =
		alloc_resize(instances->items, instances->len + 1, sizeof(*instances->items));
	instances->items[instances->len] = (struct member){ 0 };
	return &instances->items[instances->len++];
}

/* A DataDir that has a preset is below BaseDir unless an absolute one is given. */
static bool is_below_base(const struct wanted *wanted, const struct mc_plugin *plugin)
{
	const struct mc_option *option = plugin->options;

	while (option != NULL && option->name != NULL && strcmp(option->name, "DataDir") != 0)
		option++;
	if (option == NULL || option->name == NULL || option->default_value == NULL)
		return false;
	for (size_t i = 0; i < wanted->blocks_len; i++)
		if (settings_place(wanted->blocks[i], "DataDir", NULL).file != NULL)
			return false;
	return true;
}

static struct member *add(struct instances *instances, struct instance *instance,
			  const struct wanted *wanted, const struct mc_plugin *plugin,
			  struct problems *problems)
{
	struct conf_keep *keep = alloc_zero(sizeof(*keep));
	struct member *member = push(instances);
	const struct mc_writer *writer = plugin_writer(plugin);

	member->instance = instance;
	member->ctx = engine_ctx(instance);
	member->below_base = is_below_base(wanted, plugin);
	member->has_log = writer->log != NULL && !writer->on_request;
	member->logs_to_syslog = writer->logs_to_syslog;
	member->listens = plugin->run != NULL && writer->on_request;
	member->brings = plugin->read != NULL ||
			 (plugin->run != NULL && plugin->types != NULL && !writer->on_request);
	member->takes = plugin_takes(plugin);
	option_init(keep);
	engine_set_release(instance, release, keep);
	instances_fill(wanted, plugin, member->ctx->self, keep, problems);
	set_flushing(member, wanted, plugin, problems);
	member->wanted = configure_remember(wanted);
	return member;
}

static mc_time interval_of(const struct instances_source *source, const struct wanted *wanted)
{
	return wanted->interval > 0 ? wanted->interval : source->interval;
}

static void prepare(struct instance *instance, const struct instances_source *source,
		    const struct wanted *wanted)
{
	engine_set_interval(instance, interval_of(source, wanted));
	engine_set_recorded(instance, wanted->recorded);
}

/* A destination that a file names, and that is not installed, is a warning already. */
static void warn_of_no_destination(const struct instances *instances,
				   const struct configure *configure, struct problems *problems)
{
	bool any = false;

	for (size_t i = 0; i < instances->len; i++) {
		if (instances->items[i].takes)
			return;
		any |= instances->items[i].brings;
	}
	if (any && instances->len == configure->len)
		problem_warn(problems, (struct place){ 0 },
			     "no plugin writes values, or shows them: they go nowhere");
}

void instances_add(struct instances *instances, const struct instances_source *source,
		   bool readers_only, struct problems *problems)
{
	const struct configure *configure = source->configure;

	*instances = (struct instances){ 0 };
	if (configure->len == 0)
		problem_warn(problems, (struct place){ 0 },
			     "no plugin is loaded: there is nothing to do");
	for (size_t i = 0; i < configure->len; i++) {
		const struct wanted *wanted = &configure->items[i];
		const struct mc_plugin *plugin;
		const struct mc_hostname *hostname;
		struct mc_plugin *shadow = NULL;
		struct instance *instance;
		struct member *member;

		/* A second read is not for a look, nor for a writer that drops.
		 */
		if (!wanted->load || (wanted->recorded && (readers_only || source->shadow)))
			continue;
		plugin = load(wanted, source->directories, problems);
		if (plugin == NULL)
			continue;
		if (source->shadow && shadow_changes(wanted, plugin))
			plugin = shadow = shadow_of(plugin);
		hostname = plugin_hostname(plugin_dir_find(source->directories, wanted->plugin),
					   wanted->plugin);
		if (readers_only && plugin->read == NULL && hostname == NULL) {
			judge(wanted, plugin, problems);
			continue;
		}
		instance = engine_add(source->engine, plugin, wanted->name);
		prepare(instance, source, wanted);
		member = add(instances, instance, wanted, plugin, problems);
		member->text = difference_text(wanted, source->interval);
		member->shadow = shadow;
		member->hostname = hostname;
	}
	if (!readers_only)
		warn_of_no_destination(instances, configure, problems);
}

static void forget(struct member *member)
{
	configure_forget(member->wanted);
	free(member->text);
	free(member->shadow);
}

void instances_done(struct instances *instances)
{
	for (size_t i = 0; i < instances->len; i++)
		forget(&instances->items[i]);
	free(instances->items);
	*instances = (struct instances){ 0 };
}

struct mc_ctx *instances_any(const struct instances *instances)
{
	return instances->len > 0 ? instances->items[0].ctx : NULL;
}

void instances_name_host(const struct instances *instances, struct engine *engine, char *out,
			 size_t size)
{
	char name[256];

	for (size_t i = 0; i < instances->len; i++) {
		const struct member *member = &instances->items[i];

		if (member->hostname == NULL ||
		    !engine_find_host(member->instance, member->hostname, name, sizeof(name)))
			continue;
		snprintf(out, size, "%s", name);
		engine_set_host(engine, name);
		return;
	}
}

bool instances_are_below_base(const struct instances *instances)
{
	for (size_t i = 0; i < instances->len; i++)
		if (instances->items[i].below_base)
			return true;
	return false;
}

bool instances_have_log(const struct instances *instances)
{
	for (size_t i = 0; i < instances->len; i++)
		if (instances->items[i].has_log)
			return true;
	return false;
}

struct instance *instances_syslog(const struct instances *instances)
{
	for (size_t i = 0; i < instances->len; i++)
		if (instances->items[i].logs_to_syslog)
			return instances->items[i].instance;
	return NULL;
}

const char *instances_deaf(const struct instances *instances)
{
	for (size_t i = 0; i < instances->len; i++)
		if (instances->items[i].listens &&
		    !engine_has_started(instances->items[i].instance))
			return instances->items[i].ctx->name;
	return NULL;
}

bool instances_bring_nothing(const struct instances *instances)
{
	bool any = false;

	for (size_t i = 0; i < instances->len; i++) {
		if (!instances->items[i].brings)
			continue;
		if (engine_has_started(instances->items[i].instance))
			return false;
		any = true;
	}
	return any;
}

/* --- Another configuration -------------------------------------------- */

struct candidates { /* Instances of a configuration that exist. */
	const struct wanted **wanted;
	const struct mc_plugin **plugins;
	struct identity *identities; /* Texts are malloc'd. */
	size_t len;
};

static struct candidates find_candidates(const struct instances_source *source,
					 struct problems *problems)
{
	const struct configure *configure = source->configure;
	struct candidates found = {
		.wanted = alloc_array(configure->len, sizeof(*found.wanted)),
		.plugins = alloc_array(configure->len, sizeof(*found.plugins)),
		.identities = alloc_array(configure->len, sizeof(*found.identities)),
	};

	for (size_t i = 0; i < configure->len; i++) {
		const struct wanted *wanted = &configure->items[i];
		const struct mc_plugin *plugin = NULL;

		if (wanted->load)
			plugin = load(wanted, source->directories, problems);
		if (plugin == NULL)
			continue;
		found.wanted[found.len] = wanted;
		found.plugins[found.len] = plugin;
		found.identities[found.len++] = (struct identity){
			.name = wanted->name,
			.text = difference_text(wanted, source->interval),
		};
	}
	return found;
}

static struct identity *identify(const struct instances *now)
{
	struct identity *identities = alloc_array(now->len, sizeof(*identities));

	for (size_t i = 0; i < now->len; i++) {
		const struct member *member = &now->items[i];

		identities[i] = (struct identity){
			.name = member->ctx->name,
			.text = member->text,
			.fails = !engine_has_started(member->instance),
		};
	}
	return identities;
}

void instances_compare(struct instances_change *change, const struct instances *now,
		       const struct instances_source *source, struct problems *problems)
{
	struct candidates found = find_candidates(source, problems);
	struct identity *before = identify(now);

	*change = (struct instances_change){
		.difference = difference_find(before, now->len, found.identities, found.len),
	};
	for (size_t i = 0; i < found.len; i++) {
		const struct wanted *wanted = found.wanted[i];
		char *text = (char *)found.identities[i].text;
		size_t kept = change->difference.kept[i];
		struct instance *instance;

		if (kept != DIFFERENCE_NONE) {
			*push(&change->next) = now->items[kept];
			change->next.items[i].text = text;
			change->next.items[i].wanted = configure_remember(wanted);
			continue;
		}
		instance = engine_prepare(source->engine, found.plugins[i], wanted->name);
		prepare(instance, source, wanted);
		add(&change->next, instance, wanted, found.plugins[i], problems)->text = text;
	}
	free(before);
	free(found.wanted);
	free(found.plugins);
	free(found.identities);
}

/* Those that leave and join; the arrays to be freed. */
static struct engine_change sides(const struct instances_change *change,
				  const struct instances *now)
{
	const struct instances *next = &change->next;
	struct engine_change sides = {
		.leaving = alloc_array(now->len, sizeof(*sides.leaving)),
		.joining = alloc_array(next->len, sizeof(*sides.joining)),
	};

	for (size_t i = 0; i < now->len; i++)
		if (!change->difference.stays[i])
			sides.leaving[sides.leaving_len++] = now->items[i].instance;
	for (size_t i = 0; i < next->len; i++)
		if (change->difference.kept[i] == DIFFERENCE_NONE)
			sides.joining[sides.joining_len++] = next->items[i].instance;
	return sides;
}

static void free_sides(struct engine_change *sides)
{
	free(sides->leaving);
	free(sides->joining);
	free(sides->fallback);
}

const char *instances_objection(const struct instances_change *change, const struct instances *now,
				struct engine *engine)
{
	struct engine_change both = sides(change, now);
	const char *objection = engine_objection(engine, &both);

	free_sides(&both);
	return objection;
}

/* The one of that name that has started, or NULL. */
static const struct member *find_started(const struct instances *now, const char *name)
{
	for (size_t i = 0; i < now->len; i++)
		if (strcmp(now->items[i].ctx->name, name) == 0 &&
		    engine_has_started(now->items[i].instance))
			return &now->items[i];
	return NULL;
}

/* Prepares it once more as it is; its mistakes were reported before. */
static void add_again(struct instances *old, const struct member *member, struct engine *engine)
{
	const struct mc_plugin *plugin = engine_plugin(member->instance);
	struct instance *instance = engine_prepare(engine, plugin, member->ctx->name);
	struct problems ignored;

	problem_init(&ignored);
	engine_set_interval(instance, member->ctx->interval);
	engine_set_recorded(instance, member->wanted->recorded);
	add(old, instance, member->wanted, plugin, &ignored)->text = alloc_copy(member->text);
	problem_done(&ignored);
}

/* Whoever changes and runs is prepared with its old settings, too. */
static void prepare_fallbacks(struct engine_change *both, const struct instances *now,
			      struct instances *old, struct engine *engine)
{
	both->fallback = alloc_array(both->joining_len, sizeof(*both->fallback));
	for (unsigned i = 0; i < both->joining_len; i++) {
		const struct member *before = find_started(now, engine_ctx(both->joining[i])->name);

		if (before == NULL)
			continue;
		add_again(old, before, engine);
		both->fallback[i] = old->items[old->len - 1].instance;
	}
}

static void note_back(struct instances_result *result, const char *name)
{
	size_t size = strlen(result->names);

	snprintf(result->names + size, sizeof(result->names) - size, "%s'%s'",
		 result->back > 0 ? ", " : "", name);
	result->back++;
}

static struct member *find_member(struct instances *instances, const struct instance *instance)
{
	for (size_t i = 0; i < instances->len; i++)
		if (instances->items[i].instance == instance)
			return &instances->items[i];
	return NULL;
}

/* Puts those in place that go on with their old settings, and drops the others
 * that were prepared for it.  'joined' are those that were to. */
static void settle_fallbacks(struct instances_change *change, const struct engine_change *both,
			     struct instance *const *joined, struct instances *old,
			     struct instances_result *result)
{
	for (unsigned i = 0; i < both->joining_len; i++) {
		struct member *next, *before;

		if (both->fallback[i] != NULL)
			engine_drop(both->fallback[i]);
		if (both->joining[i] == joined[i])
			continue;
		next = find_member(&change->next, joined[i]);
		before = find_member(old, both->joining[i]);
		forget(next);
		*next = *before;
		before->text = NULL;
		before->wanted = NULL;
		if (engine_has_started(next->instance))
			note_back(result, next->ctx->name);
	}
	instances_done(old);
}

/* Has those that go on read anew what files their options name.  Returns how many could not. */
static unsigned renew(const struct instances_change *change)
{
	unsigned failed = 0;

	for (size_t i = 0; i < change->next.len; i++)
		if (change->difference.kept[i] != DIFFERENCE_NONE)
			failed += !engine_renew(change->next.items[i].instance);
	return failed;
}

struct instances_result instances_apply(struct instances_change *change, struct instances *now,
					struct engine *engine, mc_time limit)
{
	struct engine_change both = sides(change, now);
	struct instances_result result = { .not_renewed = renew(change) };
	struct instances old = { 0 };
	struct instance **joined = alloc_array(both.joining_len, sizeof(*joined));

	prepare_fallbacks(&both, now, &old, engine);
	for (unsigned i = 0; i < both.joining_len; i++)
		joined[i] = both.joining[i];
	if (both.leaving_len + both.joining_len > 0)
		result.failed = engine_change(engine, &both, limit);
	settle_fallbacks(change, &both, joined, &old, &result);
	free(joined);
	free_sides(&both);
	difference_done(&change->difference);
	instances_done(now);
	*now = change->next;
	return result;
}

void instances_reject(struct instances_change *change)
{
	for (size_t i = 0; i < change->next.len; i++)
		if (change->difference.kept[i] == DIFFERENCE_NONE)
			engine_drop(change->next.items[i].instance);
	difference_done(&change->difference);
	instances_done(&change->next);
}
