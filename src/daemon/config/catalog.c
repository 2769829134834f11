/* SPDX-License-Identifier: MIT */
/* Prints plugins for people.  The facts come from descriptors and option tables, the prose from
 * the file that --manual names. */
#include "daemon/config/catalog.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sysexits.h>

#include <collector/plugin.h>

#include "base/alloc.h"
#include "base/log.h"
#include "conf/describe/describe.h"
#include "daemon/config/configure.h"
#include "daemon/config/own_types.h"
#include "daemon/config/plugin_dir.h"
#include "daemon/config/settings.h"
#include "engine/change/plugin.h"

struct catalog {
	const struct mc_plugin **plugins; /* By name. */
	size_t len;
	const char *directory;
	FILE *out;
};

/* False if the directory cannot be read, which is then logged. */
static bool open_catalog(struct catalog *catalog)
{
	char **names = plugin_names(catalog->directory), why[1024];

	if (names == NULL) {
		log_error("cannot read plugins in '%s': %s", catalog->directory, strerror(errno));
		return false;
	}
	for (char **name = names; *name != NULL; name++) {
		const struct mc_plugin *plugin;

		if (!plugin_dir_has(catalog->directory, *name))
			continue;
		if (plugin_load(catalog->directory, *name, &plugin, why, sizeof(why)) < 0) {
			log_warn("%s", why);
			continue;
		}
		catalog->plugins =
			alloc_resize(catalog->plugins, catalog->len + 1, sizeof(*catalog->plugins));
		catalog->plugins[catalog->len++] = plugin;
	}
	plugin_free_names(names);
	return true;
}

static const struct mc_plugin *find(const struct catalog *catalog, const char *name)
{
	for (size_t i = 0; i < catalog->len; i++)
		if (strcmp(catalog->plugins[i]->name, name) == 0)
			return catalog->plugins[i];
	log_error("there is no plugin '%s' in '%s'", name, catalog->directory);
	return NULL;
}

/* --- List ------------------------------------------------------------- */

/* The roles of an instance, by its callbacks. */
static const char *role_of(const struct mc_plugin *plugin)
{
	const struct mc_writer *writer = plugin_writer(plugin);

	if (plugin->judge != NULL)
		return "judge";
	if (plugin->run != NULL && writer->on_request)
		return "serve";
	if (writer->notify != NULL && writer->write == NULL && writer->log == NULL &&
	    !writer->on_request)
		return "notify";
	if (plugin->read != NULL)
		return writer->write != NULL ? "read, write" : "read";
	if (writer->write != NULL && !writer->on_request)
		return "write";
	if (writer->log != NULL)
		return "log";
	return plugin->run != NULL ? "serve" : "-";
}

static int show_list(struct catalog *catalog)
{
	size_t width = 0;

	for (size_t i = 0; i < catalog->len; i++)
		if (strlen(catalog->plugins[i]->name) > width)
			width = strlen(catalog->plugins[i]->name);
	for (size_t i = 0; i < catalog->len; i++) {
		const struct mc_plugin *plugin = catalog->plugins[i];

		fprintf(catalog->out, "%-*s  %-11s  %s\n", (int)width, plugin->name,
			role_of(plugin), plugin->help);
	}
	return EX_OK;
}

/* --- Descriptions ----------------------------------------------------- */

static const struct mc_type *find_type(void *types, const char *name)
{
	return type_set_find(types, name, strlen(name));
}

/* Our own, and what the plugin brings along. */
static struct type_set *types_of(const struct mc_plugin *plugin)
{
	struct type_set *types = own_types_new();

	for (size_t i = 0; plugin->new_types != NULL && plugin->new_types[i] != NULL; i++)
		if (find_type(types, plugin->new_types[i]->name) == NULL)
			type_set_add(types, plugin->new_types[i], (struct place){ 0 });
	return types;
}

static int show_description(struct catalog *catalog, const char *name)
{
	const struct mc_plugin *plugin = find(catalog, name);
	struct type_set *types;

	if (plugin == NULL)
		return EX_UNAVAILABLE;
	types = types_of(plugin);
	describe_text(plugin, &(struct describe_types){ find_type, types }, catalog->out);
	type_set_free(types);
	return EX_OK;
}

/* The file's text, freed by the caller, or NULL. */
static char *read_text(const char *path)
{
	FILE *file = fopen(path, "re");
	size_t size = 0;
	char *text = NULL;

	if (file == NULL || getdelim(&text, &size, '\0', file) < 0) {
		log_error("cannot read '%s': %s", path, strerror(errno));
		free(text);
		text = NULL;
	}
	if (file != NULL)
		fclose(file);
	return text;
}

