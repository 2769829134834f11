/* SPDX-License-Identifier: MIT */
/* Records of the catalogue; their form is in the header. */
#include "formats/catalogue/catalogue_record.h"

#include <endian.h>
#include <errno.h>
#include <string.h>

#include "formats/crc32c.h"

static const char magic[] = "MCCATAL";
#define MAGIC_SIZE (sizeof(magic) - 1)
#define SUM_SIZE 4

#define HAS_METRIC 128u /* A bit of the kind. */
#define METRIC_FIXED 13 /* Bytes without bound and start. */

/* Of the byte 'part'. */
#define PART 15u
#define IS_INTEGER 16u
#define HAS_BOUND 32u
#define HAS_START 64u
#define FLAGS (IS_INTEGER | HAS_BOUND | HAS_START)

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

static void put64(uint8_t *out, uint64_t number)
{
	uint64_t bits = htole64(number);

	memcpy(out, &bits, sizeof(bits));
}

static uint64_t get64(const uint8_t *data)
{
	uint64_t bits;

	memcpy(&bits, data, sizeof(bits));
	return le64toh(bits);
}

static void put_size(uint8_t *out, size_t size)
{
	out[0] = (uint8_t)size;
	out[1] = (uint8_t)(size >> 8);
}

/* --- Metrics --------------------------------------------------------------- */

static size_t metric_size(uint8_t part)
{
	return METRIC_FIXED + ((part & HAS_BOUND) != 0 ? 8 : 0) + ((part & HAS_START) != 0 ? 8 : 0);
}

static size_t write_metric(uint8_t *out, const struct catalogue_metric *metric)
{
	uint8_t part = (uint8_t)metric->part;
	size_t size = METRIC_FIXED;
	uint64_t bits;

	memcpy(&bits, &metric->bound, sizeof(bits));
	part |= metric->integer ? IS_INTEGER : 0;
	part |= bits != 0 ? HAS_BOUND : 0;
	part |= metric->start != 0 ? HAS_START : 0;
	put32(out, metric->family);
	put32(out + 4, metric->labels);
	put32(out + 8, metric->resource);
	out[12] = part;
	if (bits != 0) {
		put64(out + size, bits);
		size += 8;
	}
	if (metric->start != 0) {
		put64(out + size, (uint64_t)metric->start);
		size += 8;
	}
	return size;
}

/* False if none is written like that. */
static bool read_metric(const uint8_t *data, struct catalogue_metric *metric)
{
	uint8_t part = data[12];
	uint64_t bits = 0;

	*metric = (struct catalogue_metric){
		.family = get32(data),
		.labels = get32(data + 4),
		.resource = get32(data + 8),
		.part = (enum mc_metric_part)(part & PART),
		.integer = (part & IS_INTEGER) != 0,
	};
	data += METRIC_FIXED;
	if ((part & HAS_BOUND) != 0) {
		bits = get64(data);
		data += 8;
		if (bits == 0)
			return false;
	}
	memcpy(&metric->bound, &bits, sizeof(bits));
	if ((part & HAS_START) != 0)
		metric->start = (mc_time)get64(data);
	return metric->part <= MC_METRIC_QUANTILE && (part & ~(PART | FLAGS)) == 0 &&
	       ((part & HAS_START) != 0) == (metric->start != 0);
}

/* --- Records --------------------------------------------------------------- */

static bool is_part(unsigned kind)
{
	return kind == CATALOGUE_FAMILY || kind == CATALOGUE_LABELS;
}

static size_t write_part(uint8_t *out, const struct catalogue_record *record)
{
	put_size(out + 5, record->body_size);
	put32(out + 7, record->number);
	if (record->body_size > 0)
		memcpy(out + CATALOGUE_RECORD_PART, record->body, record->body_size);
	return CATALOGUE_RECORD_PART + record->body_size;
}

static size_t write_series(uint8_t *out, const struct catalogue_record *record)
{
	size_t size = CATALOGUE_RECORD_FIXED + record->name_size;

	put_size(out + 5, record->name_size);
	put32(out + 7, whole(record->first, MC_SECOND));
	put32(out + 11, whole(record->last, MC_SECOND));
	put32(out + 15, whole(record->interval, MC_MILLISECOND));
	if (record->name_size > 0)
		memcpy(out + CATALOGUE_RECORD_FIXED, record->name, record->name_size);
	if (record->has_metric)
		size += write_metric(out + size, &record->metric);
	return size;
}

