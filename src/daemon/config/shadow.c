/* SPDX-License-Identifier: MIT */
#include "daemon/config/shadow.h"

#include <string.h>
#include <strings.h>

#include <collector/writer.h>

#include "base/alloc.h"
#include "engine/change/plugin.h"

#define OWN ".shadow"

/* configure.ac has its role: "NAME NAME ". */
static bool is_server(const char *name)
{
	size_t size = strlen(name);

	for (const char *at = MC_SERVERS; *at != '\0';) {
		size_t length = strcspn(at, " ");

		if (length == size && memcmp(at, name, size) == 0)
			return true;
		at += length + (at[length] == ' ');
	}
	return false;
}

bool shadow_changes(const struct wanted *wanted, const struct mc_plugin *plugin)
{
	size_t size = strlen(wanted->name), own = strlen(OWN);

	if (size > own && strcasecmp(wanted->name + size - own, OWN) == 0)
		return false;
	if (plugin->judge != NULL || plugin_looks(plugin))
		return false;
	return plugin->writer != NULL || is_server(plugin->name);
}

static int drop(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	(void)ctx;
	(void)batch;
	return 0;
}

struct mc_plugin *shadow_of(const struct mc_plugin *plugin)
{
	static const struct mc_writer writer = { .write = drop };
	bool writes = plugin->writer != NULL && plugin->writer->write != NULL &&
		      !plugin->writer->on_request;
	struct mc_plugin *shadow = alloc_zero(sizeof(*shadow));
	const struct mc_plugin made = {
		.api = plugin->api,
		.name = plugin->name,
		.help = plugin->help,
		.self_size = plugin->self_size,
		.options = plugin->options,
		.types = plugin->types,
		.new_types = plugin->new_types,
		.writer = writes ? &writer : NULL,
		.lenient = plugin->lenient,
	};

	memcpy(shadow, &made, sizeof(made));
	return shadow;
}
