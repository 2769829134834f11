/* SPDX-License-Identifier: MIT */
/* How far a writer has come in the journal. */
#include "engine/cursor.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "wire/crc32c.h"

#define SLOT_SIZE 64
#define MAGIC 0x3143434du /* "MCC1" */

struct slot { /* As it lies in the file. */
	uint32_t magic, zero;
	uint64_t generation, epoch, next, before;
	uint8_t zeros[20];
	uint32_t crc;
};
_Static_assert(sizeof(struct slot) == SLOT_SIZE, "no padding");

/* The newer of the whole slots of a file; false if there is none. */
static bool read_slots(int file, uint64_t *generation,
		       struct cursor_place *place)
{
	struct slot slots[2] = { 0 };
	bool found = false;

	if (pread(file, slots, sizeof(slots), 0) < 0)
		return false;
	for (unsigned i = 0; i < 2; i++) {
		const struct slot *slot = &slots[i];

		if (slot->magic != htole32(MAGIC) ||
		    le32toh(slot->crc) != crc32c(0, slot, SLOT_SIZE - 4) ||
		    (found && le64toh(slot->generation) < *generation))
			continue;
		*generation = le64toh(slot->generation);
		*place = (struct cursor_place){ le64toh(slot->epoch),
						le64toh(slot->next),
						le64toh(slot->before) };
		found = true;
	}
	return found;
}

bool cursor_read(int folder, const char *name, struct cursor_place *place)
{
	uint64_t generation;
	bool found;
	int file;

	file = openat(folder, name,
		      O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	if (file < 0)
		return false;
	found = read_slots(file, &generation, place);
	close(file);
	return found;
}

/* The name of an instance as that of a file: what is not a letter, digit, '_',
 * '-' or '.' behind the first place is '%' and two digits. */
static bool file_name(char *out, size_t size, const char *writer)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyz"
				    "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-.";
	size_t at = 0;

	for (const char *c = writer; *c != '\0'; c++) {
		bool kept =
			strchr(plain, *c) != NULL && (*c != '.' || c != writer);
		int done;

		if (size - at <= sizeof("%00" CURSOR_SUFFIX))
			return false;
		done = snprintf(out + at, size - at, kept ? "%c" : "%%%02x",
				kept ? *c : (unsigned char)*c);
		at += done;
	}
	memcpy(out + at, CURSOR_SUFFIX, sizeof(CURSOR_SUFFIX));
	return true;
}

bool cursor_open(struct cursor *cursor, int folder, const char *writer,
		 struct cursor_place *place)
{
	bool found = false;
	char name[256];

	*cursor = (struct cursor){ .file = -1 };
	if (file_name(name, sizeof(name), writer))
		cursor->file =
			openat(folder, name,
			       O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (cursor->file >= 0)
		found = read_slots(cursor->file, &cursor->generation, place);
	else
		cursor->failures = 1;
	return found;
}

void cursor_close(struct cursor *cursor)
{
	if (cursor->file >= 0)
		close(cursor->file);
	cursor->file = -1;
}

void cursor_move(struct cursor *cursor, const struct cursor_place *place)
{
	struct slot slot = { .magic = htole32(MAGIC),
			     .generation = htole64(cursor->generation + 1),
			     .epoch = htole64(place->epoch),
			     .next = htole64(place->next),
			     .before = htole64(place->before) };
	ssize_t done = -1;

	slot.crc = htole32(crc32c(0, &slot, SLOT_SIZE - 4));
	if (cursor->file >= 0)
		done = pwrite(cursor->file, &slot, sizeof(slot),
			      (cursor->generation + 1) % 2 * SLOT_SIZE);
	if (done != sizeof(slot)) { /* The other slot is whole. */
		cursor->failures++;
		return;
	}
	cursor->generation++;
	cursor->next = place->next;
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
