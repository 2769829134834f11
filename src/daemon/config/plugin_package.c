/* SPDX-License-Identifier: MIT */
/* The table comes from configure.ac by contrib/plugin-packages, which packages are made by, too. */
#include "daemon/config/plugin_package.h"

#include <stddef.h>
#include <string.h>

static const struct {
	const char *plugin, *package;
} packages[] = {
#include "daemon/config/plugin_package.inc"
};

const char *plugin_package(const char *plugin)
{
	for (size_t i = 0; i < sizeof(packages) / sizeof(*packages); i++)
		if (strcmp(plugin, packages[i].plugin) == 0)
			return packages[i].package;
	return NULL;
}
