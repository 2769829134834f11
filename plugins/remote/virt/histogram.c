/* SPDX-License-Identifier: MIT */
/* histogram: BlockStats, BlockLatencyHistogramInfo and block-latency-histogram-set in QEMU's QMP
 * reference; QEMU 4.0 and later. */
#include "histogram.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/json.h>
#include <collector/kit/number.h>

/* Of maps and lists: each image of a backing chain is one. */
#define DEPTH_MAX 1024

/* 1, 2 and 5 of each power of ten, from 10 us to 10 s. */
static const uint64_t boundaries[] = {
	10000,     20000,      50000,      100000,     200000,      500000,    1000000,
	2000000,   5000000,    10000000,   20000000,   50000000,    100000000, 200000000,
	500000000, 1000000000, 2000000000, 5000000000, 10000000000,
};

#define BOUNDARIES_LEN (sizeof(boundaries) / sizeof(boundaries[0]))

/* --- Answers --------------------------------------------------------------- */

/* The depth of maps and lists, in an answer: {"return": [{"qdev": "", "stats":
 * {"rd_latency_histogram": {"bins": [0]}}}]}, or {"error": {"class": ""}}. */
enum level {
	LEVEL_ANSWER = 1,
	LEVEL_RETURN,
	LEVEL_DISK,
	LEVEL_STATS,
	LEVEL_HISTOGRAM,
	LEVEL_NUMBERS
};

enum key {
	KEY_OTHER,
	KEY_RETURN,
	KEY_ERROR,
	KEY_CLASS,
	KEY_QDEV,
	KEY_STATS,
	KEY_READS,
	KEY_WRITES,
	KEY_BINS,
	KEY_BOUNDARIES,
};

struct part { /* Of a histogram, while it is read. */
	unsigned boundaries_len, bins_len;
	struct histogram histogram;
};

struct parsing {
	struct histogram_disks *disks;
	unsigned depth;
	enum key keys[LEVEL_NUMBERS + 1]; /* Last one of each level. */
	bool returned, refused, unknown;
	struct histogram_disk disk;
	struct part reads, writes;
};

static bool is_key(enum key key, const char *text, size_t size)
{
	static const char *const names[] = {
		[KEY_OTHER] = "",
		[KEY_RETURN] = "return",
		[KEY_ERROR] = "error",
		[KEY_CLASS] = "class",
		[KEY_QDEV] = "qdev",
		[KEY_STATS] = "stats",
		[KEY_READS] = "rd_latency_histogram",
		[KEY_WRITES] = "wr_latency_histogram",
		[KEY_BINS] = "bins",
		[KEY_BOUNDARIES] = "boundaries",
	};

	return strlen(names[key]) == size && memcmp(names[key], text, size) == 0;
}

static bool take_key(void *argument, const char *text, size_t size)
{
	struct parsing *parsing = argument;
	enum key key = KEY_OTHER;

	if (parsing->depth > LEVEL_NUMBERS)
		return true;
	for (enum key at = KEY_RETURN; at <= KEY_BOUNDARIES; at++)
		if (is_key(at, text, size))
			key = at;
	parsing->keys[parsing->depth] = key;
	return true;
}

/* Whether what comes is the value of that key, of a disk. */
static bool is_at(const struct parsing *parsing, enum level level, enum key key)
{
	return parsing->depth == level && parsing->keys[level] == key &&
	       parsing->keys[LEVEL_ANSWER] == KEY_RETURN &&
	       (level <= LEVEL_DISK || parsing->keys[LEVEL_DISK] == KEY_STATS);
}

static bool begin(void *argument)
{
	struct parsing *parsing = argument;

	if (is_at(parsing, LEVEL_ANSWER, KEY_RETURN))
		parsing->returned = true;
	if (parsing->depth == LEVEL_ANSWER && parsing->keys[LEVEL_ANSWER] == KEY_ERROR)
		parsing->refused = true;
	if (is_at(parsing, LEVEL_STATS, KEY_READS) || is_at(parsing, LEVEL_STATS, KEY_WRITES))
		parsing->disk.counted = true;
	parsing->depth++;
	if (parsing->depth <= LEVEL_NUMBERS)
		parsing->keys[parsing->depth] = KEY_OTHER;
	if (parsing->depth == LEVEL_DISK) {
		parsing->disk = (struct histogram_disk){ 0 };
		parsing->reads = parsing->writes = (struct part){ 0 };
	}
	return true;
}

