/* SPDX-License-Identifier: MIT */
/* Any bytes as a datagram of statsd. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/statsd/line.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at(const struct line *line, const char *text, size_t size)
{
	assert(line->name_size > 0 && line->name == text);
	assert((memchr(line->name, '/', line->name_size) != NULL) == line->has_slash);
	assert(memchr(line->name, '\0', line->name_size) == NULL);
	assert(line->weight >= 1 && line->weight <= LINE_NUMBER_MAX);
	assert(line->type == LINE_SET || fabs(line->value) <= LINE_NUMBER_MAX);
	assert(line->type != LINE_TIMER || line->value >= 0);
	assert(line->type != LINE_SET ||
	       (line->member > text && line->member + line->member_size <= text + size));
	assert(line->tags_size == 0 || line->tags + line->tags_size <= text + size);
}

static void write_name(const struct line *line)
{
	char *out = malloc(line->name_size);

	assert(out != NULL);
	assert(line_write_name(line, out) == out + line->name_size);
	assert(memchr(out, '/', line->name_size) == NULL);
	free(out);
}

static void sort_tags(const struct line *line)
{
	char *out = malloc(line->tags_size + 1);
	size_t size;

	assert(out != NULL);
	size = line_sort_tags(line->tags, line->tags_size, out);
	assert(size <= line->tags_size);
	assert(memchr(out, '/', size) == NULL);
	free(out);
}

/* If the name that was skimmed is a good one, both ways read the same line. */
static void skim(const char *text, const char *end)
{
	struct line skimmed = { 0 }, line;
	const char *next = line_skim(text, end, &skimmed), *at = text, *line_text;
	size_t line_size;

	if (next == NULL || line_check(&skimmed) != LINE_GOOD)
		return;
	assert(memchr(skimmed.name, ':', skimmed.name_size) == NULL);
	if (memchr(skimmed.name, '|', skimmed.name_size) != NULL)
		return;
	assert(line_cut(&at, end, &line_text, &line_size) && line_text == text && at == next);
	if (line_parse(line_text, line_size, &line) == LINE_UNSUPPORTED)
		return;
	assert(line.name == skimmed.name && line.name_size == skimmed.name_size);
	assert(line.type == skimmed.type && !line.relative && line.tags_size == 0);
	assert(line.value == skimmed.value && line.weight == skimmed.weight);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *text = malloc(size > 0 ? size : 1);
	const char *at = text, *line_text;
	struct line line;
	size_t line_size;

	assert(text != NULL);
	if (size > 0)
		memcpy(text, data, size);
	skim(text, text + size);
	while (line_cut(&at, text + size, &line_text, &line_size)) {
		assert(line_size > 0 && line_text + line_size <= text + size);
		skim(line_text, text + size);
		if (line_parse(line_text, line_size, &line) != LINE_GOOD)
			continue;
		look_at(&line, line_text, line_size);
		write_name(&line);
		if (line.tags_size > 0)
			sort_tags(&line);
	}
	free(text);
	return 0;
}
