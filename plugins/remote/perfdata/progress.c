/* SPDX-License-Identifier: MIT */
#include "progress.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/hash.h>
#include <collector/kit/number.h>

#define OFFSET_BITS 32

static void write_name(const struct progress *progress, unsigned id,
		       char out[static MC_DEDUP_ID_MAX + 1])
{
	snprintf(out, MC_DEDUP_ID_MAX + 1, "%.40s-%u/1", progress->name, id);
}

void progress_init(struct progress *progress, const char *instance, const char *path)
{
	uint64_t sum = mc_hash_text(mc_hash_start(), instance);

	*progress = (struct progress){ 0 };
	sum = mc_hash_text(sum, path);
	snprintf(progress->name, sizeof(progress->name), "perfdata-%016" PRIx64, sum);
}

void progress_know(struct progress *progress, const struct mc_dedup_id *id)
{
	size_t size = strlen(progress->name);
	char name[MC_DEDUP_ID_MAX + 1];
	const char *at = id->name + size + 1;
	uint64_t number;

	if (strncmp(id->name, progress->name, size) != 0 || id->name[size] != '-' ||
	    !mc_number_take(&at, 10, &number) || number >= PROGRESS_IDS)
		return;
	write_name(progress, (unsigned)number, name);
	if (strcmp(name, id->name) == 0)
		progress->known[number] = id->number;
}

uint64_t progress_last(const struct progress *progress)
{
	uint64_t last = 0;

	for (unsigned i = 0; i < PROGRESS_IDS; i++)
		if (progress->known[i] > last)
			last = progress->known[i];
	return last >> OFFSET_BITS;
}

bool progress_finished(const struct progress *progress, uint64_t number, uint64_t *offset)
{
	uint64_t known = progress->known[number % PROGRESS_IDS];
	uint64_t last = known >> OFFSET_BITS;

	if (number < last)
		return true;
	*offset = number == last ? known & PROGRESS_OFFSET_MAX : 0;
	return false;
}

void progress_id(const struct progress *progress, uint64_t number, uint64_t offset,
		 struct mc_dedup_id *id)
{
	write_name(progress, (unsigned)(number % PROGRESS_IDS), id->name);
	id->number = number << OFFSET_BITS | offset;
}
