/* SPDX-License-Identifier: MIT */
/* Facts: see formats/rrd/munin_datafile.h and formats/rrd/pnp_xml.h; names as collector-munin(5)
 * and collector-perfdata(5), with Raw, make them. */
#include "kit/series/stored_foreign.h"

#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/metric.h>
#include <collector/private/beneath.h>
#include <collector/serve.h>

#include "formats/perfdata/perfdata.h"
#include "formats/rrd/munin_datafile.h"
#include "formats/rrd/pnp_xml.h"
#include "kit/series/rrd_files.h"
#include "kit/series/stored_tree.h"

enum {
	NAME_SIZE = 1024,
	XML_SIZE = 512 << 10,
	LEVELS_MAX = 8, /* Of folders in a tree by a template. */
};

struct foreign {
	struct mc_ctx *ctx;
	const struct mc_foreign_tree *tree;
	int folder;
	mc_stored_show *show;
	void *argument;
	char *xml;
};

/* False: it is enough. */
static bool show_one(struct foreign *foreign, const struct mc_stored *stored)
{
	if (stored->metric == NULL && foreign->tree->is_taken(foreign->ctx, stored->name))
		return true;
	return foreign->show(foreign->argument, stored);
}

/* Shows the file of a series, if it is there; false: it is enough. */
static bool show_file(struct foreign *foreign, const char *name, const char *path,
		      const struct mc_metric *metric)
{
	char file[MC_PATH_TEMPLATE_SIZE + 8];
	struct mc_stored stored = { .name = name, .metric = metric };
	struct mc_rrd_head head;

	snprintf(file, sizeof(file), "%s.rrd", path);
	if (!mc_stored_rrd_read(mc_open_beneath(foreign->folder, file, MC_STORED_OPEN, 0), &head,
				&stored))
		return true;
	return show_one(foreign, &stored);
}

/* --- Munin ---------------------------------------------------------------- */

static bool label_of_field(void *argument, const char *label, char *out, size_t size)
{
	const struct mc_munin_field *field = argument;

	if (strcmp(label, "group") != 0)
		return false;
	snprintf(out, size, "%s", field->group);
	return true;
}

/* The kind is in the name of its file: of the four, one is there. */
static bool show_field(struct foreign *foreign, struct mc_munin_field *field)
{
	static const char *const types[] = { "gauge", "derive", "counter", "absolute" };
	const struct mc_metric_label group = { "group", field->group, NULL, 0 };
	const struct mc_metric metric = { .name = "", .resource = { &group, 1 } };
	char name[NAME_SIZE], path[MC_PATH_TEMPLATE_SIZE], why[MC_PATH_TEMPLATE_WHY], kind[2];
	bool more = true;

	for (size_t i = 0; i < sizeof(types) / sizeof(*types) && more; i++) {
		struct mc_path_facts facts = { name, kind, label_of_field, field };

		snprintf(kind, sizeof(kind), "%c", types[i][0]);
		snprintf(name, sizeof(name), "%s/munin-%s/%s-%s", field->host, field->service,
			 types[i], field->field);
		if (mc_path_template_fill(foreign->tree->options->path_template, &facts, path, why))
			more = show_file(foreign, name, path, &metric);
	}
	return more;
}

static void show_munin(struct foreign *foreign)
{
	int fd = mc_open_beneath(foreign->folder, "datafile", MC_STORED_OPEN, 0);
	FILE *file = fd >= 0 ? fdopen(fd, "r") : NULL;
	struct mc_munin_field field;
	char line[MC_MUNIN_DATAFILE_LINE];
	size_t len = 0;

	if (file == NULL && fd >= 0)
		close(fd);
	while (file != NULL && fgets(line, sizeof(line), file) != NULL)
		if (len++ >= MC_STORED_TREE_MAX || mc_stopping(foreign->ctx) ||
		    (mc_munin_datafile_field(line, &field) && !show_field(foreign, &field)))
			break;
	if (file != NULL)
		fclose(file);
}

/* --- PNP4Nagios ----------------------------------------------------------- */

