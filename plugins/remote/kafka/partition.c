/* SPDX-License-Identifier: MIT */
#include "partition.h"

#include <collector/kit/alloc.h>

#include <errno.h>

void partition_assign(struct partition *partition)
{
	partition->assigned = partition->fresh = true;
	partition->again = partition->reset = false;
	partition->next = partition->safe = PARTITION_UNKNOWN;
	partition->start = partition->told = PARTITION_UNKNOWN;
}

void partition_go_on(struct partition *partition, int64_t offset)
{
	partition->again = partition->reset = false;
	partition->start = PARTITION_UNKNOWN;
	partition->next = partition->safe = offset;
	if (partition->told > offset)
		partition->told = PARTITION_UNKNOWN;
}

bool partition_read(struct partition *partition, int64_t offset)
{
	if (!partition->assigned || partition->again || partition->reset)
		return false;
	if (partition->safe == PARTITION_UNKNOWN)
		partition->safe = partition->told = offset;
	partition->next = offset + 1;
	return true;
}

void partition_pass(struct partition *partition)
{
	if (partition->last != NULL)
		partition->last->end = partition->next;
	else
		partition->safe = partition->next;
}

struct piece *partition_begin(struct partition *partition)
{
	struct piece *piece = mc_alloc_zero(sizeof(*piece));

	piece->partition = partition;
	piece->end = partition->next;
	if (partition->last != NULL)
		partition->last->next = piece;
	else
		partition->first = piece;
	partition->last = piece;
	return piece;
}

void partition_extend(struct partition *partition, size_t size)
{
	partition->last->end = partition->next;
	partition->last->size += size;
}

bool partition_is_stored(const struct piece *piece)
{
	return piece->rc == 0 || piece->rc == -ENOTSUP;
}

struct piece *partition_settle(struct partition *partition)
{
	struct piece *settled = NULL, **end = &settled, *piece;

	while ((piece = partition->first) != NULL && piece->done) {
		partition->first = piece->next;
		if (partition->first == NULL)
			partition->last = NULL;
		partition->again |= !partition_is_stored(piece);
		if (!partition->again)
			partition->safe = piece->end;
		piece->next = NULL;
		*end = piece;
		end = &piece->next;
	}
	return settled;
}
