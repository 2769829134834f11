/* SPDX-License-Identifier: MIT */
#include "paths.h"

#include <stdio.h>
#include <string.h>

#include <collector/control.h>
#include <collector/writer.h>

#include "formats/graphite/graphite_path.h"
#include "pattern.h"

struct walk {
	bool (*visit)(void *argument, const struct paths_one *);
	void *argument;
	struct mc_buffer path;
};

static bool visit_series(void *argument, struct mc_series *series, const struct mc_latest *latest)
{
	static const struct mc_graphite_options options = { .escape = "_" };
	struct walk *walk = argument;
	struct paths_one one = { .series = mc_name(series), .type = mc_type(series) };
	const struct mc_id id =
		MC_ID(mc_host(series), mc_plugin(series), mc_plugin_instance(series),
		      one.type->name, mc_type_instance(series));
	bool goes_on = true;

	for (unsigned i = 0; goes_on && i < latest->values_len; i++) {
		mc_buffer_clear(&walk->path);
		mc_graphite_path(&walk->path, &options, &id,
				 latest->values_len > 1 ? one.type->sources[i].name : NULL);
		one.path = walk->path.at;
		one.source = i;
		goes_on = walk->visit(walk->argument, &one);
	}
	return goes_on;
}

/* A glob of names: of the host is known what its '_' may stand for. */
static bool host_glob(const char *pattern, char glob[PATTERN_SIZE])
{
	size_t size = strcspn(pattern, ".");

	if (size + 3 > PATTERN_SIZE)
		return false;
	memcpy(glob, pattern, size);
	glob[size] = '\0';
	if (!pattern_is_plain(glob) || strchr(glob, '\\') != NULL)
		return false;
	for (char *at = glob; *at != '\0'; at++)
		if (*at == '_')
			*at = '?';
	memcpy(glob + size, "/*", 3);
	return true;
}

void paths_each(struct mc_ctx *ctx, const char *pattern,
		bool (*visit)(void *argument, const struct paths_one *), void *argument)
{
	struct walk walk = { .visit = visit, .argument = argument };
	char glob[PATTERN_SIZE];

	mc_page_series(ctx,
		       &(struct mc_series_page){
			       .glob = host_glob(pattern, glob) ? glob : NULL,
			       .limit = SIZE_MAX,
			       .ended_since = 1,
		       },
		       visit_series, &walk);
	mc_buffer_free(&walk.path);
}
