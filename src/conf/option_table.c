/* SPDX-License-Identifier: MIT */
#include "conf/option_table.h"

#include <strings.h>

#include "conf/field.h"

const struct mc_option *option_table_find(const struct mc_option *options, const char *name)
{
	for (; options->name != NULL; options++) {
		if (strcasecmp(options->name, name) == 0 ||
		    (options->alias != NULL && strcasecmp(options->alias, name) == 0))
			return options;
	}
	return NULL;
}

const struct mc_option *option_table_argument(const struct mc_option *options, size_t index)
{
	for (; options->name != NULL; options++) {
		if (options->name[0] != '\0')
			continue;
		if (index == 0 || !field_is_scalar(options->type))
			return options;
		index--;
	}
	return NULL;
}

const char *option_table_home(const struct mc_option *options, const char *name)
{
	for (; options->name != NULL; options++) {
		if (options->type != MC_BLOCKS)
			continue;
		for (const struct mc_option *inner = options->block->options; inner->name != NULL;
		     inner++) {
			if (strcasecmp(inner->name, name) == 0)
				return options->name;
		}
	}
	return NULL;
}
