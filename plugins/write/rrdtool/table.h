/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Files by name.  The caller locks; entries are the caller's. */
#ifndef RRDTOOL_TABLE_H
#define RRDTOOL_TABLE_H

#include <stddef.h>

struct cache_file;

struct table { /* All zero: empty. */
	struct cache_file **buckets;
	size_t buckets_len; /* A power of two, or 0. */
	size_t len;
};

/* The file of that name, or NULL. */
struct cache_file *table_find(const struct table *, const char *name);

/* 'file' is not in it yet, and no other file has its name. */
void table_insert(struct table *, struct cache_file *file);

/* 'file' is in it. */
void table_remove(struct table *, struct cache_file *file);

/* Frees the table, not what is in it. */
void table_done(struct table *);

#endif
