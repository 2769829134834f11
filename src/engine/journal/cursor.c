/* SPDX-License-Identifier: MIT */
/* How far a writer has come in the journal. */
#include "engine/journal/cursor.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "formats/journal/frame.h"

/* False if no slot of the file is whole. */
static bool read_slots(int file, struct frame_cursor *cursor)
{
	uint8_t slots[2 * FRAME_CURSOR_SIZE] = { 0 };

	return pread(file, slots, sizeof(slots), 0) >= 0 && frame_read_cursor(slots, cursor);
}

bool cursor_read(int folder, const char *name, uint64_t *epoch, struct mc_offset *offset)
{
	struct frame_cursor cursor;
	bool found;
	int file;

	file = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return false;
	found = read_slots(file, &cursor);
	close(file);
	if (!found)
		return false;
	*epoch = cursor.epoch;
	*offset = (struct mc_offset){ cursor.next, cursor.before };
	return true;
}

/* The name of an instance as that of a file: all but letters, digits, '_', '-', and '.' after the
 * first place become '%' and two digits. */
static bool file_name(char *out, size_t size, const char *writer)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	size_t at = 0;

	for (const char *c = writer; *c != '\0'; c++) {
		bool kept = strchr(plain, *c) != NULL && (*c != '.' || c != writer);
		int done;

		if (size - at <= sizeof("%00" FRAME_CURSOR_SUFFIX))
			return false;
		done = snprintf(out + at, size - at, kept ? "%c" : "%%%02x",
				kept ? *c : (unsigned char)*c);
		at += done;
	}
	memcpy(out + at, FRAME_CURSOR_SUFFIX, sizeof(FRAME_CURSOR_SUFFIX));
	return true;
}

struct cursor *cursor_new(int folder, const char *writer, uint64_t epoch)
{
	struct cursor *cursor = alloc_zero(sizeof(*cursor));
	struct frame_cursor found;
	char name[256];

	cursor->writer = alloc_copy(writer);
	cursor->epoch = epoch;
	cursor->file = -1;
	if (file_name(name, sizeof(name), writer))
		cursor->file =
			openat(folder, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (cursor->file < 0)
		cursor->failures = 1;
	else if (read_slots(cursor->file, &found))
		cursor->generation = found.generation;
	return cursor;
}

void cursor_free(struct cursor *cursor)
{
	if (cursor->file >= 0)
		close(cursor->file);
	free(cursor->writer);
	free(cursor);
}

bool cursor_find(const struct cursor *cursor, struct mc_offset *offset)
{
	struct frame_cursor found;

	if (cursor->file < 0 || !read_slots(cursor->file, &found) || found.epoch != cursor->epoch)
		return false;
	*offset = (struct mc_offset){ found.next, found.before };
	return true;
}

void cursor_let_go(struct cursor *cursor)
{
	cursor->next = UINT64_MAX;
}

void cursor_move(struct cursor *cursor, const struct mc_offset *offset)
{
	struct frame_cursor next = { cursor->generation + 1, cursor->epoch, offset->seq,
				     offset->samples };
	uint8_t slot[FRAME_CURSOR_SIZE];
	ssize_t done = -1;

	frame_write_cursor(slot, &next);
	if (cursor->file >= 0)
		done = pwrite(cursor->file, slot, sizeof(slot), next.generation % 2 * sizeof(slot));
	if (done != sizeof(slot)) { /* The other slot is whole. */
		cursor->failures++;
		return;
	}
	cursor->generation++;
	cursor->next = offset->seq;
	cursor->doubtful = false; /* The page is dirty again, all of it. */
}

int cursor_sync(struct cursor *cursor)
{
	if (cursor->file < 0)
		return -EBADF;
	if (cursor->doubtful)
		return -EIO;
	if (fdatasync(cursor->file) == 0)
		return 0;
	cursor->doubtful = true;
	return -errno;
}
