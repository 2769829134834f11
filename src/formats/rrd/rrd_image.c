/* SPDX-License-Identifier: MIT */
#include "formats/rrd/rrd_image.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>

#include "formats/rrd/rrd_bytes.h"

#define NAME_SIZE 20  /* Of a source, with '\0'. */
#define BOUND_SIZE 19 /* Of a limit as librrd reads it, with '\0'. */

struct source {
	const char *kind;
	double min, max;
};

struct archive {
	char function[16];
	double xff;
	uint64_t steps, rows;
};

static bool is_name(const char *name)
{
	size_t size = strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				   "0123456789_-");

	return size > 0 && size < NAME_SIZE && name[size] == '\0';
}

/* "U", or a number. */
static bool read_bound(const char *text, size_t size, double *bound)
{
	char number[BOUND_SIZE], *end;

	*bound = NAN;
	if (size == 1 && *text == 'U')
		return true;
	if (size == 0 || size >= sizeof(number))
		return false;
	memcpy(number, text, size);
	number[size] = '\0';
	*bound = strtod(number, &end);
	return *end == '\0' && isfinite(*bound);
}

/* "DS:NAME:KIND:HEARTBEAT:MIN:MAX" */
static bool read_source(const char *text, struct source *source)
{
	static const char *const kinds[] = { "GAUGE", "DERIVE", "COUNTER", "ABSOLUTE" };
	const char *max = strrchr(text, ':'), *min = max, *kind = strchr(text + 3, ':');

	if (max == NULL || kind == NULL)
		return false;
	while (min > text && min[-1] != ':')
		min--;
	source->kind = NULL;
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
		if (strncmp(kind + 1, kinds[i], strlen(kinds[i])) == 0)
			source->kind = kinds[i];
	return source->kind != NULL && read_bound(min, (size_t)(max - min), &source->min) &&
	       read_bound(max + 1, strlen(max + 1), &source->max) && !(source->min >= source->max);
}

/* "RRA:FUNCTION:XFF:STEPS:ROWS" */
static bool read_archive(const char *text, struct archive *archive)
{
	return sscanf(text, "RRA:%15[A-Z]:%lf:%" SCNu64 ":%" SCNu64, archive->function,
		      &archive->xff, &archive->steps, &archive->rows) == 4 &&
	       archive->steps > 0 && archive->rows > 0 && archive->rows <= MC_RRD_IMAGE_MOST;
}

bool mc_rrd_image(const struct mc_rrd_layout *layout, struct mc_rrd_image *image)
{
	size_t sources_len = layout->sources_len, archives_len = (size_t)layout->argc - sources_len;
	struct source source;
	struct archive archive;
	uint64_t rows = 0;

	if (sizeof(unsigned long) != 8 || sizeof(time_t) != 8 || sources_len > MC_RRD_LEN_MAX ||
	    archives_len > MC_RRD_LEN_MAX)
		return false;
	for (size_t i = 0; i < sources_len; i++)
		if (!is_name(layout->sources[i].name) || !read_source(layout->argv[i], &source))
			return false;
	for (size_t i = sources_len; i < (size_t)layout->argc; i++) {
		if (!read_archive(layout->argv[i], &archive))
			return false;
		rows += archive.rows;
	}
	if (rows > MC_RRD_IMAGE_MOST / sizeof(double) / sources_len)
		return false;
	image->head = mc_rrd_head_size(sources_len, archives_len);
	image->size = image->head + (size_t)rows * sources_len * sizeof(double);
	return true;
}

/* --- The parts, in their order --------------------------------------------------- */

static uint8_t *put_fixed(const struct mc_rrd_layout *layout, uint8_t *out)
{
	memcpy(out, "RRD", 4);
	memcpy(out + 4, "0003", 5);
	mc_rrd_put_double(out + 16, MC_RRD_COOKIE);
	mc_rrd_put_number(out + 24, layout->sources_len);
	mc_rrd_put_number(out + 32, (uint64_t)layout->argc - layout->sources_len);
	mc_rrd_put_number(out + 40, layout->step);
	return out + MC_RRD_FIXED;
}

static uint8_t *put_sources(const struct mc_rrd_layout *layout, uint8_t *out)
{
	for (unsigned i = 0; i < layout->sources_len; i++, out += MC_RRD_SOURCE) {
		struct source source;

		if (!read_source(layout->argv[i], &source))
			continue;
		snprintf((char *)out, NAME_SIZE, "%s", layout->sources[i].name);
		snprintf((char *)out + 20, NAME_SIZE, "%s", source.kind);
		mc_rrd_put_number(out + 40, (uint64_t)layout->heartbeat);
		mc_rrd_put_double(out + 48, source.min);
		mc_rrd_put_double(out + 56, source.max);
	}
	return out;
}

static void put_archive(const struct archive *archive, uint8_t *out)
{
	snprintf((char *)out, 20, "%s", archive->function);
	mc_rrd_put_number(out + 24, archive->rows);
	mc_rrd_put_number(out + 32, archive->steps);
	mc_rrd_put_double(out + 40, archive->xff);
}

/* The second is within a step, of which what is before is unknown. */
static uint8_t *put_steps(const struct mc_rrd_layout *layout, uint64_t second, uint8_t *out)
{
	mc_rrd_put_number(out, second);
	out += MC_RRD_LIVE;
	for (unsigned i = 0; i < layout->sources_len; i++, out += MC_RRD_PDP) {
		out[0] = 'U';
		mc_rrd_put_number(out + 32, second % layout->step);
		mc_rrd_put_double(out + 40, NAN);
	}
	return out;
}

/* The same of the rows of an archive. */
static uint8_t *put_begun(const struct mc_rrd_layout *layout, const struct archive *archive,
			  uint64_t second, uint8_t *out)
{
	uint64_t begin = second - second % layout->step;

	for (unsigned i = 0; i < layout->sources_len; i++, out += MC_RRD_CDP) {
		mc_rrd_put_double(out, NAN);
		mc_rrd_put_number(out + 8, begin % (layout->step * archive->steps) / layout->step);
	}
	return out;
}

/* xorshift64 (Marsaglia 2003). */
static uint64_t next_number(uint64_t number)
{
	number ^= number << 13;
	number ^= number >> 7;
	return number ^ number << 17;
}

void mc_rrd_image_head(const struct mc_rrd_layout *layout, int64_t second, uint64_t seed,
		       uint8_t *out)
{
	size_t archives_len = (size_t)layout->argc - layout->sources_len;
	uint8_t *definition, *begun, *pointer;

	memset(out, 0, mc_rrd_head_size(layout->sources_len, archives_len));
	definition = put_sources(layout, put_fixed(layout, out));
	begun = put_steps(layout, (uint64_t)second, definition + archives_len * MC_RRD_ARCHIVE);
	pointer = begun + archives_len * layout->sources_len * MC_RRD_CDP;
	for (size_t i = layout->sources_len; i < (size_t)layout->argc; i++) {
		struct archive archive;

		if (!read_archive(layout->argv[i], &archive))
			continue;
		put_archive(&archive, definition);
		definition += MC_RRD_ARCHIVE;
		begun = put_begun(layout, &archive, (uint64_t)second, begun);
		seed = next_number(seed | 1);
		mc_rrd_put_number(pointer, seed % archive.rows);
		pointer += MC_RRD_POINTER;
	}
}

void mc_rrd_image_rows(const struct mc_rrd_image *image, uint8_t *out)
{
	for (size_t at = image->head; at < image->size; at += sizeof(double))
		mc_rrd_put_double(out + at - image->head, NAN);
}
