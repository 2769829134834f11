/* SPDX-License-Identifier: MIT */
/* collector/kit/state_file.h - a file of what must be known after a kill: it is appended to at
 * once, and written anew by way of another file, in which nothing is twice; in libkit.
 *
 * No function logs; one thread at a time, but for mc_state_file_write(). */
#pragma once

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

struct mc_state_file {
	char *path;      /* The caller's; mc_state_file_close() frees it. */
	int fd;          /* -1: it cannot be written now. */
	size_t appended; /* Bytes, since it was written anew. */
	size_t size;     /* Bytes that it then had. */
	bool unsynced;
	bool replacing;           /* Another thread writes it anew; ... */
	struct mc_buffer pending; /* ... what was appended meanwhile. */
};

/* All of the file; 0, and empty if it does not exist, or -errno. */
int mc_state_file_read(const char *path, struct mc_buffer *);

/* Appends; -errno: from now on it has to be written anew. */
int mc_state_file_append(struct mc_state_file *, const struct mc_buffer *);

/* Whether it should be written anew: it cannot be appended to, or has become
 * more than twice as large. */
bool mc_state_file_is_old(const struct mc_state_file *);

/* Writes 'text' to a file of its own, syncs it, and puts it in place.  A descriptor to append to,
 * or -errno.  May wait for a disk.  Thread: any. */
int mc_state_file_write(const char *path, const struct mc_buffer *text);

/* The same without the sync, for who may not wait, and without a descriptor:
 * after a power cut the file may be empty.  0, or -errno. */
int mc_state_file_replace(const char *path, const struct mc_buffer *text);

/* From now on 'fd' of mc_state_file_write() is appended to, and what was appended since 'replacing'
 * was set is there, too.  0, or -errno, also of mc_state_file_write(), after which the file stays
 * as it was. */
int mc_state_file_take(struct mc_state_file *, int fd, size_t size);

void mc_state_file_close(struct mc_state_file *);