size_t catalogue_record_write(uint8_t *out, const struct catalogue_record *record)
{
	size_t size;

	out[4] = (uint8_t)(record->kind | (record->has_metric ? HAS_METRIC : 0));
	size = is_part(record->kind) ? write_part(out, record) : write_series(out, record);
	put32(out, crc32c(0, out + SUM_SIZE, size - SUM_SIZE));
	return size;
}

/* Whether a record of that kind has a name of that size. */
static bool fits(unsigned kind, size_t name_size)
{
	if (kind == CATALOGUE_ALIVE)
		return name_size == 0;
	kind &= ~HAS_METRIC;
	return kind >= CATALOGUE_BEGUN && kind <= CATALOGUE_FORGOTTEN && name_size > 0 &&
	       name_size <= CATALOGUE_RECORD_NAME_MAX;
}

static bool is_sound(const uint8_t *data, size_t size)
{
	return get32(data) == crc32c(0, data + SUM_SIZE, size - SUM_SIZE);
}

static int read_part(const uint8_t *data, size_t size, struct catalogue_record *record)
{
	size_t body_size = (size_t)data[5] | (size_t)data[6] << 8;
	size_t whole_size = CATALOGUE_RECORD_PART + body_size;

	if (size < whole_size)
		return 0;
	if (!is_sound(data, whole_size))
		return -EBADMSG;
	*record = (struct catalogue_record){
		.kind = (enum catalogue_record_kind)data[4],
		.number = get32(data + 7),
		.body = data + CATALOGUE_RECORD_PART,
		.body_size = body_size,
	};
	return (int)whole_size;
}

static int read_series(const uint8_t *data, size_t size, struct catalogue_record *record)
{
	bool has_metric = (data[4] & HAS_METRIC) != 0;
	size_t name_size = (size_t)data[5] | (size_t)data[6] << 8;
	size_t at = CATALOGUE_RECORD_FIXED + name_size, whole_size = at;
	struct catalogue_metric metric = { .family = 0 };

	if (!fits(data[4], name_size))
		return -EBADMSG;
	if (has_metric && size >= at + METRIC_FIXED)
		whole_size += metric_size(data[at + METRIC_FIXED - 1]);
	else if (has_metric)
		return 0;
	if (size < whole_size)
		return 0;
	if (!is_sound(data, whole_size) ||
	    memchr(data + CATALOGUE_RECORD_FIXED, '\0', name_size) != NULL ||
	    (has_metric && !read_metric(data + at, &metric)))
		return -EBADMSG;
	*record = (struct catalogue_record){
		.kind = (enum catalogue_record_kind)(data[4] & ~HAS_METRIC),
		.first = get32(data + 7) * MC_SECOND,
		.last = get32(data + 11) * MC_SECOND,
		.interval = get32(data + 15) * MC_MILLISECOND,
		.name = (const char *)data + CATALOGUE_RECORD_FIXED,
		.name_size = name_size,
		.has_metric = has_metric,
		.metric = metric,
	};
	return (int)whole_size;
}

int catalogue_record_read(const uint8_t *data, size_t size, struct catalogue_record *record)
{
	if (size < CATALOGUE_RECORD_PART)
		return 0;
	if (is_part(data[4]))
		return read_part(data, size, record);
	if (size < CATALOGUE_RECORD_FIXED)
		return 0;
	return read_series(data, size, record);
}

void catalogue_record_write_head(uint8_t out[CATALOGUE_RECORD_HEAD])
{
	memset(out, 0, CATALOGUE_RECORD_HEAD);
	memcpy(out, magic, MAGIC_SIZE);
	out[MAGIC_SIZE] = CATALOGUE_RECORD_VERSION;
	put32(out + CATALOGUE_RECORD_HEAD - SUM_SIZE,
	      crc32c(0, out, CATALOGUE_RECORD_HEAD - SUM_SIZE));
}

int catalogue_record_check_head(const uint8_t *data, size_t size)
{
	if (size < CATALOGUE_RECORD_HEAD || memcmp(data, magic, MAGIC_SIZE) != 0 ||
	    get32(data + CATALOGUE_RECORD_HEAD - SUM_SIZE) !=
		    crc32c(0, data, CATALOGUE_RECORD_HEAD - SUM_SIZE))
		return -EBADMSG;
	return data[MAGIC_SIZE] >= 1 && data[MAGIC_SIZE] <= CATALOGUE_RECORD_VERSION
		       ? data[MAGIC_SIZE]
		       : -EPROTO;
}
