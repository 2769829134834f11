/* SPDX-License-Identifier: MIT */
#include "kit/base/pids.h"

#include <stdbool.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>
#include <collector/scan.h>

static int compare(const void *a, const void *b)
{
	const uint32_t *left = a, *right = b;

	return *left < *right ? -1 : *left > *right;
}

static bool read_pid(const char *name, uint32_t *pid)
{
	uint64_t number;

	if (*name < '1' || *name > '9' || !mc_scan_u64(&name, &number) || *name != '\0' ||
	    number > INT32_MAX)
		return false;
	*pid = (uint32_t)number;
	return true;
}

static void grow(struct mc_pids *pids)
{
	pids->size = pids->size == 0 ? 512 : 2 * pids->size;
	pids->items = mc_alloc_resize(pids->items, pids->size, sizeof(*pids->items));
}

void mc_list_pids(DIR *folder, struct mc_pids *pids)
{
	const struct dirent *entry;
	bool sorted = true;
	uint32_t pid;

	pids->len = 0;
	while ((entry = readdir(folder)) != NULL) {
		if (!read_pid(entry->d_name, &pid))
			continue;
		if (pids->len == pids->size)
			grow(pids);
		if (pids->len > 0 && pid < pids->items[pids->len - 1])
			sorted = false;
		pids->items[pids->len++] = pid;
	}
	if (!sorted) /* The kernel sorts; a folder that a test made may not. */
		qsort(pids->items, pids->len, sizeof(*pids->items), compare);
}

void mc_pids_done(struct mc_pids *pids)
{
	free(pids->items);
	*pids = (struct mc_pids){ 0 };
}
