/* SPDX-License-Identifier: MIT */
#include "daemon/config/rule_files.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/slow_file.h"
#include "conf/option.h"
#include "engine/change/plugin.h"

#define FILES_MAX 1000 /* More are left out. */

struct found { /* Files, in the order of their names. */
	char *names[FILES_MAX];
	const char *folders[FILES_MAX];
	size_t len;
};

/* --- Folders -------------------------------------------------------------- */

static bool is_rules(const char *name)
{
	size_t size = strlen(name);

	return name[0] != '.' && size > 5 && strcmp(name + size - 5, ".conf") == 0;
}

static void add(struct found *found, const char *folder, const char *name)
{
	size_t at = found->len;

	while (at > 0 && strcmp(found->names[at - 1], name) >= 0)
		at--;
	if (at < found->len && strcmp(found->names[at], name) == 0) {
		found->folders[at] = folder;
		return;
	}
	if (found->len == FILES_MAX)
		return;
	memmove(&found->names[at + 1], &found->names[at], (found->len - at) * sizeof(char *));
	memmove(&found->folders[at + 1], &found->folders[at], (found->len - at) * sizeof(char *));
	found->names[at] = alloc_copy(name);
	found->folders[at] = folder;
	found->len++;
}

static void list(struct found *found, const struct rule_files_source *source, const char *folder,
		 struct problems *problems)
{
	int rc = slow_file_try(source->calls, folder, NULL);
	struct dirent *entry;
	DIR *dir = slow_file_hangs(rc) ? NULL : opendir(folder);

	if (dir == NULL && (source->folders->len > 0 || slow_file_hangs(rc)))
		problem_warn(problems, (struct place){ 0 }, "cannot read the rules in '%s': %s",
			     folder, slow_file_reason(rc));
	while (dir != NULL && (entry = readdir(dir)) != NULL)
		if (is_rules(entry->d_name))
			add(found, folder, entry->d_name);
	if (dir != NULL)
		closedir(dir);
}

static void list_all(struct found *found, const struct rule_files_source *source,
		     struct problems *problems)
{
	static const char *const usual[] = { MC_DATADIR "/rules.d",
					     MC_SYSCONFDIR "/collector/rules.d" };
	const struct mc_strings *given = source->folders;
	bool none = given->len > 0;

	for (size_t i = 0; !none && i < sizeof(usual) / sizeof(usual[0]); i++)
		list(found, source, usual[i], problems);
	for (size_t i = 0; i < given->len; i++)
		if (given->items[i][0] != '\0')
			list(found, source, given->items[i], problems);
}

/* --- Files ----------------------------------------------------------------- */

/* An error would be one in the file of the configuration. */
static void warn_of(const struct problems *own, struct problems *problems)
{
	for (size_t i = 0; i < own->len; i++)
		problem_warn(problems, own->items[i].place, "%s%s", own->items[i].text,
			     own->items[i].level == MC_ERROR ? "; this file is left out" : "");
}

/* Whether the plugin can be loaded with that alone. */
static void try_options(const struct mc_plugin *plugin, const struct conf_node *root,
			struct problems *own)
{
	struct option_source source = { .owner = plugin->name,
					.lenient = plugin->lenient,
					.parents = &root,
					.parents_len = 1 };
	void *self = alloc_zero(plugin->self_size);
	struct conf_keep keep;

	option_init(&keep);
	option_fill(plugin->options, &source, self, &keep, own);
	option_release(&keep);
	free(self);
}

static struct conf_tree *load(const char *path, const struct mc_plugin *plugin,
			      struct timed_calls *calls, struct problems *problems)
{
	struct problems own;
	struct conf_tree *tree;
	bool good;

	problem_init(&own);
	tree = conf_load(path, calls, &own);
	if (tree != NULL && own.errors == 0)
		try_options(plugin, tree->root, &own);
	good = tree != NULL && own.errors == 0;
	warn_of(&own, problems);
	problem_done(&own);
	if (good)
		return tree;
	conf_free(tree);
	return NULL;
}

static void add_files(struct rule_files *files, const struct found *found,
		      const struct rule_files_source *source, const struct mc_plugin *plugin,
		      struct problems *problems)
{
	for (size_t i = 0; i < found->len; i++) {
		char path[4096];
		struct conf_tree *tree;

		snprintf(path, sizeof(path), "%s/%s", found->folders[i], found->names[i]);
		tree = load(path, plugin, source->calls, problems);
		if (tree == NULL)
			continue;
		files->trees = alloc_resize(files->trees, files->len + 1, sizeof(*files->trees));
		files->trees[files->len++] = tree;
	}
}

/* NULL: it takes no rules, or cannot be loaded. */
static const struct mc_plugin *taker(const struct wanted *wanted,
				     const struct plugin_dirs *directories)
{
	const struct mc_plugin *plugin =
		wanted->load ? plugin_dir_load(directories, wanted->plugin) : NULL;

	return plugin != NULL && plugin->takes_rules ? plugin : NULL;
}

void rule_files_load(struct rule_files *files, const struct rule_files_source *source,
		     struct configure *configure, struct problems *problems)
{
	for (size_t i = 0; i < configure->len; i++) {
		struct wanted *wanted = &configure->items[i];
		const struct mc_plugin *plugin = taker(wanted, source->directories);
		struct found found = { .len = 0 };

		if (plugin == NULL)
			continue;
		if (files->len == 0) {
			list_all(&found, source, problems);
			add_files(files, &found, source, plugin, problems);
		}
		for (size_t j = 0; j < files->len; j++)
			configure_add_block(wanted, files->trees[j]->root);
		for (size_t j = 0; j < found.len; j++)
			free(found.names[j]);
	}
}

void rule_files_done(struct rule_files *files)
{
	for (size_t i = 0; i < files->len; i++)
		conf_free(files->trees[i]);
	free(files->trees);
	*files = (struct rule_files){ 0 };
}
