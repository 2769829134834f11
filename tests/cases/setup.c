/* SPDX-License-Identifier: MIT */
#include "setup.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <collector/writer.h>

#include "conf/parse.h"
#include "engine/change/plugin.h"
#include "engine/graphs/graph_rules.h"
#include "model/type.h"
#include "model/types_db.h"

#include "places.h"
#include "shown.h"

static void load_plugin(struct setup *setup, const char *name)
{
	const char *top = getenv("top_builddir");
	char directory[PATH_MAX], why[256];
	int rc;

	snprintf(directory, sizeof(directory), "%s/.libs", top != NULL ? top : ".");
	rc = plugin_load(directory, name, &setup->plugin, why, sizeof(why));
	if (rc < 0 && rc != -ENOENT)
		fprintf(stderr, "run_case: %s\n", why);
	if (rc == -ENOENT)
		printf("SKIP plugin %s: not built\n", name);
	if (rc < 0) {
		places_free(setup->places);
		exit(rc == -ENOENT ? SETUP_SKIPPED : 99);
	}
}

static void load_types(struct setup *setup)
{
	const struct mc_type *const *more = setup->plugin->new_types;
	const char *top = getenv("top_srcdir");
	char path[PATH_MAX];

	snprintf(path, sizeof(path), "%s/" TYPES_DB, top != NULL ? top : ".");
	setup->types = type_set_new();
	if (types_db_read(setup->types, path, &setup->problems) < 0) {
		fprintf(stderr, "run_case: cannot read '%s'\n", path);
		exit(99);
	}
	for (; more != NULL && *more != NULL; more++)
		type_set_add(setup->types, *more, (struct place){ 0 });
}

/* The rules of a file, which is called as in the tree. */
static void add_graphs(struct setup *setup, const char *path, const char *name)
{
	size_t size;
	char *text = shown_file(path, &size);

	graph_rules_add_text(setup->graphs, text != NULL ? text : "", text != NULL ? size : 0, name,
			     &setup->problems);
	free(text);
}

/* Those of 'conf', and our own as they are in the program. */
static void load_graphs(struct setup *setup)
{
	const char *top = getenv("top_srcdir");
	char path[PATH_MAX];
	glob_t found;

	setup->graphs = graph_rules_new();
	graph_rules_add(setup->graphs, setup->tree, &setup->problems);
	snprintf(path, sizeof(path), "%s/plugins/*/*/graphs", top != NULL ? top : ".");
	if (glob(path, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc; i++)
			add_graphs(setup, found.gl_pathv[i], "graphs");
		globfree(&found);
	}
	snprintf(path, sizeof(path), "%s/src/model/graphs", top != NULL ? top : ".");
	add_graphs(setup, path, "graphs");
}

static void load_conf(struct setup *setup)
{
	char path[PATH_MAX], *text, *filled;
	size_t size;

	snprintf(path, sizeof(path), "%s/conf", setup->folder);
	text = shown_file(path, &size);
	filled = places_fill(setup->places, text != NULL ? text : "");
	setup->tree = conf_parse(filled, strlen(filled), "conf", &setup->problems, &setup->arena);
	setup->interval = 10 * MC_SECOND;
	for (size_t i = 0; i < setup->tree->children_len; i++) {
		const struct conf_node *node = setup->tree->children[i];

		if (strcasecmp(node->name, "Interval") == 0)
			setup->interval = (mc_time)(node->values[0].number * (double)MC_SECOND);
	}
	free(filled);
	free(text);
}

void setup_init(struct setup *setup, const char *plugin, const char *folder)
{
	*setup = (struct setup){ .places = places_new(folder) };
	setup->folder = places_case(setup->places);
	load_plugin(setup, plugin);
	problem_init(&setup->problems);
	arena_init(&setup->arena, 4096);
	option_init(&setup->keep);
	load_types(setup);
	load_conf(setup);
	load_graphs(setup);
}

void setup_done(struct setup *setup)
{
	places_free(setup->places);
	option_release(&setup->keep);
	arena_done(&setup->arena);
	problem_done(&setup->problems);
	graph_rules_free(setup->graphs);
	type_set_free(setup->types);
}

void setup_configure(struct setup *setup, void *self)
{
	const struct conf_node *blocks[16];
	struct option_source source = { .owner = setup->plugin->name, .parents = blocks };

	for (size_t i = 0; i < setup->tree->children_len; i++) {
		const struct conf_node *node = setup->tree->children[i];

		if (strcasecmp(node->name, "Plugin") == 0 && source.parents_len < 16)
			blocks[source.parents_len++] = node;
	}
	if (setup->plugin->options != NULL)
		option_fill(setup->plugin->options, &source, self, &setup->keep, &setup->problems);
}

bool setup_is_fed(const struct setup *setup)
{
	const struct mc_writer *writer = plugin_writer(setup->plugin);

	return setup->plugin->judge != NULL || (writer->write != NULL && !writer->on_request);
}

bool setup_root(const struct setup *setup, unsigned n, char path[PATH_MAX])
{
	if (n == 1)
		snprintf(path, PATH_MAX, "%s/root", setup->folder);
	else
		snprintf(path, PATH_MAX, "%s/root%u", setup->folder, n);
	return access(path, F_OK) == 0;
}
