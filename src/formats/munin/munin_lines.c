/* SPDX-License-Identifier: MIT */
#include "formats/munin/munin_lines.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/metadata.h>

const char *munin_lines_find(const struct munin_line *line, const char *key)
{
	while (line != NULL && strcmp(line->key, key) != 0)
		line = line->next;
	return line != NULL ? line->text : NULL;
}

void munin_lines_set(struct munin_line **lines, const char *key, const char *text)
{
	size_t key_size = strnlen(key, MC_METADATA_LABEL_SIZE);
	size_t size = strnlen(text, MC_METADATA_TEXT_SIZE), len = 0;
	struct munin_line *line, *next = NULL;

	while (*lines != NULL && strcmp((*lines)->key, key) != 0) {
		lines = &(*lines)->next;
		len++;
	}
	if (len == MC_ATTRIBUTES_MAX)
		return;
	if (*lines != NULL) {
		next = (*lines)->next;
		free(*lines);
	}
	/* Both end with the '\0' that is there. */
	line = mc_alloc_zero(sizeof(*line) + key_size + 1 + size + 1);
	memcpy(line->key, key, key_size);
	line->text = memcpy(line->key + key_size + 1, text, size);
	line->next = next;
	*lines = line;
}

void munin_lines_free(struct munin_line **lines)
{
	while (*lines != NULL) {
		struct munin_line *line = *lines;

		*lines = line->next;
		free(line);
	}
}