/* The type that perfdata gives such a value, with Raw. */
static const char *type_of_unit(const char *unit, char out[static 32])
{
	struct mc_perfdata_item item;
	struct mc_perfdata data;
	char text[64];

	snprintf(text, sizeof(text), "x=1%s", unit);
	mc_perfdata_open(&data, text);
	if (mc_perfdata_next(&data, &item) != MC_PERFDATA_ITEM)
		return "gauge";
	snprintf(out, 32, "%s", item.factor != 1 ? "gauge" : item.type);
	return out;
}

/* A part of a name has no '/'. */
static void replace_slashes(char *text)
{
	for (; *text != '\0'; text++)
		if (*text == '/')
			*text = '_';
}

static bool show_source(struct foreign *foreign, const struct mc_pnp_xml *service,
			struct mc_pnp_xml_source *source)
{
	const struct mc_pnp_options options = { foreign->tree->folder,
						foreign->tree->options->path_template,
						foreign->tree->options->single_template };
	char name[NAME_SIZE], why[MC_PATH_TEMPLATE_WHY], type[32];
	struct mc_pnp_place *place = mc_alloc(sizeof(*place));
	bool more = true;

	replace_slashes(source->label);
	snprintf(name, sizeof(name), "%s/perfdata-%s/%s-%s", service->host, service->service,
		 type_of_unit(source->unit, type), source->label);
	if (mc_pnp_place_find(foreign->ctx, &options, name, place, why))
		more = show_file(foreign, name, place->path, NULL);
	free(place);
	return more;
}

/* "HOST/SERVICE.xml" */
static bool show_service(void *argument, const struct mc_stored_file *file)
{
	struct foreign *foreign = argument;
	const char *ending = strrchr(file->file, '.'), *at = foreign->xml;
	struct mc_pnp_xml_source source;
	struct mc_pnp_xml service;
	bool more = true;
	ssize_t size;
	int fd;

	if (ending == NULL || strcmp(ending, ".xml") != 0)
		return true;
	fd = openat(file->folder, file->file, MC_STORED_OPEN);
	size = fd >= 0 ? pread(fd, foreign->xml, XML_SIZE, 0) : -1;
	if (fd >= 0)
		close(fd);
	if (size <= 0)
		return true;
	foreign->xml[size] = '\0';
	mc_pnp_xml_read(foreign->xml, &service);
	if (service.host[0] == '\0')
		snprintf(service.host, sizeof(service.host), "%s", file->prefix);
	if (service.service[0] == '\0')
		snprintf(service.service, sizeof(service.service), "%.*s",
			 (int)(ending - file->file), file->file);
	replace_slashes(service.host);
	replace_slashes(service.service);
	while (more && mc_pnp_xml_next(&at, &source))
		more = show_source(foreign, &service, &source);
	return more;
}

static void show_pnp(struct foreign *foreign)
{
	foreign->xml = mc_alloc(XML_SIZE + 1);
	mc_stored_tree(foreign->ctx, foreign->tree->folder,
		       &(struct mc_stored_walk){ 1, 1, show_service, foreign });
	free(foreign->xml);
}

/* --- Paths alone ---------------------------------------------------------- */

/* A type that has as many sources, of that kind; NULL: none is known for it. */
static const char *type_of(struct mc_ctx *ctx, const struct mc_rrd_head *head)
{
	static const struct {
		const char *name;
		char kind;
		int64_t sources_len;
	} types[] = {
		{ "gauge", 'g', 1 },     { "derive", 'd', 1 },     { "counter", 'c', 1 },
		{ "absolute", 'a', 1 },  { "mrtg_gauge", 'g', 2 }, { "if_octets", 'd', 2 },
		{ "if_octets", 'c', 2 },
	};

	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++) {
		const struct mc_type *type = mc_type_find(ctx, types[i].name);

		if (types[i].kind == head->kind && types[i].sources_len == head->sources_len &&
		    type != NULL && type->sources_len == (unsigned)head->sources_len)
			return types[i].name;
	}
	return NULL;
}

