/* SPDX-License-Identifier: MIT */
/* Options in a first line; then a prefix, a postfix, and the parts of a series, a line each: no
 * path has what Graphite cannot have, and without tags it has as many components as it must. */
#include <assert.h>
#include <stdbool.h>

#include "formats/graphite/graphite_path.h"

#include "lines.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static size_t count(const char *text, size_t size, char wanted)
{
	size_t found = 0;

	for (size_t i = 0; i < size; i++)
		found += text[i] == wanted;
	return found;
}

static bool has(const char *options, char option)
{
	return strchr(options, option) != NULL;
}

static void check_path(const struct mc_buffer *path, const struct mc_graphite_options *options,
		       const struct mc_id *id)
{
	size_t tags = 1 + (id->plugin[0] != '\0');

	for (size_t i = 0; i < path->size; i++)
		assert(path->at[i] != '\0' && strchr(MC_GRAPHITE_FORBIDDEN, path->at[i]) == NULL);
	if (options->prefix[0] != '\0' || options->postfix[0] != '\0')
		return; /* They may have dots and tags. */
	if (options->use_tags)
		assert(count(path->at, path->size, ';') >= tags);
	else if (!options->preserve_separator && !options->reverse_host)
		assert(count(path->at, path->size, '.') <=
		       3 + 2 * (size_t)options->separate_instances);
	if (!options->use_tags)
		assert(count(path->at, path->size, ';') == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mc_buffer path = { 0 };
	struct mc_graphite_options options;
	struct lines lines;
	const char *words;
	struct mc_id id;

	lines_open(&lines, data, size);
	words = lines_take(&lines);
	options = (struct mc_graphite_options){
		.escape = "_",
		.separate_instances = has(words, 's'),
		.preserve_separator = has(words, 'p'),
		.drop_duplicates = has(words, 'd'),
		.use_tags = has(words, 't'),
		.reverse_host = has(words, 'r'),
	};
	options.prefix = lines_take(&lines);
	options.postfix = lines_take(&lines);
	id.host = lines_take(&lines);
	id.plugin = lines_take(&lines);
	id.plugin_instance = lines_take(&lines);
	id.type = lines_take(&lines);
	id.type_instance = lines_take(&lines);
	mc_graphite_path(&path, &options, &id, has(words, 'n') ? NULL : "value");
	check_path(&path, &options, &id);
	mc_buffer_free(&path);
	lines_close(&lines);
	return 0;
}
