/* SPDX-License-Identifier: MIT */
/* The table of dedup ids, in memory and in its file:
 *
 *   magic "MCR1" 4, count 4, epoch 8, next record 8, then of each sender
 *   number 8, size of the name 1, name; CRC32C of all that 4; little endian.
 */
#include "engine/journal/dedup.h"

#include <collector/journal.h>

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "formats/crc32c.h"

#define NAME "receipts"
#define NEW_NAME "receipts.tmp"
#define MAGIC 0x3152434du
#define HEAD_SIZE 24
#define ITEM_SIZE_MAX (9 + MC_DEDUP_ID_MAX)
#define SIZE_MAX_OF_FILE (HEAD_SIZE + DEDUP_MAX * ITEM_SIZE_MAX + 4)

struct dedup_item {
	struct mc_dedup_id last;
	uint64_t taken; /* When, as the table counts. */
};

/* --- In memory -------------------------------------------------------- */

static size_t sender_size(const char *name)
{
	return strcspn(name, "/");
}

static int compare(const char *a, const char *b)
{
	size_t a_size = sender_size(a), b_size = sender_size(b);
	int order = memcmp(a, b, a_size < b_size ? a_size : b_size);

	if (order != 0)
		return order;
	return (a_size > b_size) - (a_size < b_size);
}

/* The place of a sender, or the one where it belongs. */
static size_t find(const struct dedup *dedup, const char *name)
{
	size_t low = 0, high = dedup->len;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare(dedup->items[middle].last.name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void forget_oldest(struct dedup *dedup)
{
	size_t oldest = 0;

	for (size_t i = 1; i < dedup->len; i++)
		if (dedup->items[i].taken < dedup->items[oldest].taken)
			oldest = i;
	dedup->len--;
	memmove(dedup->items + oldest, dedup->items + oldest + 1,
		(dedup->len - oldest) * sizeof(*dedup->items));
}

static void insert(struct dedup *dedup, size_t at)
{
	if (dedup->len == dedup->room) {
		dedup->room = dedup->room * 2 + 16;
		dedup->items = alloc_resize(dedup->items, dedup->room, sizeof(*dedup->items));
	}
	memmove(dedup->items + at + 1, dedup->items + at,
		(dedup->len - at) * sizeof(*dedup->items));
	dedup->len++;
}

void dedup_take(struct dedup *dedup, const struct mc_dedup_id *receipt)
{
	size_t at;

	pthread_mutex_lock(&dedup->lock);
	at = find(dedup, receipt->name);
	if (at == dedup->len || compare(dedup->items[at].last.name, receipt->name) != 0) {
		if (dedup->len == DEDUP_MAX) {
			forget_oldest(dedup);
			at = find(dedup, receipt->name);
		}
		insert(dedup, at);
	}
	dedup->items[at].last = *receipt;
	dedup->items[at].taken = ++dedup->taken;
	pthread_mutex_unlock(&dedup->lock);
}

void dedup_show(struct dedup *dedup, void (*show)(void *argument, const struct mc_dedup_id *),
		void *argument)
{
	pthread_mutex_lock(&dedup->lock);
	for (size_t i = 0; i < dedup->len; i++)
		show(argument, &dedup->items[i].last);
	pthread_mutex_unlock(&dedup->lock);
}

/* --- On disk ---------------------------------------------------------- */

static uint8_t *put(uint8_t *at, uint64_t number, unsigned size)
{
	number = htole64(number);
	memcpy(at, &number, size);
	return at + size;
}

static uint64_t get(const uint8_t *at, unsigned size)
{
	uint64_t number = 0;

	memcpy(&number, at, size);
	return le64toh(number);
}

static size_t encode(struct dedup *dedup, uint64_t epoch, uint64_t next, uint8_t *out)
{
	uint8_t *at = put(out, MAGIC, 4);

	at = put(at, dedup->len, 4);
	at = put(at, epoch, 8);
	at = put(at, next, 8);
	for (size_t i = 0; i < dedup->len; i++) {
		const struct mc_dedup_id *receipt = &dedup->items[i].last;
		size_t size = strlen(receipt->name);

		at = put(at, receipt->number, 8);
		at = put(at, size, 1);
		memcpy(at, receipt->name, size);
		at += size;
	}
	at = put(at, crc32c(0, out, (size_t)(at - out)), 4);
	return (size_t)(at - out);
}

static void decode(struct dedup *dedup, const uint8_t *at, size_t size, uint64_t epoch)
{
	const uint8_t *end = at + size - 4;
	uint64_t len;

	if (size < HEAD_SIZE + 4 || get(at, 4) != MAGIC || get(end, 4) != crc32c(0, at, size - 4) ||
	    get(at + 8, 8) != epoch)
		return;
	dedup->used = true;
	dedup->saved = get(at + 16, 8);
	len = get(at + 4, 4);
	at += HEAD_SIZE;
	for (; len > 0 && end - at > 9; len--) {
		struct mc_dedup_id receipt = { .number = get(at, 8) };
		size_t name_size = at[8];

		at += 9;
		if (name_size > MC_DEDUP_ID_MAX || name_size > (size_t)(end - at))
			return;
		memcpy(receipt.name, at, name_size);
		dedup_take(dedup, &receipt);
		at += name_size;
	}
}

void dedup_open(struct dedup *dedup, int folder, uint64_t epoch)
{
	int file = openat(folder, NAME, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;

	*dedup = (struct dedup){ 0 };
	pthread_mutex_init(&dedup->lock, NULL);
	if (file < 0)
		return;
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size <= SIZE_MAX_OF_FILE) {
		bytes = alloc_zero(st.st_size);
		if (read(file, bytes, st.st_size) == st.st_size)
			decode(dedup, bytes, st.st_size, epoch);
		free(bytes);
	}
	close(file);
}

void dedup_close(struct dedup *dedup)
{
	pthread_mutex_destroy(&dedup->lock);
	free(dedup->items);
}

static int write_new(int folder, const uint8_t *bytes, size_t size, bool sync)
{
	int file = openat(folder, NEW_NAME, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
			  0600);
	int rc = 0;

	if (file < 0)
		return -errno;
	if (write(file, bytes, size) != (ssize_t)size)
		rc = errno != 0 ? -errno : -ENOSPC;
	if (rc == 0 && sync && fdatasync(file) < 0)
		rc = -errno;
	close(file);
	if (rc == 0 && renameat(folder, NEW_NAME, folder, NAME) < 0)
		rc = -errno;
	if (rc < 0)
		unlinkat(folder, NEW_NAME, 0);
	return rc;
}

int dedup_save(struct dedup *dedup, int folder, uint64_t epoch, uint64_t next, bool sync)
{
	uint8_t *bytes = alloc_zero(HEAD_SIZE + dedup->len * ITEM_SIZE_MAX + 4);
	size_t size = encode(dedup, epoch, next, bytes);
	int rc = write_new(folder, bytes, size, sync);

	free(bytes);
	if (rc < 0)
		return rc;
	dedup->used = true;
	dedup->saved = next;
	return 0;
}
