/* SPDX-License-Identifier: MIT */
/* Any bytes as a record of the journal: a dedup id that is found in them is one
 * that could have been written. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/dedup_id.h"

#include <collector/journal.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t written[DEDUP_ID_SIZE_MAX];
	struct mc_dedup_id receipt, again;
	size_t length;

	if (!dedup_id_read(data, size, &receipt))
		return 0;
	assert(receipt.name[0] != '\0');
	assert(strlen(receipt.name) <= MC_DEDUP_ID_MAX);
	length = dedup_id_write(written, &receipt);
	assert(dedup_id_read(written, length, &again));
	assert(again.number == receipt.number);
	assert(strcmp(again.name, receipt.name) == 0);
	return 0;
}
