/* SPDX-License-Identifier: MIT */
/* Two answers of QEMU to query-blockstats, a line each. */
#include <assert.h>
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "histogram.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_times(const struct histogram *before, const struct histogram *now)
{
	double half = histogram_quantile(before, now, 0.5);
	double most = histogram_quantile(before, now, 0.99);

	assert(isnan(half) == isnan(most));
	assert(isnan(half) || (half >= 0 && half <= most));
	assert(isnan(most) || most <= (double)now->boundaries[now->len - 1]);
}

static void check(const struct histogram_disks *before, const struct histogram_disks *now)
{
	assert(now->len <= HISTOGRAM_DISKS_MAX);
	for (size_t i = 0; i < now->len; i++) {
		const struct histogram_disk *disk = &now->items[i];
		const struct histogram_disk *other = histogram_find(before, disk->device);
		char command[1024], alias[16];

		assert(disk->device[0] != '\0' && strpbrk(disk->device, "\"\\\n") == NULL);
		assert(histogram_command(disk, command, sizeof(command)));
		histogram_alias(disk, alias, sizeof(alias));
		if (other == NULL)
			continue;
		check_times(&other->reads, &disk->reads);
		check_times(&other->writes, &disk->writes);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const uint8_t *end = size > 0 ? memchr(data, '\n', size) : NULL;
	size_t first = end != NULL ? (size_t)(end - data) : size;
	struct histogram_disks before = { 0 }, now = { 0 };

	if (histogram_parse((const char *)data, first, &before) == 0)
		check(&before, &before);
	if (end != NULL && histogram_parse((const char *)end + 1, size - first - 1, &now) == 0)
		check(&before, &now);
	histogram_free(&before);
	histogram_free(&now);
	return 0;
}
