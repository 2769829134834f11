/* SPDX-License-Identifier: MIT */
/* Facts: Graphite's manual, "Functions" and "The Functions API". */
#include "functions.h"

#include <stdio.h>
#include <string.h>

static const struct functions_group groups[] = {
	{ "Alias", functions_alias },
	{ "Calculate", functions_calculate },
	{ "Combine", functions_combine },
	{ "Filter Data", functions_filter_data },
	{ "Filter Series", functions_filter_series },
	{ "Graph", functions_graph },
	{ "Sorting", functions_sorting },
	{ "Special", functions_special },
	{ "Transform", functions_transform },
};

const struct functions_group *functions_next(const struct functions_group *group)
{
	const struct functions_group *end = groups + sizeof(groups) / sizeof(*groups);

	group = group != NULL ? group + 1 : groups;
	return group < end ? group : NULL;
}

size_t functions_name_size(const char *signature)
{
	return strcspn(signature, " ");
}

const struct functions_row *functions_find(const char *name)
{
	size_t size = strlen(name);

	for (const struct functions_group *group = functions_next(NULL); group != NULL;
	     group = functions_next(group))
		for (const struct functions_row *row = group->rows; row->signature != NULL; row++)
			if (functions_name_size(row->signature) == size &&
			    memcmp(row->signature, name, size) == 0)
				return row;
	return NULL;
}

/* --- Parameters ---------------------------------------------------------- */

static const char *const types[] = {
	[FUNCTIONS_SERIES_LIST] = "seriesList",
	[FUNCTIONS_SERIES_LISTS] = "seriesLists",
	[FUNCTIONS_ANY] = "any",
	[FUNCTIONS_INTEGER] = "integer",
	[FUNCTIONS_FLOAT] = "float",
	[FUNCTIONS_INTEGER_OR_INFINITY] = "intOrInf",
	[FUNCTIONS_BOOLEAN] = "boolean",
	[FUNCTIONS_STRING] = "string",
	[FUNCTIONS_DATE] = "date",
	[FUNCTIONS_TAG] = "tag",
	[FUNCTIONS_INTERVAL] = "interval",
	[FUNCTIONS_INTEGER_OR_INTERVAL] = "intOrInterval",
	[FUNCTIONS_NODE] = "node",
	[FUNCTIONS_NODE_OR_TAG] = "nodeOrTag",
	[FUNCTIONS_AGGREGATE] = "aggFunc",
	[FUNCTIONS_AGGREGATE_OR_FUNCTION] = "aggOrSeriesFunc",
};

static void find_type(struct functions_parameter *parameter, const char *text, size_t size)
{
	for (size_t i = 0; i < sizeof(types) / sizeof(*types); i++)
		if (strlen(types[i]) == size && memcmp(types[i], text, size) == 0) {
			parameter->type = (enum functions_type)i;
			parameter->type_name = types[i];
		}
}

/* "NAME:TYPE!*=VALUE" of that size. */
static void read_parameter(struct functions_parameter *parameter, const char *text, size_t size)
{
	size_t name = strcspn(text, ":"), type = strcspn(text + name + 1, "!*= ");
	const char *rest = text + name + 1 + type, *end = text + size;

	*parameter = (struct functions_parameter){ .type = FUNCTIONS_STRING };
	snprintf(parameter->name, sizeof(parameter->name), "%.*s", (int)name, text);
	find_type(parameter, text + name + 1, type);
	for (; rest < end && *rest != '='; rest++) {
		parameter->required |= *rest == '!';
		parameter->multiple |= *rest == '*';
	}
	if (rest < end)
		snprintf(parameter->otherwise, sizeof(parameter->otherwise), "%.*s",
			 (int)(end - rest - 1), rest + 1);
}

unsigned functions_parameters(const char *signature,
			      struct functions_parameter parameters[FUNCTIONS_PARAMETERS])
{
	const char *at = signature + functions_name_size(signature);
	unsigned len = 0;

	for (at += strspn(at, " "); *at != '\0' && len < FUNCTIONS_PARAMETERS;
	     at += strspn(at, " ")) {
		size_t size = strcspn(at, " ");

		read_parameter(&parameters[len++], at, size);
		at += size;
	}
	return len;
}