static bool is_good(const struct part *part)
{
	if (part->boundaries_len == 0 || part->boundaries_len > HISTOGRAM_BOUNDARIES_MAX ||
	    part->bins_len != part->boundaries_len + 1)
		return false;
	for (unsigned i = 1; i < part->boundaries_len; i++)
		if (part->histogram.boundaries[i - 1] >= part->histogram.boundaries[i])
			return false;
	return true;
}

static void keep_part(struct part *part, struct histogram *out)
{
	if (!is_good(part))
		return;
	*out = part->histogram;
	out->len = part->boundaries_len;
}

/* A disk without a name is a node of a chain, or has no device. */
static void keep_disk(struct parsing *parsing)
{
	struct histogram_disks *disks = parsing->disks;

	if (parsing->disk.device[0] == '\0' || disks->len == HISTOGRAM_DISKS_MAX)
		return;
	keep_part(&parsing->reads, &parsing->disk.reads);
	keep_part(&parsing->writes, &parsing->disk.writes);
	disks->items = mc_alloc_resize(disks->items, disks->len + 1, sizeof(*disks->items));
	disks->items[disks->len++] = parsing->disk;
}

static bool end(void *argument)
{
	struct parsing *parsing = argument;

	if (parsing->depth == LEVEL_DISK && parsing->keys[LEVEL_ANSWER] == KEY_RETURN &&
	    parsing->disks != NULL)
		keep_disk(parsing);
	parsing->depth--;
	return true;
}

/* Names that need no quotes in a command. */
static bool is_plain(const char *text, size_t size)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				    "0123456789/-_.:[]";

	for (size_t i = 0; i < size; i++)
		if (text[i] == '\0' || strchr(plain, text[i]) == NULL)
			return false;
	return true;
}

static bool take_string(void *argument, const char *text, size_t size)
{
	static const char unknown[] = "CommandNotFound";
	struct parsing *parsing = argument;

	if (is_at(parsing, LEVEL_DISK, KEY_QDEV) && size < HISTOGRAM_DEVICE_SIZE &&
	    is_plain(text, size)) {
		memcpy(parsing->disk.device, text, size);
		parsing->disk.device[size] = '\0';
	}
	if (parsing->depth == LEVEL_RETURN && parsing->keys[LEVEL_ANSWER] == KEY_ERROR &&
	    parsing->keys[LEVEL_RETURN] == KEY_CLASS)
		parsing->unknown = size == sizeof(unknown) - 1 && memcmp(text, unknown, size) == 0;
	return true;
}

static void add_number(uint64_t *list, unsigned *len, unsigned max, uint64_t number)
{
	if (*len < max)
		list[*len] = number;
	if (*len <= max) /* More than that, and the list is no good. */
		(*len)++;
}

static bool take_number(void *argument, const char *text, size_t size)
{
	struct parsing *parsing = argument;
	bool reads = parsing->keys[LEVEL_STATS] == KEY_READS;
	struct part *part = reads ? &parsing->reads : &parsing->writes;
	char digits[24];
	uint64_t number = 0;

	if (parsing->depth != LEVEL_NUMBERS || parsing->keys[LEVEL_ANSWER] != KEY_RETURN ||
	    parsing->keys[LEVEL_DISK] != KEY_STATS ||
	    (!reads && parsing->keys[LEVEL_STATS] != KEY_WRITES) || size >= sizeof(digits))
		return true;
	memcpy(digits, text, size);
	digits[size] = '\0';
	if (!mc_number_unsigned(digits, 10, UINT64_MAX, &number))
		return true; /* The list lacks it, and is no good. */
	if (parsing->keys[LEVEL_HISTOGRAM] == KEY_BINS)
		add_number(part->histogram.bins, &part->bins_len, HISTOGRAM_BOUNDARIES_MAX + 1,
			   number);
	if (parsing->keys[LEVEL_HISTOGRAM] == KEY_BOUNDARIES)
		add_number(part->histogram.boundaries, &part->boundaries_len,
			   HISTOGRAM_BOUNDARIES_MAX, number);
	return true;
}

