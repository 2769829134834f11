/* SPDX-License-Identifier: MIT */
/* Any bytes as a record of the journal: a dedup id that is found in them is one
 * that could have been written, and so are recipients. */
#include <assert.h>
#include <stdint.h>
#include <string.h>

#include "formats/journal/dedup_id.h"
#include "formats/journal/recipients.h"

#include <collector/journal.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_recipients(const uint8_t *data, size_t size)
{
	uint8_t written[RECIPIENTS_HEAD_SIZE + RECIPIENTS_MAX];
	size_t names_size = 0, again_size = 0;
	const char *names = recipients_read(data, size, &names_size);

	if (names == NULL)
		return;
	assert((const uint8_t *)names >= data &&
	       (const uint8_t *)names + names_size <= data + size);
	if (names_size > RECIPIENTS_MAX)
		return;
	recipients_write(written, names_size);
	memcpy(written + RECIPIENTS_HEAD_SIZE, names, names_size);
	names = recipients_read(written, RECIPIENTS_HEAD_SIZE + names_size, &again_size);
	assert(names == (const char *)written + RECIPIENTS_HEAD_SIZE);
	assert(again_size == names_size);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	uint8_t written[DEDUP_ID_SIZE_MAX];
	struct mc_dedup_id receipt, again;
	size_t length;

	read_recipients(data, size);
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