/* The words of collector.conf(5) are roff, in which a line says where the options belong. */
static void show_config_manual(const char *prose, FILE *out)
{
	static const struct {
		const char *mark;
		const struct mc_option *options;
	} tables[] = {
		{ "@OPTIONS@\n", settings_options },
		{ "@LOADPLUGIN@\n", configure_options },
	};

	while (*prose != '\0') {
		size_t size = strcspn(prose, "\n") + 1, i;

		for (i = 0; i < 2; i++)
			if (strncmp(prose, tables[i].mark, strlen(tables[i].mark)) == 0)
				break;
		if (i < 2)
			describe_manual_options(tables[i].options, out);
		else
			fwrite(prose, 1, strnlen(prose, size), out);
		prose += strnlen(prose, size);
	}
}

static const char config_page[] = ".TH COLLECTOR.CONF 5 \"\" collector \"Collector\"\n"
				  ".SH NAME\n"
				  "collector.conf \\- configuration of the collector\n"
				  ".SH GLOBAL OPTIONS\n"
				  "@OPTIONS@\n"
				  ".SH LOADPLUGIN\n"
				  "@LOADPLUGIN@\n";

static int show_manual(struct catalog *catalog, const char *name, const char *path)
{
	const struct mc_plugin *plugin = NULL;
	struct type_set *types;
	char *prose = NULL;

	if (strcmp(name, "collector.conf") != 0) {
		plugin = find(catalog, name);
		if (plugin == NULL)
			return EX_UNAVAILABLE;
	}
	if (path != NULL) {
		prose = read_text(path);
		if (prose == NULL)
			return EX_NOINPUT;
	}
	if (plugin == NULL) {
		show_config_manual(prose != NULL ? prose : config_page, catalog->out);
	} else {
		types = types_of(plugin);
		describe_manual(plugin, &(struct describe_types){ find_type, types }, prose,
				catalog->out);
		type_set_free(types);
	}
	free(prose);
	return EX_OK;
}

/* --- Example ---------------------------------------------------------- */

/* Plugins loaded besides all that measure this host: one log, one writer, the socket.  A reader
 * with a thread of its own waits for peers, which may not exist. */
static bool is_loaded(const struct mc_plugin *plugin)
{
	if (plugin->in_example)
		return true;
	return strcmp(role_of(plugin), "read") == 0 && plugin->run == NULL;
}

/* A writer may also measure itself. */
static const char *part_of(const struct mc_plugin *plugin)
{
	const char *role = role_of(plugin);

	return strcmp(role, "read, write") == 0 ? "write" : role;
}

static int show_example(struct catalog *catalog)
{
	static const struct {
		const char *role, *title;
	} parts[] = {
		{ "log", "Where the collector logs" }, { "read", "What is measured" },
		{ "judge", "What is made of it" },     { "write", "Where it goes" },
		{ "notify", "Notifications" },         { "serve", "Sockets and received values" },
	};

	fprintf(catalog->out, "# Configuration of collectord: see collector.conf(5).\n"
			      "# An option after a '#' has its default value.\n\n");
	describe_example_options(settings_options, catalog->out);
	for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++) {
		fprintf(catalog->out, "\n# --- %s ---\n", parts[part].title);
		for (size_t i = 0; i < catalog->len; i++) {
			const struct mc_plugin *plugin = catalog->plugins[i];

			if (strcmp(part_of(plugin), parts[part].role) != 0)
				continue;
			fputc('\n', catalog->out);
			describe_example(plugin, is_loaded(plugin), catalog->out);
		}
	}
	fprintf(catalog->out, "\n# Files of packages and of your own.\n"
			      "#<Include \"/etc/collector/collector.conf.d\">\n"
			      "#\tFilter \"*.conf\"\n"
			      "#</Include>\n");
	return EX_OK;
}

int catalog_show(const struct arguments *arguments, const char *directory, FILE *out)
{
	struct catalog catalog = { .directory = directory, .out = out };
	int status = EX_USAGE;

	if (!open_catalog(&catalog))
		return EX_UNAVAILABLE;
	switch (arguments->show) {
	case SHOW_LIST:
		status = show_list(&catalog);
		break;
	case SHOW_DESCRIBE:
		status = show_description(&catalog, arguments->subject);
		break;
	case SHOW_MANUAL:
		status = show_manual(&catalog, arguments->subject, arguments->prose);
		break;
	case SHOW_EXAMPLE:
		status = show_example(&catalog);
		break;
	}
	free(catalog.plugins);
	return status;
}
