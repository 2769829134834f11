/* SPDX-License-Identifier: MIT */
/* Receipts in records of the journal. */
#include "formats/journal/dedup_id.h"

#include <collector/journal.h>

#include <endian.h>
#include <string.h>

#include <collector/kit/number.h>

#include "formats/protobuf.h"

#define FIELD 1000
#define NUMBER_SIZE sizeof(uint64_t)

size_t dedup_id_write(uint8_t out[DEDUP_ID_SIZE_MAX], const struct mc_dedup_id *receipt)
{
	uint64_t number = htole64(receipt->number);
	size_t size = strnlen(receipt->name, MC_DEDUP_ID_MAX);

	out[0] = (uint8_t)((FIELD << 3 | PROTOBUF_BYTES) | 0x80);
	out[1] = FIELD << 3 >> 7;
	out[2] = (uint8_t)(NUMBER_SIZE + size);
	memcpy(out + 3, &number, NUMBER_SIZE);
	memcpy(out + 3 + NUMBER_SIZE, receipt->name, size);
	return 3 + NUMBER_SIZE + size;
}

static bool take(const struct mc_otlp_span *span, struct mc_dedup_id *receipt)
{
	size_t size = (size_t)(span->end - span->at);

	if (size <= NUMBER_SIZE || size > NUMBER_SIZE + MC_DEDUP_ID_MAX ||
	    memchr(span->at + NUMBER_SIZE, '\0', size - NUMBER_SIZE) != NULL)
		return false;
	memcpy(&receipt->number, span->at, NUMBER_SIZE);
	receipt->number = le64toh(receipt->number);
	memcpy(receipt->name, span->at + NUMBER_SIZE, size - NUMBER_SIZE);
	receipt->name[size - NUMBER_SIZE] = '\0';
	return true;
}

bool dedup_id_read(const void *request, size_t size, struct mc_dedup_id *receipt)
{
	struct mc_otlp_span span = { request, (const unsigned char *)request + size };
	struct protobuf_field field = { 0 };
	bool broken = false, found = false;

	while (!found && protobuf_take(&span, &field, &broken))
		found = field.number == FIELD && field.wire == PROTOBUF_BYTES &&
			take(&field.span, receipt);
	return found;
}

bool dedup_id_number(const char **at, uint64_t *number)
{
	return mc_number_take(at, 10, number) && *number > 0 && *number < UINT64_MAX;
}

bool dedup_id_parse(const char *name, const char *numbers, struct mc_dedup_id *receipt,
		    uint64_t *first)
{
	if (strlen(name) > MC_DEDUP_ID_MAX || name[0] == '/' || strchr(name, '/') == NULL)
		return false;
	memcpy(receipt->name, name, strlen(name) + 1);
	if (!dedup_id_number(&numbers, first))
		return false;
	receipt->number = *first;
	if (*numbers == '-') {
		numbers++;
		if (!dedup_id_number(&numbers, &receipt->number))
			return false;
	}
	return *numbers == '\0' && *first <= receipt->number;
}
