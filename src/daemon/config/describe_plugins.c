/* SPDX-License-Identifier: MIT */
/* Prints plugins for people.  The facts come from descriptors and option tables, the prose from
 * the file that --manual names. */
#include "daemon/config/describe_plugins.h"

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
#include "engine/graphs/graph_rules.h"
#include "model/convention.h"

struct plugin_list {
	const struct mc_plugin **plugins; /* By name. */
	size_t len;
	const char *directory;
	FILE *out;
};

/* False if the directory cannot be read, which is then logged. */
static bool open_list(struct plugin_list *list)
{
	char **names = plugin_names(list->directory), why[1024];

	if (names == NULL) {
		log_error("cannot read plugins in '%s': %s", list->directory, strerror(errno));
		return false;
	}
	for (char **name = names; *name != NULL; name++) {
		const struct mc_plugin *plugin;

		if (!plugin_dir_has(list->directory, *name))
			continue;
		if (plugin_load(list->directory, *name, &plugin, why, sizeof(why)) < 0) {
			log_warn("%s", why);
			continue;
		}
		list->plugins = alloc_resize(list->plugins, list->len + 1, sizeof(*list->plugins));
		list->plugins[list->len++] = plugin;
	}
	plugin_free_names(names);
	return true;
}

static const struct mc_plugin *find(const struct plugin_list *list, const char *name)
{
	for (size_t i = 0; i < list->len; i++)
		if (strcmp(list->plugins[i]->name, name) == 0)
			return list->plugins[i];
	log_error("there is no plugin '%s' in '%s'", name, list->directory);
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
		return writer->write != NULL && !writer->on_request ? "read, write" : "read";
	if (writer->write != NULL && !writer->on_request)
		return "write";
	if (writer->log != NULL)
		return "log";
	return plugin->run != NULL ? "serve" : "-";
}

static int show_list(struct plugin_list *list)
{
	size_t width = 0;

	for (size_t i = 0; i < list->len; i++)
		if (strlen(list->plugins[i]->name) > width)
			width = strlen(list->plugins[i]->name);
	for (size_t i = 0; i < list->len; i++) {
		const struct mc_plugin *plugin = list->plugins[i];

		fprintf(list->out, "%-*s  %-11s  %s\n", (int)width, plugin->name, role_of(plugin),
			plugin->help);
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

static int show_description(struct plugin_list *list, const char *name)
{
	const struct mc_plugin *plugin = find(list, name);
	struct type_set *types;

	if (plugin == NULL)
		return EX_UNAVAILABLE;
	types = types_of(plugin);
	describe_text(plugin, &(struct describe_types){ find_type, types }, list->out);
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

/* The table of names by OpenTelemetry's conventions, as roff. */
static void show_conventions(FILE *out)
{
	const struct convention *row, *before = NULL;

	for (size_t i = 0; (row = convention_row(i)) != NULL; before = row, i++) {
		if (before == NULL || strcmp(before->metric, row->metric) != 0) {
			fprintf(out, ".TP\n\\fB%s\\fR (%s)\n", row->metric, row->unit);
		} else {
			fputs(".br\n", out);
		}
		fprintf(out, "%s/%s%s%s, %s", row->plugin, row->type,
			row->type_instance[0] != '\0' ? "\\-" : "", row->type_instance,
			row->source);
		if (row->divisor != 1)
			fprintf(out, " divided by %g", row->divisor);
		fprintf(out, "%s%s\n", row->attributes[0] != '\0' ? ": " : "", row->attributes);
	}
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
		{ "@GRAPH@\n", graph_rules_options },
	};
	const size_t len = sizeof(tables) / sizeof(tables[0]);

	while (*prose != '\0') {
		size_t size = strcspn(prose, "\n") + 1, i;

		for (i = 0; i < len; i++)
			if (strncmp(prose, tables[i].mark, strlen(tables[i].mark)) == 0)
				break;
		if (i < len)
			describe_manual_options(tables[i].options, out);
		else if (strncmp(prose, "@CONVENTIONS@\n", size) == 0)
			show_conventions(out);
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

static int show_manual(struct plugin_list *list, const char *name, const char *path)
{
	const struct mc_plugin *plugin = NULL;
	struct type_set *types;
	char *prose = NULL;

	if (strcmp(name, "collector.conf") != 0) {
		plugin = find(list, name);
		if (plugin == NULL)
			return EX_UNAVAILABLE;
	}
	if (path != NULL) {
		prose = read_text(path);
		if (prose == NULL)
			return EX_NOINPUT;
	}
	if (plugin == NULL) {
		show_config_manual(prose != NULL ? prose : config_page, list->out);
	} else {
		types = types_of(plugin);
		describe_manual(plugin, &(struct describe_types){ find_type, types }, prose,
				list->out);
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

static int show_example(struct plugin_list *list)
{
	static const struct {
		const char *role, *title;
	} parts[] = {
		{ "log", "Where the collector logs" }, { "read", "What is measured" },
		{ "judge", "What is made of it" },     { "write", "Where it goes" },
		{ "notify", "Notifications" },         { "serve", "Sockets and received values" },
	};

	fprintf(list->out, "# Configuration of collectord: see collector.conf(5).\n"
			   "# An option after a '#' has its default value.\n\n");
	describe_example_options(settings_options, list->out);
	for (size_t part = 0; part < sizeof(parts) / sizeof(parts[0]); part++) {
		fprintf(list->out, "\n# --- %s ---\n", parts[part].title);
		for (size_t i = 0; i < list->len; i++) {
			const struct mc_plugin *plugin = list->plugins[i];

			if (strcmp(part_of(plugin), parts[part].role) != 0)
				continue;
			fputc('\n', list->out);
			describe_example(plugin, is_loaded(plugin), list->out);
		}
	}
	fprintf(list->out, "\n# Files of packages and of your own.\n"
			   "#<Include \"/etc/collector/collector.conf.d\">\n"
			   "#\tFilter \"*.conf\"\n"
			   "#</Include>\n");
	return EX_OK;
}

int describe_plugins(const struct arguments *arguments, const char *directory, FILE *out)
{
	struct plugin_list list = { .directory = directory, .out = out };
	int status = EX_USAGE;

	if (!open_list(&list))
		return EX_UNAVAILABLE;
	switch (arguments->show) {
	case SHOW_LIST:
		status = show_list(&list);
		break;
	case SHOW_DESCRIBE:
		status = show_description(&list, arguments->subject);
		break;
	case SHOW_MANUAL:
		status = show_manual(&list, arguments->subject, arguments->prose);
		break;
	case SHOW_EXAMPLE:
		status = show_example(&list);
		break;
	}
	free(list.plugins);
	return status;
}
