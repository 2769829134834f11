/* SPDX-License-Identifier: MIT */
/* Finds the files of PNP4Nagios on the disk. */
#include "kit/series/rrd_place.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/private/beneath.h>
#include <collector/serve.h>

enum { RRD_SIZE = 8192, XML_SIZE = 512 << 10 };

/* The start of a regular file, with '\0'; NULL: it cannot be read.  Freed by the caller. */
static char *read_start(int folder, const char *path, size_t room, size_t *size)
{
	int fd = mc_open_beneath(folder, path, O_RDONLY | O_NONBLOCK | O_NOCTTY, 0);
	struct stat status;
	ssize_t got = -1;
	char *text;

	if (fd < 0)
		return NULL;
	text = mc_alloc(room + 1);
	if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
		got = pread(fd, text, room, 0);
	close(fd);
	if (got < 0) {
		free(text);
		return NULL;
	}
	text[got] = '\0';
	*size = (size_t)got;
	return text;
}

/* The type instance of a series with one value, and the kind of its type; else NULL. */
static const char *label_of(struct mc_ctx *ctx, const char *name, enum mc_kind *kind)
{
	const char *start = strrchr(name, '/'), *label;
	const struct mc_type *type;
	char text[256];

	start = start != NULL ? start + 1 : name;
	label = strchr(start, '-');
	if (label == NULL)
		return NULL;
	snprintf(text, sizeof(text), "%.*s", (int)(label - start), start);
	type = mc_type_find(ctx, text);
	if (type == NULL || type->sources_len != 1)
		return NULL;
	*kind = type->sources[0].kind;
	return label + 1;
}

/* The label in the .xml of the file; -1, and 'why'. */
static int find_source(int folder, const struct mc_pnp_place *place, const char *label, char *why)
{
	char path[MC_PATH_TEMPLATE_SIZE + 8];
	size_t size;
	char *xml;
	int source;

	snprintf(path, sizeof(path), "%s.xml", place->path);
	xml = read_start(folder, path, XML_SIZE, &size);
	if (xml == NULL) {
		snprintf(why, MC_PNP_SINGLE_WHY, "it has no .xml");
		return -1;
	}
	source = mc_pnp_single_source(xml, place->file.sources_len, label, why);
	free(xml);
	return source;
}

/* PNP has had files of counters, too, for what is a derive since. */
static bool is_kind(enum mc_kind of_file, enum mc_kind of_series)
{
	return of_file == of_series || (of_file == MC_COUNTER && of_series == MC_DERIVE);
}

static bool look(int folder, const char *label, enum mc_kind kind, struct mc_pnp_place *place,
		 char *why)
{
	char path[MC_PATH_TEMPLATE_SIZE + 8];
	size_t size;
	char *head;
	bool good;
	int source;

	snprintf(path, sizeof(path), "%s.rrd", place->path);
	head = read_start(folder, path, RRD_SIZE, &size);
	if (head == NULL)
		return false;
	good = mc_pnp_single_read(head, size, &place->file);
	free(head);
	if (!good) {
		snprintf(why, MC_PNP_SINGLE_WHY, "it is no RRD file of sources 1, 2, ...");
		return false;
	}
	source = find_source(folder, place, label, why);
	if (source < 0)
		return false;
	if (!is_kind(place->file.kinds[source], kind)) {
		snprintf(why, MC_PNP_SINGLE_WHY, "its source %d is of another kind", source + 1);
		return false;
	}
	place->source = (unsigned)source;
	snprintf(place->source_name, sizeof(place->source_name), "%u", place->source + 1);
	return true;
}

static bool find_single(struct mc_ctx *ctx, const struct mc_pnp_options *options, const char *name,
			struct mc_pnp_place *place)
{
	char why[MC_PATH_TEMPLATE_WHY];
	enum mc_kind kind;
	const char *label = label_of(ctx, name, &kind);
	int folder;
	bool found;

	if (label == NULL ||
	    !mc_path_template_find(ctx, options->single_template, name, place->path, why))
		return false;
	folder = open(options->folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (folder < 0)
		return false;
	found = look(folder, label, kind, place, place->refused);
	close(folder);
	return found;
}

bool mc_pnp_place_find(struct mc_ctx *ctx, const struct mc_pnp_options *options, const char *name,
		       struct mc_pnp_place *place, char why[static MC_PATH_TEMPLATE_WHY])
{
	place->refused[0] = '\0';
	place->is_single = false;
	if (!mc_path_template_find(ctx, options->path_template, name, place->own, why))
		return false;
	if (options->single_template != NULL)
		place->is_single = find_single(ctx, options, name, place);
	if (!place->is_single)
		memcpy(place->path, place->own, sizeof(place->path));
	return true;
}

void mc_pnp_check(struct mc_ctx *ctx, const char *const *path_template,
		  const char *const *single_template)
{
	char why[MC_PATH_TEMPLATE_WHY];

	if (*single_template == NULL)
		return;
	if (*path_template == NULL)
		mc_check_error(ctx, single_template,
			       "needs PathTemplate, for labels that are in no "
			       "such file");
	else if (!mc_path_template_is_sound(*single_template, why))
		mc_check_error(ctx, single_template, "%s", why);
}
