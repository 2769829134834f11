/* SPDX-License-Identifier: MIT */
/* Records of the catalogue; their form is in the header. */
#include "formats/catalogue/catalogue_record.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "formats/crc32c.h"

static const char magic[] = "MCCATAL";
#define MAGIC_SIZE (sizeof(magic) - 1)
#define FORMAT 1
#define SUM_SIZE 4

static void put32(uint8_t *out, uint64_t number)
{
	uint32_t bits = htole32(number > UINT32_MAX ? UINT32_MAX : (uint32_t)number);

	memcpy(out, &bits, sizeof(bits));
}

static uint32_t get32(const uint8_t *data)
{
	uint32_t bits;

	memcpy(&bits, data, sizeof(bits));
	return le32toh(bits);
}

static uint64_t whole(mc_time time, mc_time unit)
{
	return time > 0 ? (uint64_t)(time / unit) : 0;
}

size_t catalogue_record_write(uint8_t *out, const struct catalogue_record *record)
{
	size_t size = CATALOGUE_RECORD_FIXED + record->name_size;

	out[4] = (uint8_t)record->kind;
	out[5] = (uint8_t)record->name_size;
	out[6] = (uint8_t)(record->name_size >> 8);
	put32(out + 7, whole(record->first, MC_SECOND));
	put32(out + 11, whole(record->last, MC_SECOND));
	put32(out + 15, whole(record->interval, MC_MILLISECOND));
	if (record->name_size > 0)
		memcpy(out + CATALOGUE_RECORD_FIXED, record->name, record->name_size);
	put32(out, crc32c(0, out + SUM_SIZE, size - SUM_SIZE));
	return size;
}

/* Whether a record of that kind has a name of that size. */
static bool fits(unsigned kind, size_t name_size)
{
	if (kind == CATALOGUE_ALIVE)
		return name_size == 0;
	return kind >= CATALOGUE_BEGUN && kind <= CATALOGUE_FORGOTTEN && name_size > 0 &&
	       name_size <= CATALOGUE_RECORD_NAME_MAX;
}

int catalogue_record_read(const uint8_t *data, size_t size, struct catalogue_record *record)
{
	size_t name_size, whole_size;

	if (size < CATALOGUE_RECORD_FIXED)
		return 0;
	name_size = (size_t)data[5] | (size_t)data[6] << 8;
	whole_size = CATALOGUE_RECORD_FIXED + name_size;
	if (!fits(data[4], name_size))
		return -EBADMSG;
	if (size < whole_size)
		return 0;
	if (get32(data) != crc32c(0, data + SUM_SIZE, whole_size - SUM_SIZE) ||
	    memchr(data + CATALOGUE_RECORD_FIXED, '\0', name_size) != NULL)
		return -EBADMSG;
	*record = (struct catalogue_record){
		.kind = (enum catalogue_record_kind)data[4],
		.first = get32(data + 7) * MC_SECOND,
		.last = get32(data + 11) * MC_SECOND,
		.interval = get32(data + 15) * MC_MILLISECOND,
		.name = (const char *)data + CATALOGUE_RECORD_FIXED,
		.name_size = name_size,
	};
	return (int)whole_size;
}

void catalogue_record_write_head(uint8_t out[CATALOGUE_RECORD_HEAD])
{
	memset(out, 0, CATALOGUE_RECORD_HEAD);
	memcpy(out, magic, MAGIC_SIZE);
	out[MAGIC_SIZE] = FORMAT;
	put32(out + CATALOGUE_RECORD_HEAD - SUM_SIZE,
	      crc32c(0, out, CATALOGUE_RECORD_HEAD - SUM_SIZE));
}

int catalogue_record_check_head(const uint8_t *data, size_t size)
{
	if (size < CATALOGUE_RECORD_HEAD || memcmp(data, magic, MAGIC_SIZE) != 0 ||
	    get32(data + CATALOGUE_RECORD_HEAD - SUM_SIZE) !=
		    crc32c(0, data, CATALOGUE_RECORD_HEAD - SUM_SIZE))
		return -EBADMSG;
	return data[MAGIC_SIZE] == FORMAT ? 0 : -EPROTO;
}
