/* SPDX-License-Identifier: MIT */
/* Any text as the output of a check plugin. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "formats/perfdata/perfdata.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_item(const struct mc_perfdata_item *item)
{
	struct mc_bounds bounds;
	bool inverted;

	assert(isfinite(item->value * item->factor));
	assert(item->label_size > 0);
	assert(item->type != NULL && item->base != NULL);
	assert(!item->whole || item->value >= 0);
	if (mc_perfdata_range(item->warning, &bounds, &inverted))
		assert(!isnan(bounds.min) || !isnan(bounds.max));
}

static void read_data(const char *text)
{
	const char *before, *end = text + strlen(text);
	enum mc_perfdata_found found;
	struct mc_perfdata_item item;
	struct mc_perfdata data;

	mc_perfdata_open(&data, text);
	do {
		before = data.at;
		found = mc_perfdata_next(&data, &item);
		assert(data.at <= end);
		assert(found == MC_PERFDATA_END || data.at > before);
		if (found == MC_PERFDATA_END)
			continue;
		assert(strlen(item.label) < MC_PERFDATA_LABEL_SIZE);
		if (found == MC_PERFDATA_ITEM)
			check_item(&item);
	} while (found != MC_PERFDATA_END);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct mc_check_output output = { 0 };
	char *text = calloc(1, size + 1), *rest = text, *line;

	if (text == NULL)
		abort();
	if (size > 0)
		memcpy(text, data, size);
	while ((line = strsep(&rest, "\n")) != NULL) {
		const char *found = mc_check_output_line(&output, line);

		assert(strlen(output.text) < MC_CHECK_TEXT_SIZE);
		if (found != NULL)
			read_data(found);
	}
	free(text);
	return 0;
}
