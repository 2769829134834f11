/* SPDX-License-Identifier: MIT */
/* Any bytes as records of the catalogue.  What is taken for a record must be written back as the
 * same bytes. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "formats/catalogue/catalogue_record.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t again[CATALOGUE_RECORD_MAX];
	struct catalogue_record record;

	if (catalogue_record_check_head(data, size) == 0)
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
		at += (size_t)taken;
	}
	return 0;
}
