/* SPDX-License-Identifier: MIT */
/* A template up to the first newline, and any bytes after it as a path. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/names/name_template.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_part(const char *part)
{
	assert(memchr(part, '\0', MC_NAME_PART_SIZE) != NULL);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *newline = size > 0 ? memchr(data, '\n', size) : NULL;
	size_t line_size = newline != NULL ? (size_t)(newline - data) : size;
	char *line = calloc(1, line_size + 1), why[256];
	const char *path = (const char *)data + line_size;
	const char *const lines[] = { line };
	const struct mc_strings strings = { lines, 1 };
	struct mc_name_templates *templates;
	struct mc_name_made made;
	size_t wrong = 7;

	assert(line != NULL);
	if (line_size > 0)
		memcpy(line, data, line_size);
	templates = mc_name_templates_new(&strings, &wrong, why, sizeof(why));
	if (templates == NULL)
		assert(wrong == 0 && why[0] != '\0');
	else if (newline != NULL &&
		 mc_name_make(templates, path + 1, size - line_size - 1, &made)) {
		check_part(made.host);
		check_part(made.plugin);
		check_part(made.plugin_instance);
		check_part(made.type);
		check_part(made.type_instance);
		check_part(made.source);
		assert(made.interval >= 0);
	}
	mc_name_templates_free(templates);
	free(line);
	return 0;
}
