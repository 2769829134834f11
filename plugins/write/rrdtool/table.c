/* SPDX-License-Identifier: GPL-2.0-or-later */
#include "table.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "cache.h"

enum { BUCKETS_FIRST = 64 };

static struct cache_file **bucket_of(const struct table *table,
				     const char *name)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	for (; *name != '\0'; name++)
		hash = (hash ^ (unsigned char)*name) * UINT64_C(1099511628211);
	return &table->buckets[(hash ^ hash >> 32) & (table->buckets_len - 1)];
}

struct cache_file *table_find(const struct table *table, const char *name)
{
	struct cache_file *file;

	if (table->buckets_len == 0)
		return NULL;
	file = *bucket_of(table, name);
	while (file != NULL && strcmp(file->name, name) != 0)
		file = file->next_in_bucket;
	return file;
}

static void link_in(struct table *table, struct cache_file *file)
{
	struct cache_file **bucket = bucket_of(table, file->name);

	file->next_in_bucket = *bucket;
	*bucket = file;
}

static void grow(struct table *table)
{
	struct table before = *table;

	table->buckets_len = before.buckets_len == 0 ? BUCKETS_FIRST
						     : 2 * before.buckets_len;
	table->buckets =
		mc_alloc_array(table->buckets_len, sizeof(*table->buckets));
	for (size_t i = 0; i < before.buckets_len; i++) {
		while (before.buckets[i] != NULL) {
			struct cache_file *file = before.buckets[i];

			before.buckets[i] = file->next_in_bucket;
			link_in(table, file);
		}
	}
	free(before.buckets);
}

void table_insert(struct table *table, struct cache_file *file)
{
	if (table->len == table->buckets_len)
		grow(table);
	link_in(table, file);
	table->len++;
}

void table_remove(struct table *table, struct cache_file *file)
{
	struct cache_file **link = bucket_of(table, file->name);

	while (*link != file)
		link = &(*link)->next_in_bucket;
	*link = file->next_in_bucket;
	table->len--;
}

void table_done(struct table *table)
{
	free(table->buckets);
	*table = (struct table){ 0 };
}
