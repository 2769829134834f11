/* SPDX-License-Identifier: MIT */
#include "engine/graphs/graph_glob.h"

#include <collector/graphs.h>
#include <collector/writer.h>

#include <string.h>

static const char *part_of(const struct mc_series *series, unsigned part)
{
	switch (part) {
	case MC_PART_PLUGIN:
		return mc_plugin(series);
	case MC_PART_PLUGIN_INSTANCE:
		return mc_plugin_instance(series);
	case MC_PART_TYPE:
		return mc_type(series)->name;
	default:
		return mc_type_instance(series);
	}
}

void graph_glob_add(struct graph_glob *glob, const struct mc_series *series)
{
	if (glob->series == NULL)
		glob->series = series;
	if (glob->series == series)
		return;
	glob->many = true;
	for (unsigned part = MC_PART_PLUGIN; part <= MC_PART_TYPE_INSTANCE; part <<= 1) {
		const char *first = part_of(glob->series, part), *other = part_of(series, part);

		if (strcmp(first, other) != 0)
			glob->differing |= part;
		if ((first[0] == '\0') != (other[0] == '\0'))
			glob->lacking |= part;
	}
}

static char *add_literal(char *at, const char *text)
{
	for (; *text != '\0'; text++) {
		if (strchr("\\*?[", *text) != NULL)
			*at++ = '\\';
		*at++ = *text;
	}
	return at;
}

/* "cpu-*", of the parts 'head' and 'tail'. */
static char *add_pair(char *at, const struct graph_glob *glob, unsigned head, unsigned tail)
{
	const char *instance = part_of(glob->series, tail);

	if ((glob->differing & head) != 0) {
		*at++ = '*';
		return at;
	}
	at = add_literal(at, part_of(glob->series, head));
	if ((glob->lacking & tail) == 0 && instance[0] != '\0')
		*at++ = '-';
	if ((glob->differing & tail) != 0)
		*at++ = '*';
	else
		at = add_literal(at, instance);
	return at;
}

const char *graph_glob_text(const struct graph_glob *glob, struct arena *arena)
{
	char *text = arena_take(arena, 2 * strlen(mc_name(glob->series)) + 8);
	char *at = text;

	if (!glob->many) {
		at = add_literal(at, mc_name(glob->series));
	} else {
		at = add_literal(at, mc_host(glob->series));
		*at++ = '/';
		at = add_pair(at, glob, MC_PART_PLUGIN, MC_PART_PLUGIN_INSTANCE);
		*at++ = '/';
		at = add_pair(at, glob, MC_PART_TYPE, MC_PART_TYPE_INSTANCE);
	}
	*at = '\0';
	return text;
}
