/* SPDX-License-Identifier: MIT */
/* Any text as lines of a plugin of Munin. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/munin/munin_answers.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_metadata(const struct mc_metadata *metadata)
{
	if (metadata == NULL)
		return;
	assert(metadata->attributes_len <= 2 * MC_ATTRIBUTES_MAX);
	for (size_t i = 0; i < metadata->attributes_len; i++) {
		const struct mc_attribute *attribute = &metadata->attributes[i];

		assert(attribute->name[0] != '\0');
		/* Each name once. */
		assert(mc_metadata_attribute(metadata, attribute->name) == attribute->value);
		assert(strchr(attribute->value, '\n') == NULL);
	}
}

static void look_at(const struct mc_munin *munin)
{
	switch (munin->kind) {
	case MC_MUNIN_MULTIGRAPH:
		assert(strlen(munin->service) > 0);
		assert(strpbrk(munin->service, " /\t") == NULL);
		break;
	case MC_MUNIN_VALUE:
		assert(munin->time >= 0 && !isinf(munin->value));
		assert((munin->digits[0] == '\0') == isnan(munin->value));
		assert(munin->field[0] != '\0');
		break;
	case MC_MUNIN_FIELD:
		assert(munin->field[0] != '\0' && munin->key[0] != '\0');
		assert(strpbrk(munin->field, " ./-") == NULL);
		assert(munin->text != NULL);
		break;
	case MC_MUNIN_GRAPH:
		assert(munin->key[0] != '\0' && munin->text != NULL);
		break;
	case MC_MUNIN_NOTHING:
	case MC_MUNIN_BAD:
		break;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = data + size;
	struct mc_munin_answers answers = { .with_metadata = true };
	struct mc_munin munin;

	mc_munin_answers_begin(&answers, "plugin", size % 2 == 0);
	while (data < end) {
		const uint8_t *newline = memchr(data, '\n', (size_t)(end - data));
		size_t len = (size_t)((newline != NULL ? newline : end) - data);
		char *line = malloc(len + 1); /* Exactly a line. */

		assert(line != NULL);
		memcpy(line, data, len);
		line[len] = '\0';
		mc_munin_answers_line(&answers, line);
		memcpy(line, data, len);
		line[len] = '\0';
		mc_munin_parse(&munin, line);
		look_at(&munin);
		free(line);
		data += len + 1;
	}
	mc_munin_answers_end(&answers);
	for (size_t i = 0; i < answers.values_len; i++) {
		union mc_value value;

		assert(answers.values[i].field->name[0] != '\0');
		mc_munin_value_fill(&answers.values[i], &value);
		look_at_metadata(answers.values[i].field->metadata);
	}
	mc_munin_answers_done(&answers);
	return 0;
}
