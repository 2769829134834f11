/* SPDX-License-Identifier: MIT */
/* A template, the name of a series, its kind and a label of its host, a line each: a path that
 * comes out is safe below a folder, and a template that is sound gives a path to a plain series.
 * The name as a path is read back, and the first line is one of Munin's datafile. */
#include <assert.h>
#include <stdio.h>

#include "formats/rrd/munin_datafile.h"
#include "formats/rrd/path_template.h"

#include "lines.h"

#define COMPONENT_MAX 240

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool label_of(void *argument, const char *label, char *out, size_t size)
{
	const char *value = argument;

	assert(label != NULL && size > 0);
	if (*value == '\0')
		return false;
	snprintf(out, size, "%s", value);
	return true;
}

static void check_path(const char *path)
{
	assert(strlen(path) < MC_PATH_TEMPLATE_SIZE);
	for (const char *at = path;; at++) {
		size_t size = strcspn(at, "/");

		assert(size > 0 && size <= COMPONENT_MAX && *at != '.');
		for (size_t i = 0; i < size; i++)
			assert((unsigned char)at[i] >= ' ' && at[i] != '\x7f');
		at += size;
		if (*at == '\0')
			return;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char path[MC_PATH_TEMPLATE_SIZE], why[MC_PATH_TEMPLATE_WHY] = "";
	struct mc_path_facts facts = { .label = label_of };
	char label[] = "a;b"; /* As mc_path_template_is_sound() has it. */
	struct mc_munin_field field;
	struct mc_path_parts parts;
	const char *template;
	struct lines lines;

	lines_open(&lines, data, size);
	template = lines_take(&lines);
	facts.name = lines_take(&lines);
	facts.kind = lines_take(&lines);
	facts.argument = lines_take(&lines);
	mc_path_template_match(template, facts.name, 'g', &parts);
	for (size_t i = 0; i < MC_PATH_PARTS; i++)
		assert(memchr(parts.items[i], '\0', MC_PATH_PART_SIZE) != NULL);
	if (mc_path_template_fill(template, &facts, path, why))
		check_path(path);
	else
		assert(why[0] != '\0' && memchr(why, '\0', sizeof(why)) != NULL);
	if (mc_munin_datafile_field((char *)template, &field))
		assert(*field.group != '\0' && *field.host != '\0' && *field.field != '\0');
	lines_close(&lines);
	lines_open(&lines, data, size);
	template = lines_take(&lines);
	if (mc_path_template_is_sound(template, why)) {
		facts = (struct mc_path_facts){ "h/p-i/t-i", "g", label_of, label };
		assert(mc_path_template_fill(template, &facts, path, why));
		check_path(path);
	}
	lines_close(&lines);
	return 0;
}
