/* SPDX-License-Identifier: MIT */
/* Which plugins a configuration asks for; see "GLOBAL OPTIONS", LoadPlugin, and "PLUGIN OPTIONS" in
 * collectd.conf(5).  That a plugin can have several instances, "csv.backup", is ours. */
#include "daemon/config/configure.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/alloc.h"
#include "conf/copy.h"
#include "conf/option.h"

#define YEAR 31536000.

const struct mc_option configure_options[] = {
	{ "Interval", MC_OPT_TIME(struct wanted, interval),
	  .help = "Seconds between two reads of this plugin.", .min = 0.001, .max = YEAR,
	  .lenient = true },
	{ "FlushInterval", MC_OPT_TIME(struct wanted, flush_interval),
	  .help = "Interval in seconds at which this plugin is flushed.", .min = 0.001, .max = YEAR,
	  .lenient = true },
	{ "FlushTimeout", MC_OPT_TIME(struct wanted, flush_timeout),
	  .help = "Age in seconds of the values that FlushInterval flushes.", .lenient = true },
	{ "Globals", MC_OPT_BOOL(struct wanted, globals), .lenient = true, .no_effect = true,
	  .help = "Plugins never see each other's symbols." },
	{ 0 },
};

struct reading {
	struct configure *configure;
	struct problems *problems;
	bool auto_load;
};

/* --- Names ------------------------------------------------------------ */

/* The plugin that is known under another name as well, as configure.ac says:
 * "ALIAS=PLUGIN ", any number of times.  Else 'name' itself. */
static const char *resolve(struct arena *arena, const char *name)
{
	size_t size = strlen(name);
	const char *at = MC_ALIASES;

	while (*at != '\0') {
		size_t pair = strcspn(at, " ");

		if (pair > size && at[size] == '=' && memcmp(at, name, size) == 0)
			return arena_copy(arena, at + size + 1, pair - size - 1);
		at += pair + (at[pair] == ' ');
	}
	return name;
}

/* Splits 'text' into the names of a plugin and of an instance of it. */
static void set_names(struct arena *arena, const char *text, struct wanted *wanted)
{
	size_t size = strcspn(text, "."), rest = strlen(text) - size;
	char *plugin = arena_copy(arena, text, size), *name;
	const char *known;

	for (char *c = plugin; *c != '\0'; c++)
		*c = tolower((unsigned char)*c);
	known = resolve(arena, plugin);
	name = arena_zero(arena, strlen(known) + rest + 1);
	memcpy(name, known, strlen(known));
	memcpy(name + strlen(known), text + size, rest);
	wanted->plugin = known;
	wanted->name = name;
}

/* The item of that name; made if it is the first. */
static struct wanted *item_named(struct reading *r, const char *name, struct place place)
{
	struct configure *configure = r->configure;
	struct wanted new = { .place = place };

	set_names(&configure->arena, name, &new);
	for (size_t i = 0; i < configure->len; i++)
		if (strcasecmp(configure->items[i].name, new.name) == 0)
			return &configure->items[i];
	configure->items =
		alloc_resize(configure->items, configure->len + 1, sizeof(*configure->items));
	configure->items[configure->len] = new;
	return &configure->items[configure->len++];
}

/* The item that a statement names.  NULL, with a report, if the statement does not name
 * anything. */
static struct wanted *item_of(struct reading *r, const struct conf_node *node)
{
	bool good = node->values_len > 0;

	if (node->block && node->values_len > 1)
		problem_warn(r->problems, node->values[1].place,
			     "<%s> takes the name of one plugin, not also '%s'", node->name,
			     node->values[1].text);
	else if (node->values_len != 1)
		good = false;
	if (!good || node->values[0].text[0] == '\0') {
		problem_error(r->problems, node->place, "'%s' takes the name of one plugin",
			      node->name);
		return NULL;
	}
	return item_named(r, node->values[0].text, node->place);
}

/* --- Statements ------------------------------------------------------- */

static void take_load(struct reading *r, const struct conf_node *node)
{
	struct option_source source = {
		.owner = "LoadPlugin", .lenient = true, .parents = &node, .parents_len = 1
	};
	struct wanted *wanted, given = { 0 };
	struct conf_keep keep;

	wanted = item_of(r, node);
	if (wanted == NULL)
		return;
	if (!wanted->load)
		wanted->place = node->place;
	wanted->load = true;
	if (!node->block)
		return;
	option_init(&keep);
	option_fill(configure_options, &source, &given, &keep, r->problems);
	option_release(&keep);
	if (given.interval > 0)
		wanted->interval = given.interval;
	if (given.flush_interval > 0)
		wanted->flush_interval = given.flush_interval;
	if (given.flush_timeout > 0)
		wanted->flush_timeout = given.flush_timeout;
}

struct wanted *configure_add_copy(struct configure *configure, size_t index, const char *name)
{
	const struct wanted *from;
	struct wanted *copy;

