/* SPDX-License-Identifier: MIT */
/* The table of receipts, in memory and in its file:
 *
 *   magic "MCR1" 4, count 4, epoch 8, next record 8, then of each sender
 *   number 8, size of the name 1, name; CRC32C of all that 4; little endian.
 */
#include "engine/receipts.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "wire/crc32c.h"

#define NAME "receipts"
#define NEW_NAME "receipts.tmp"
#define MAGIC 0x3152434du
#define HEAD_SIZE 24
#define ITEM_SIZE_MAX (9 + MC_RECEIPT_MAX)
#define SIZE_MAX_OF_FILE (HEAD_SIZE + RECEIPTS_MAX * ITEM_SIZE_MAX + 4)

struct receipts_item {
	struct mc_receipt last;
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
static size_t find(const struct receipts *receipts, const char *name)
{
	size_t low = 0, high = receipts->len;

	while (low < high) {
		size_t middle = (low + high) / 2;

		if (compare(receipts->items[middle].last.name, name) < 0)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

static void forget_oldest(struct receipts *receipts)
{
	size_t oldest = 0;

	for (size_t i = 1; i < receipts->len; i++)
		if (receipts->items[i].taken < receipts->items[oldest].taken)
			oldest = i;
	receipts->len--;
	memmove(receipts->items + oldest, receipts->items + oldest + 1,
		(receipts->len - oldest) * sizeof(*receipts->items));
}

static void insert(struct receipts *receipts, size_t at)
{
	if (receipts->len == receipts->room) {
		receipts->room = receipts->room * 2 + 16;
		receipts->items = alloc_resize(receipts->items, receipts->room,
					       sizeof(*receipts->items));
	}
	memmove(receipts->items + at + 1, receipts->items + at,
		(receipts->len - at) * sizeof(*receipts->items));
	receipts->len++;
}

void receipts_take(struct receipts *receipts, const struct mc_receipt *receipt)
{
	size_t at;

	pthread_mutex_lock(&receipts->lock);
	at = find(receipts, receipt->name);
	if (at == receipts->len ||
	    compare(receipts->items[at].last.name, receipt->name) != 0) {
		if (receipts->len == RECEIPTS_MAX) {
			forget_oldest(receipts);
			at = find(receipts, receipt->name);
		}
		insert(receipts, at);
	}
	receipts->items[at].last = *receipt;
	receipts->items[at].taken = ++receipts->taken;
	pthread_mutex_unlock(&receipts->lock);
}

void receipts_show(struct receipts *receipts,
		   void (*show)(void *argument, const struct mc_receipt *),
		   void *argument)
{
	pthread_mutex_lock(&receipts->lock);
	for (size_t i = 0; i < receipts->len; i++)
		show(argument, &receipts->items[i].last);
	pthread_mutex_unlock(&receipts->lock);
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

static size_t encode(struct receipts *receipts, uint64_t epoch, uint64_t next,
		     uint8_t *out)
{
	uint8_t *at = put(out, MAGIC, 4);

	at = put(at, receipts->len, 4);
	at = put(at, epoch, 8);
	at = put(at, next, 8);
	for (size_t i = 0; i < receipts->len; i++) {
		const struct mc_receipt *receipt = &receipts->items[i].last;
		size_t size = strlen(receipt->name);

		at = put(at, receipt->number, 8);
		at = put(at, size, 1);
		memcpy(at, receipt->name, size);
		at += size;
	}
	at = put(at, crc32c(0, out, (size_t)(at - out)), 4);
	return (size_t)(at - out);
}

static void decode(struct receipts *receipts, const uint8_t *at, size_t size,
		   uint64_t epoch)
{
	const uint8_t *end = at + size - 4;
	uint64_t len;

	if (size < HEAD_SIZE + 4 || get(at, 4) != MAGIC ||
	    get(end, 4) != crc32c(0, at, size - 4) || get(at + 8, 8) != epoch)
		return;
	receipts->used = true;
	receipts->saved = get(at + 16, 8);
	len = get(at + 4, 4);
	at += HEAD_SIZE;
	for (; len > 0 && end - at > 9; len--) {
		struct mc_receipt receipt = { .number = get(at, 8) };
		size_t name_size = at[8];

		at += 9;
		if (name_size > MC_RECEIPT_MAX ||
		    name_size > (size_t)(end - at))
			return;
		memcpy(receipt.name, at, name_size);
		receipts_take(receipts, &receipt);
		at += name_size;
	}
}

void receipts_open(struct receipts *receipts, int folder, uint64_t epoch)
{
	int file = openat(folder, NAME,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	uint8_t *bytes;

	*receipts = (struct receipts){ 0 };
	pthread_mutex_init(&receipts->lock, NULL);
	if (file < 0)
		return;
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0 &&
	    st.st_size <= SIZE_MAX_OF_FILE) {
		bytes = alloc_zero(st.st_size);
		if (read(file, bytes, st.st_size) == st.st_size)
			decode(receipts, bytes, st.st_size, epoch);
		free(bytes);
	}
	close(file);
}

void receipts_close(struct receipts *receipts)
{
	pthread_mutex_destroy(&receipts->lock);
	free(receipts->items);
}

static int write_new(int folder, const uint8_t *bytes, size_t size, bool sync)
{
	int file = openat(folder, NEW_NAME,
			  O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC,
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

int receipts_save(struct receipts *receipts, int folder, uint64_t epoch,
		  uint64_t next, bool sync)
{
	uint8_t *bytes =
		alloc_zero(HEAD_SIZE + receipts->len * ITEM_SIZE_MAX + 4);
	size_t size = encode(receipts, epoch, next, bytes);
	int rc = write_new(folder, bytes, size, sync);

	free(bytes);
	if (rc < 0)
		return rc;
	receipts->used = true;
	receipts->saved = next;
	return 0;
}
