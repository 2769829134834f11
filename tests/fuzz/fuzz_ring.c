/* SPDX-License-Identifier: MIT */
/* Any bytes as the ring of a recorder that was killed: what is shown lies in them, and samples have
 * the order of their rows. */
#include <assert.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "plugins/write/recorder/ring_view.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct seen {
	uint64_t sum;
	size_t len;
};

static bool see(void *argument, const struct ring_view_series *series)
{
	const struct mc_name_parts *name = &series->name;
	struct seen *seen = argument;

	assert(series->len > 0 && series->sources_len > 0);
	assert(name->host_size + name->plugin_size + name->type_size < 176);
	for (size_t i = 0; i < series->len; i++)
		seen->sum += (uint64_t)series->times[i];
	for (size_t i = 0; i < series->len * series->sources_len; i++)
		seen->sum += series->values[i].counter;
	for (size_t i = 0; i < name->host_size + name->plugin_size; i++)
		seen->sum += (unsigned char)name->name[i];
	return seen->len++ < 100;
}

static bool see_note(void *argument, const void *bytes, size_t size)
{
	struct seen *seen = argument;
	const uint8_t *at = bytes;

	for (size_t i = 0; i < size; i++)
		seen->sum += at[i];
	return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint64_t *aligned = malloc(size + 8);
	struct seen seen = { 0 };
	struct ring_view view;

	if (aligned == NULL)
		abort();
	memcpy(aligned, data, size);
	if (ring_view_open(&view, aligned, size) == 0) {
		ring_view_each(&view, INT64_MIN, &(struct ring_view_visitor){ NULL, see, &seen });
		ring_view_each(&view, 1700000000300000000,
			       &(struct ring_view_visitor){ NULL, see, &seen });
		ring_view_each_note(&view, 0, see_note, &seen);
		seen.sum += (uint64_t)ring_view_newest(&view);
	}
	free(aligned);
	return (int)(seen.sum & 0);
}
