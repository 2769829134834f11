/* SPDX-License-Identifier: MIT */
/* Any text as the JSON of collectd's value lists: what is taken is complete, and within its
 * limits. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "formats/collectd/value_list_read.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void look_at_values(const struct mc_value_list_in *list)
{
	union mc_value value;

	for (unsigned i = 0; i < list->values_len; i++) {
		assert(mc_value_list_read_value(list, i, MC_GAUGE, &value));
		assert(isnan(value.gauge) == !list->values[i].known);
		if (mc_value_list_read_value(list, i, MC_DERIVE, &value))
			assert((value.derive < 0) <= list->values[i].negative);
		if (mc_value_list_read_value(list, i, MC_COUNTER, &value))
			assert(!list->values[i].negative);
	}
}

static bool take(void *argument, const struct mc_value_list_in *list)
{
	unsigned *lists = argument;

	assert(list->values_len <= MC_SOURCES_MAX);
	assert(list->time >= 0 && list->interval >= 0);
	look_at_values(list);
	if (list->why == NULL) {
		assert(list->values_len > 0);
		assert(list->id.host[0] != '\0' && list->id.plugin[0] != '\0');
		assert(list->id.type[0] != '\0' && strlen(list->id.type_instance) < 256);
	}
	return ++*lists < 1000;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	unsigned lists = 0;

	mc_value_list_read(data, size, take, &lists);
	assert(lists <= 1000);
	return 0;
}
