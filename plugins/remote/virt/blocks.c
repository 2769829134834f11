/* SPDX-License-Identifier: MIT */
/* blocks: /proc/diskstats, of the kernel's Documentation/admin-guide/
 * iostats.rst.  A sector is 512 bytes, whatever the device; times are ms. */
#include "blocks.h"

#include <stdlib.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include <collector/kit/alloc.h>
#include <collector/scan.h>

#define SECTOR 512
#define NS_OF_MS 1000000

static bool parse_line(const char *at, struct blocks_device *device)
{
	uint64_t numbers[2], n[17];
	struct mc_word name;
	size_t len;

	if (mc_scan_row(&at, numbers, 2) != 2 || !mc_scan_word(&at, &name))
		return false;
	len = mc_scan_row(&at, n, 17);
	if (len < 11)
		return false;
	*device = (struct blocks_device){
		.number = makedev((unsigned)numbers[0], (unsigned)numbers[1]),
		.known = (1U << DISK_FL_REQUESTS) - 1,
		.values = {
			[DISK_RD_REQUESTS] = n[0],
			[DISK_RD_BYTES] = n[2] * SECTOR,
			[DISK_RD_TIMES] = n[3] * NS_OF_MS,
			[DISK_WR_REQUESTS] = n[4],
			[DISK_WR_BYTES] = n[6] * SECTOR,
			[DISK_WR_TIMES] = n[7] * NS_OF_MS,
		},
	};
	if (len < 17) /* Before Linux 5.5. */
		return true;
	device->values[DISK_FL_REQUESTS] = n[15];
	device->values[DISK_FL_TIMES] = n[16] * NS_OF_MS;
	device->known |= 1U << DISK_FL_REQUESTS | 1U << DISK_FL_TIMES;
	return true;
}

static int compare(const void *a, const void *b)
{
	dev_t one = ((const struct blocks_device *)a)->number;
	dev_t other = ((const struct blocks_device *)b)->number;

	return (one > other) - (one < other);
}

void blocks_parse(const char *text, struct blocks *blocks)
{
	const char *at = text;

	blocks->len = 0;
	do {
		struct blocks_device device;

		if (!parse_line(at, &device))
			continue;
		MC_ARRAY_GROW(blocks->items, blocks->len, blocks->size);
		blocks->items[blocks->len++] = device;
	} while (mc_scan_line(&at));
	if (blocks->len > 0)
		qsort(blocks->items, blocks->len, sizeof(*blocks->items), compare);
}

int blocks_read(struct mc_ctx *ctx, struct blocks *blocks)
{
	char *text;
	ssize_t size = mc_read_file(ctx, "/proc/diskstats", &text);

	blocks->len = 0;
	if (size < 0)
		return (int)size;
	blocks_parse(text, blocks);
	return 0;
}

const struct blocks_device *blocks_find(const struct blocks *blocks, dev_t number)
{
	struct blocks_device key = { .number = number };

	if (blocks->len == 0)
		return NULL;
	return bsearch(&key, blocks->items, blocks->len, sizeof(*blocks->items), compare);
}

dev_t blocks_number(const char *path)
{
	struct stat state;

	if (stat(path, &state) < 0 || !S_ISBLK(state.st_mode))
		return 0;
	return state.st_rdev;
}

void blocks_done(struct blocks *blocks)
{
	free(blocks->items);
	*blocks = (struct blocks){ 0 };
}
