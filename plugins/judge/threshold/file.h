/* SPDX-License-Identifier: MIT */
/* The state file: appended to at once, so that what was told is known after a
 * kill, and written anew by way of another file, in which nothing is twice. */
#ifndef THRESHOLD_FILE_H
#define THRESHOLD_FILE_H

#include <collector/kit/buffer.h>
#include <collector/plugin.h>

struct state_file {
	char *path;
	int fd;          /* -1: it cannot be written now. */
	size_t appended; /* Bytes, since it was written anew. */
	size_t size;     /* Bytes that it then had. */
	bool unsynced;
	bool replacing;           /* Another thread writes it anew; ... */
	struct mc_buffer pending; /* ... what was appended meanwhile. */
};

/* All of the file; 0, and empty if there is none, or -errno. */
int file_read(const char *path, struct mc_buffer *);

/* Appends; -errno: from now on it has to be written anew. */
int file_append(struct state_file *, const struct mc_buffer *);

/* Whether it should be written anew: it cannot be appended to, or has become
 * more than twice as large. */
bool file_is_old(const struct state_file *);

/* Writes 'text' to a file of its own, syncs it, and puts it in place.  A
 * descriptor to append to, or -errno. */
int file_write(const char *path, const struct mc_buffer *text);

/* From now on 'fd' of file_write() is appended to, and what was appended since
 * 'replacing' was set is there, too. */
int file_take(struct state_file *, int fd, size_t size);

void file_close(struct state_file *);

#endif
