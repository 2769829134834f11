/* SPDX-License-Identifier: MIT */
#include "places.h"

#include <stddef.h>
#include <string.h>

static bool is_disk(const char *word, size_t size, const char *disk)
{
	for (size_t i = 0; i < size; i++)
		if (disk[i] == '\0' || mc_storage_character(disk[i]) != word[i])
			return false;
	return size > 0 && disk[size] == '\0';
}

/* Looks through the words of an entry; the last one is the storage. */
static bool find_in(const char *entry, size_t size, const char *disk, char storage[MC_STORAGE_SIZE])
{
	const char *last = memrchr(entry, ' ', size), *at = entry;
	size_t storage_size;

	if (last == NULL)
		return false;
	storage_size = (size_t)(entry + size - last) - 1;
	if (storage_size == 0 || storage_size >= MC_STORAGE_SIZE)
		return false;
	while (at <= last) {
		const char *end = memchr(at, ' ', (size_t)(last - at) + 1);

		if (is_disk(at, (size_t)(end - at), disk)) {
			memcpy(storage, last + 1, storage_size);
			storage[storage_size] = '\0';
			return true;
		}
		at = end + 1;
	}
	return false;
}

bool places_find(const char *label, const char *disk, char storage[MC_STORAGE_SIZE])
{
	for (;;) {
		size_t size = strcspn(label, ";");

		if (find_in(label, size, disk, storage))
			return true;
		if (label[size] == '\0')
			return false;
		label += size + 1;
	}
}
