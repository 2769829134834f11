/* SPDX-License-Identifier: MIT */
/* A file that is written as gzip, and never becomes larger than it may. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct dump_file;

/* Of a descriptor, which stays the caller's.  NULL: there is no memory for it. */
struct dump_file *dump_file_new(int fd, uint64_t size_max);
void dump_file_free(struct dump_file *);

/* Whether that many bytes more fit, however little they shrink, and DUMP_FILE_LATER after them. */
bool dump_file_has_room(const struct dump_file *, size_t size);
#define DUMP_FILE_LATER ((size_t)128 << 10)

/* False, and so is each one after it, if not all can be written. */
bool dump_file_put(struct dump_file *, const void *bytes, size_t size);

/* Writes what is left, and syncs it.  0, or -errno of the first that failed. */
int dump_file_end(struct dump_file *);
