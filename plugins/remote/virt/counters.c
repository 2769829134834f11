/* SPDX-License-Identifier: MIT */
#include "counters.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

static size_t text_size(const char *text)
{
	return text != NULL ? strlen(text) + 1 : 0;
}

static bool is_same_text(const char *a, const char *b)
{
	return a == b || (a != NULL && b != NULL && strcmp(a, b) == 0);
}

static bool is_same_disk(const struct decode_device *a, const struct decode_device *b)
{
	if (a->index != b->index || a->known != b->known || !is_same_text(a->name, b->name) ||
	    !is_same_text(a->path, b->path))
		return false;
	for (unsigned i = 0; i < DISK_FIELDS; i++)
		if (decode_knows(a->known, i) && a->values[i] != b->values[i])
			return false;
	return true;
}

static bool is_same(const struct counters *counters, const struct decode_devices *disks)
{
	if (counters->len != disks->len)
		return false;
	for (size_t i = 0; i < disks->len; i++)
		if (!is_same_disk(&counters->items[i], &disks->items[i]))
			return false;
	return true;
}

/* A copy at "*end", which moves to its end. */
static const char *copy_text(const char *text, char **end)
{
	char *copy = *end;

	if (text == NULL)
		return NULL;
	*end += text_size(text);
	return memcpy(copy, text, text_size(text));
}

bool counters_keep(struct counters *counters, const struct decode_devices *disks)
{
	size_t size = disks->len * sizeof(*disks->items);
	char *end;

	if (is_same(counters, disks))
		return false;
	for (size_t i = 0; i < disks->len; i++)
		size += text_size(disks->items[i].name) + text_size(disks->items[i].path);
	if (size != counters->size) {
		free(counters->items);
		counters->items = mc_alloc(size + 1);
		counters->size = size;
	}
	counters->len = disks->len;
	end = (char *)(counters->items + disks->len);
	for (size_t i = 0; i < disks->len; i++) {
		counters->items[i] = disks->items[i];
		counters->items[i].name = copy_text(disks->items[i].name, &end);
		counters->items[i].path = copy_text(disks->items[i].path, &end);
	}
	return true;
}

void counters_show(const struct counters *counters, struct decode_devices *disks)
{
	if (disks->size < counters->len) {
		disks->items = mc_alloc_resize(disks->items, counters->len, sizeof(*disks->items));
		disks->size = counters->len;
	}
	disks->len = counters->len;
	if (counters->len > 0)
		memcpy(disks->items, counters->items, counters->len * sizeof(*disks->items));
}

void counters_free(struct counters *counters)
{
	free(counters->items);
	*counters = (struct counters){ 0 };
}
