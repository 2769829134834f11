/* SPDX-License-Identifier: MIT */
/* Any bytes as records of the catalogue, and as what stands in them.  What is taken for a record, a
 * family or labels must be written back as the same bytes. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "formats/catalogue/catalogue_part.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_part(const uint8_t *data, size_t size)
{
	struct mc_metric_label items[MC_METRIC_LABELS_MAX];
	struct mc_metric_labels labels = { .items = items };
	struct mc_metric metric;
	uint8_t again[UINT16_MAX];
	uint32_t scope;

	if (catalogue_part_read_labels(data, size, items, &labels.len)) {
		assert(catalogue_part_write_labels(again, &labels) == size);
		assert(memcmp(again, data, size) == 0);
	}
	if (catalogue_part_read_family(data, size, &metric, &scope)) {
		assert(catalogue_part_write_family(again, &metric, scope) == size);
		assert(memcmp(again, data, size) == 0);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t again[CATALOGUE_RECORD_PART_MAX];
	struct catalogue_record record;

	if (size > 0 && size <= UINT16_MAX)
		read_part(data, size);
	if (catalogue_record_check_head(data, size) > 0)
		assert(size >= CATALOGUE_RECORD_HEAD);
	for (size_t at = 0; at < size;) {
		int taken = catalogue_record_read(data + at, size - at, &record);

		if (taken <= 0) {
			at++;
			continue;
		}
		assert((size_t)taken <= size - at && taken <= (int)sizeof(again));
		assert(catalogue_record_write(again, &record) == (size_t)taken);
		assert(memcmp(again, data + at, (size_t)taken) == 0);
		if (record.body_size > 0)
			read_part(record.body, record.body_size);
		at += (size_t)taken;
	}
	return 0;
}