/* A target of MRTG is called "ROUTER_PORT": its host is in its name. */
static void add_host(struct mc_path_parts *parts, const char *file, size_t size)
{
	const char *end = memrchr(file, '_', size);

	snprintf(parts->items[0], MC_PATH_PART_SIZE, "%.*s",
		 (int)(end != NULL && end > file ? end - file : (ptrdiff_t)size), file);
}

/* "HOST/PLUGIN-INSTANCE/TYPE-INSTANCE"; false: too little is known. */
static bool join(const struct mc_path_parts *parts, char name[static NAME_SIZE])
{
	const char *const *items =
		(const char *const[]){ parts->items[0], parts->items[1], parts->items[2],
				       parts->items[3], parts->items[4] };
	int size = snprintf(name, NAME_SIZE, "%s/%s%s%s/%s%s%s", items[0], items[1],
			    *items[2] != '\0' ? "-" : "", items[2], items[3],
			    *items[4] != '\0' ? "-" : "", items[4]);

	return size < NAME_SIZE && *items[0] != '\0' && *items[1] != '\0' && *items[3] != '\0';
}

/* Whether the template makes the path of the name again. */
static bool leads_back(struct foreign *foreign, const char *name, const char *path)
{
	char again[MC_PATH_TEMPLATE_SIZE], why[MC_PATH_TEMPLATE_WHY];

	return mc_path_template_find(foreign->ctx, foreign->tree->options->path_template, name,
				     again, why) &&
	       strcmp(again, path) == 0;
}

static bool show_path(void *argument, const struct mc_stored_file *file)
{
	struct foreign *foreign = argument;
	char name[NAME_SIZE], path[MC_PATH_TEMPLATE_SIZE];
	struct mc_stored stored = { .name = name };
	struct mc_path_parts parts;
	struct mc_rrd_head head;
	const char *type;
	size_t size;

	if (!mc_stored_rrd_name(file->file, &size) ||
	    !mc_stored_rrd_read(openat(file->folder, file->file, MC_STORED_OPEN), &head, &stored))
		return true;
	if ((size_t)snprintf(path, sizeof(path), "%s%s%.*s", file->prefix,
			     file->prefix[0] != '\0' ? "/" : "", (int)size,
			     file->file) >= sizeof(path))
		return true;
	type = type_of(foreign->ctx, &head);
	if (!mc_path_template_match(foreign->tree->options->path_template, path, head.kind, &parts))
		return true;
	if (parts.items[0][0] == '\0')
		add_host(&parts, file->file, size);
	if (parts.items[1][0] == '\0')
		snprintf(parts.items[1], MC_PATH_PART_SIZE, "snmp");
	if (parts.items[3][0] == '\0' && type != NULL)
		snprintf(parts.items[3], MC_PATH_PART_SIZE, "%s", type);
	if (!join(&parts, name) || !leads_back(foreign, name, path))
		return true;
	return show_one(foreign, &stored);
}

/* --- All ------------------------------------------------------------------ */

static bool is_named(const struct mc_rrd_options *options, const char *name)
{
	return options->source_names.len == 1 && strcmp(options->source_names.items[0], name) == 0;
}

void mc_stored_foreign(struct mc_ctx *ctx, const struct mc_foreign_tree *tree, mc_stored_show *show,
		       void *argument)
{
	struct foreign foreign = { .ctx = ctx, .tree = tree, .show = show, .argument = argument };
	const struct mc_rrd_options *options = tree->options;
	const char *folder = tree->folder;

	if (options->path_template == NULL) {
		mc_stored_rrd(ctx, folder, show, argument);
		return;
	}
	foreign.folder = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (foreign.folder < 0)
		return;
	if (is_named(options, "42"))
		show_munin(&foreign);
	else if (is_named(options, "1"))
		show_pnp(&foreign);
	else
		mc_stored_tree(ctx, folder,
			       &(struct mc_stored_walk){ 0, LEVELS_MAX, show_path, &foreign });
	close(foreign.folder);
}
