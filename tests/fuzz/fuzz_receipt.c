/* SPDX-License-Identifier: MIT */
/* Any bytes as a record of the journal: a receipt that is found in them is one
 * that could have been written. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "wire/receipt.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t written[RECEIPT_SIZE_MAX];
	struct mc_receipt receipt, again;
	size_t length;

	if (!receipt_read(data, size, &receipt))
		return 0;
	assert(receipt.name[0] != '\0');
	assert(strlen(receipt.name) <= MC_RECEIPT_MAX);
	length = receipt_write(written, &receipt);
	assert(receipt_read(written, length, &again));
	assert(again.number == receipt.number);
	assert(strcmp(again.name, receipt.name) == 0);
	return 0;
}