	for (size_t i = 0; i < configure->len; i++)
		if (strcasecmp(configure->items[i].name, name) == 0)
			return NULL;
	configure->items =
		alloc_resize(configure->items, configure->len + 1, sizeof(*configure->items));
	from = &configure->items[index];
	copy = &configure->items[configure->len++];
	*copy = *from;
	copy->name = arena_copy(&configure->arena, name, strlen(name));
	copy->blocks = NULL;
	copy->blocks_len = 0;
	for (size_t i = 0; i < from->blocks_len; i++)
		configure_add_block(copy, from->blocks[i]);
	return copy;
}

void configure_add_block(struct wanted *wanted, const struct conf_node *block)
{
	wanted->blocks =
		alloc_resize(wanted->blocks, wanted->blocks_len + 1, sizeof(*wanted->blocks));
	wanted->blocks[wanted->blocks_len++] = block;
}

static void take_block(struct reading *r, const struct conf_node *node)
{
	struct wanted *wanted;

	if (!node->block) {
		problem_warn(r->problems, node->place,
			     "'Plugin' must be a block: <Plugin NAME> to "
			     "</Plugin>");
		return;
	}
	wanted = item_of(r, node);
	if (wanted == NULL)
		return;
	wanted->load |= r->auto_load;
	configure_add_block(wanted, node);
}

/* The plugin that has a statement at the top of the file as its option, or
 * NULL: see MC_PLUGIN() in configure.ac. */
static const char *plugin_of_statement(const char *name)
{
#define STATEMENT(statement, plugin) { #statement, #plugin },
	static const struct {
		const char *name, *plugin;
	} statements[] = { CONFIGURE_STATEMENTS{ NULL, NULL } };
#undef STATEMENT

	for (size_t i = 0; statements[i].name != NULL; i++)
		if (strcasecmp(statements[i].name, name) == 0)
			return statements[i].plugin;
	return NULL;
}

/* It counts as one that stands in the <Plugin> block of that plugin, which is then loaded. */
static void take_statement(struct reading *r, const struct conf_node *node, const char *plugin)
{
	struct arena *arena = &r->configure->arena;
	struct conf_node *block = arena_zero(arena, sizeof(*block));
	const struct conf_node **child = arena_zero(arena, sizeof(*child));
	struct wanted *wanted = item_named(r, plugin, node->place);

	*child = node;
	*block = (struct conf_node){ .name = "Plugin",
				     .children = (struct conf_node **)child,
				     .children_len = 1,
				     .block = true,
				     .place = node->place };
	wanted->load = true;
	wanted->stated = true;
	configure_add_block(wanted, block);
}

static void take(struct reading *r, const struct conf_node *node)
{
	const char *plugin = plugin_of_statement(node->name);

	if (strcasecmp(node->name, "LoadPlugin") == 0)
		take_load(r, node);
	else if (strcasecmp(node->name, "Plugin") == 0)
		take_block(r, node);
	else if (plugin != NULL)
		take_statement(r, node, plugin);
	else if (strcasecmp(node->name, "Threshold") == 0)
		problem_warn(r->problems, node->place,
			     "this block of collectd 4 has no effect: "
			     "'<Plugin threshold>' is its successor");
}

void configure_read(struct configure *configure, const struct conf_node *root, bool auto_load,
		    struct problems *problems)
{
	struct reading reading = { .configure = configure,
				   .problems = problems,
				   .auto_load = auto_load };

	*configure = (struct configure){ 0 };
	arena_init(&configure->arena, 512);
	for (size_t i = 0; i < root->children_len; i++)
		take(&reading, root->children[i]);
	for (size_t i = 0; i < configure->len; i++) {
		struct wanted *wanted = &configure->items[i];

		if (!wanted->load)
			problem_warn(problems, wanted->place,
				     "this block has no effect without "
				     "'LoadPlugin %s'",
				     wanted->name);
	}
}

void configure_done(struct configure *configure)
{
	for (size_t i = 0; i < configure->len; i++)
		free(configure->items[i].blocks);
	free(configure->items);
	arena_done(&configure->arena);
	*configure = (struct configure){ 0 };
}

/* --- What outlives the tree ------------------------------------------- */

struct remembered {
	struct wanted wanted; /* First: a copy is found by it. */
	struct arena arena;
};

struct wanted *configure_remember(const struct wanted *wanted)
{
	struct remembered *copy = alloc_zero(sizeof(*copy));
	struct arena *arena = &copy->arena;
	const struct conf_node **blocks;

	arena_init(arena, 512);
	blocks = arena_zero(arena, wanted->blocks_len * sizeof(*blocks));
	for (size_t i = 0; i < wanted->blocks_len; i++)
		blocks[i] = conf_copy(wanted->blocks[i], arena);
	copy->wanted = *wanted;
	copy->wanted.blocks = blocks;
	copy->wanted.place = (struct place){ 0 };
	copy->wanted.name = arena_copy(arena, wanted->name, strlen(wanted->name));
	copy->wanted.plugin = arena_copy(arena, wanted->plugin, strlen(wanted->plugin));
	return &copy->wanted;
}

void configure_forget(struct wanted *wanted)
{
	struct remembered *copy = (struct remembered *)wanted;

	if (copy == NULL)
		return;
	arena_done(&copy->arena);
	free(copy);
}