static int parse(const char *text, size_t size, struct histogram_disks *disks)
{
	static const struct mc_json_calls calls = {
		.number = take_number,
		.string = take_string,
		.key = take_key,
		.begin_map = begin,
		.end_map = end,
		.begin_list = begin,
		.end_list = end,
	};
	struct parsing parsing = { .disks = disks };

	if (size > HISTOGRAM_ANSWER_MAX ||
	    mc_json_read(text, size, DEPTH_MAX, &calls, &parsing) < 0)
		return -EINVAL;
	if (parsing.refused)
		return parsing.unknown ? -ENOSYS : -EIO;
	return parsing.returned ? 0 : -EINVAL;
}

int histogram_parse(const char *text, size_t size, struct histogram_disks *disks)
{
	struct histogram_disks parsed = { 0 };
	int rc = parse(text, size, &parsed);

	if (rc < 0)
		histogram_free(&parsed);
	else
		*disks = parsed;
	return rc;
}

int histogram_parse_done(const char *text, size_t size)
{
	return parse(text, size, NULL);
}

void histogram_free(struct histogram_disks *disks)
{
	free(disks->items);
	*disks = (struct histogram_disks){ 0 };
}

/* --- Commands -------------------------------------------------------------- */

bool histogram_command(const struct histogram_disk *disk, char *out, size_t size)
{
	int used = snprintf(out, size,
			    "{\"execute\":\"block-latency-histogram-set\",\"arguments\":"
			    "{\"id\":\"%s\",\"boundaries\":[",
			    disk->device);

	for (size_t i = 0; i < BOUNDARIES_LEN && used > 0 && (size_t)used < size; i++)
		used += snprintf(out + used, size - (size_t)used, "%s%llu", i > 0 ? "," : "",
				 (unsigned long long)boundaries[i]);
	if (used > 0 && (size_t)used < size)
		used += snprintf(out + used, size - (size_t)used, "]}}");
	return used > 0 && (size_t)used < size;
}

void histogram_begin(struct histogram_disk *disk)
{
	struct histogram empty = { .len = BOUNDARIES_LEN };

	memcpy(empty.boundaries, boundaries, sizeof(boundaries));
	disk->counted = true;
	disk->reads = disk->writes = empty;
}

void histogram_alias(const struct histogram_disk *disk, char *out, size_t size)
{
	static const char folder[] = "/"
				     "machine/peripheral/";
	const char *name = disk->device;

	if (strncmp(name, folder, sizeof(folder) - 1) == 0)
		name += sizeof(folder) - 1;
	snprintf(out, size, "%.*s", (int)strcspn(name, "/"), name);
}

/* --- Quantiles ------------------------------------------------------------- */

const struct histogram_disk *histogram_find(const struct histogram_disks *disks, const char *device)
{
	for (size_t i = 0; i < disks->len; i++)
		if (strcmp(disks->items[i].device, device) == 0)
			return &disks->items[i];
	return NULL;
}

/* The requests of each bin since 'before'; returns how many, or NaN if they cannot be known. */
static double subtract(const struct histogram *before, const struct histogram *now,
		       double counts[HISTOGRAM_BOUNDARIES_MAX + 1])
{
	double total = 0;

	if (now->len == 0 || before->len != now->len ||
	    memcmp(before->boundaries, now->boundaries, now->len * sizeof(now->boundaries[0])) != 0)
		return NAN;
	for (unsigned i = 0; i <= now->len; i++) {
		if (now->bins[i] < before->bins[i])
			return NAN;
		counts[i] = (double)(now->bins[i] - before->bins[i]);
		total += counts[i];
	}
	return total;
}

double histogram_quantile(const struct histogram *before, const struct histogram *now, double part)
{
	double counts[HISTOGRAM_BOUNDARIES_MAX + 1];
	double total = subtract(before, now, counts), rank = part * total, low = 0;

	if (!(total > 0))
		return NAN;
	for (unsigned i = 0; i < now->len; i++) {
		double high = (double)now->boundaries[i];

		if (counts[i] > 0 && counts[i] >= rank)
			return low + (high - low) * rank / counts[i];
		rank -= counts[i];
		low = high;
	}
	return low;
}
