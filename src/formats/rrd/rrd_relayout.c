/* SPDX-License-Identifier: MIT */
#include "formats/rrd/rrd_relayout.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/rrd/rrd_bytes.h"
#include "formats/rrd/rrd_head.h"

static const uint64_t rows_max = MC_RRD_RELAYOUT_MOST / sizeof(double);

struct rows { /* An archive in a file. */
	enum mc_rrd_function function;
	int64_t steps, len;
	uint64_t current; /* The newest row. */
	double xff;
	const uint8_t *cdps;   /* Of each source. */
	const uint8_t *values; /* Of each row, those of each source. */
};

struct file {
	const uint8_t *data;
	int64_t step, last;
	size_t sources_len, archives_len, size;
	struct rows *archives;
};

static size_t size_of(size_t sources_len, size_t archives_len, uint64_t rows)
{
	return mc_rrd_head_size(sources_len, archives_len) +
	       (size_t)rows * sources_len * sizeof(double);
}

/* --- The old file ----------------------------------------------------------- */

static bool read_function(const uint8_t *data, enum mc_rrd_function *function)
{
	for (unsigned i = 0; i < MC_RRD_FUNCTIONS; i++) {
		const char *word = mc_rrd_archives_functions[i];

		if (memcmp(data, word, strlen(word) + 1) != 0)
			continue;
		*function = (enum mc_rrd_function)i;
		return true;
	}
	return false;
}

/* The definition of an archive; false: of another kind, or too large. */
static bool read_archive(const uint8_t *data, int64_t step, struct rows *rows)
{
	uint64_t len = mc_rrd_number_at(data + 24), steps = mc_rrd_number_at(data + 32);

	*rows = (struct rows){ .len = (int64_t)len, .steps = (int64_t)steps };
	rows->xff = mc_rrd_double_at(data + 40);
	return read_function(data, &rows->function) && len > 0 && len <= rows_max && steps > 0 &&
	       steps <= INT32_MAX && (int64_t)len <= INT64_MAX / 4 / ((int64_t)steps * step);
}

/* Where the parts of each archive are; false: beyond the end. */
static bool place_archives(struct file *file, size_t size, uint64_t rows)
{
	size_t cdps = MC_RRD_FIXED + MC_RRD_LIVE +
		      file->sources_len * (MC_RRD_SOURCE + MC_RRD_PDP) +
		      file->archives_len * MC_RRD_ARCHIVE;
	size_t pointers = cdps + file->archives_len * file->sources_len * MC_RRD_CDP;
	size_t values = pointers + file->archives_len * MC_RRD_POINTER;

	file->size = size_of(file->sources_len, file->archives_len, rows);
	if (file->size > size)
		return false;
	for (size_t i = 0; i < file->archives_len; i++) {
		struct rows *archive = &file->archives[i];

		archive->current = mc_rrd_number_at(file->data + pointers + i * MC_RRD_POINTER);
		if (archive->current >= (uint64_t)archive->len)
			return false;
		archive->cdps = file->data + cdps + i * file->sources_len * MC_RRD_CDP;
		archive->values = file->data + values;
		values += (size_t)archive->len * file->sources_len * sizeof(double);
	}
	return true;
}

static bool read_file(const uint8_t *data, size_t size, struct file *file, char *why)
{
	struct mc_rrd_head head;
	uint64_t rows = 0;
	bool good = true;

	*file = (struct file){ .data = data };
	snprintf(why, MC_RRD_RELAYOUT_WHY, "not a whole RRD file of this machine");
	if (!mc_rrd_head(data, size, &head))
		return false;
	file->step = head.step;
	file->last = head.last;
	file->sources_len = (size_t)head.sources_len;
	file->archives_len = (size_t)mc_rrd_number_at(data + 32);
	if (file->archives_len == 0)
		return false;
	file->archives = mc_alloc_array(file->archives_len, sizeof(*file->archives));
	for (size_t i = 0; i < file->archives_len && good; i++) {
		good = read_archive(data + MC_RRD_FIXED + file->sources_len * MC_RRD_SOURCE +
					    i * MC_RRD_ARCHIVE,
				    file->step, &file->archives[i]);
		rows += (uint64_t)file->archives[i].len;
	}
	if (!good)
		snprintf(why, MC_RRD_RELAYOUT_WHY, "it has archives of other functions");
	good = good && rows * file->sources_len <= rows_max && place_archives(file, size, rows);
	if (!good)
		free(file->archives);
	return good;
}

/* --- Values of the old file ------------------------------------------------- */

/* When the newest whole row of that many steps has ended. */
static int64_t newest_end(const struct file *file, int64_t steps)
{
	return file->last - file->last % (file->step * steps);
}

/* The value of the row that ends then, which is one of the archive's. */
static double value_at(const struct file *file, const struct rows *rows, int64_t end, size_t source)
{
	int64_t back = (newest_end(file, rows->steps) - end) / (file->step * rows->steps);
	uint64_t row = (rows->current + (uint64_t)(rows->len - back)) % (uint64_t)rows->len;

	return mc_rrd_double_at(rows->values + (row * file->sources_len + source) * sizeof(double));
}

static int64_t oldest_begin(const struct file *file, const struct rows *rows)
{
	return newest_end(file, rows->steps) - rows->len * rows->steps * file->step;
}

/* Whether rows of the archive are what the function makes: a row of one step has its average as its
 * extremes. */
static bool serves(const struct rows *rows, enum mc_rrd_function function)
{
	return rows->function == function || (rows->function == MC_RRD_AVERAGE && rows->steps == 1);
}

/* The archive with the finest rows that go back to 'begin'; without one, of averages. */
static const struct rows *find_rows(const struct file *file, enum mc_rrd_function function,
				    int64_t begin)
{
	const struct rows *best = NULL, *average = NULL;

	for (size_t i = 0; i < file->archives_len; i++) {
		const struct rows *rows = &file->archives[i];

		if (oldest_begin(file, rows) > begin)
			continue;
		if (serves(rows, function) && (best == NULL || rows->steps < best->steps))
			best = rows;
		if (rows->function == MC_RRD_AVERAGE &&
		    (average == NULL || rows->steps < average->steps))
			average = rows;
	}
	return best != NULL ? best : average;
}

struct sum { /* Of rows, or parts of them, of a source. */
	enum mc_rrd_function function;
	size_t source;
	double value; /* Times seconds, of averages; NaN: nothing known. */
	int64_t known, seconds;
};

static void add_value(struct sum *sum, double value, int64_t seconds)
{
	sum->seconds += seconds;
	if (isnan(value))
		return;
	sum->known += seconds;
	if (sum->function == MC_RRD_AVERAGE)
		sum->value = (isnan(sum->value) ? 0 : sum->value) + value * (double)seconds;
	else if (isnan(sum->value) ||
		 (sum->function == MC_RRD_MAX ? value > sum->value : value < sum->value))
		sum->value = value;
}

/* Adds the values between two times, as far as there are rows. */
static void add_rows(const struct file *file, const struct rows *rows, int64_t begin, int64_t end,
		     struct sum *sum)
{
	int64_t row = rows->steps * file->step, newest = newest_end(file, rows->steps);
	int64_t at = (begin / row + 1) * row; /* The end of a row. */

	for (; at - row < end && at <= newest; at += row) {
		int64_t from = at - row > begin ? at - row : begin, to = at < end ? at : end;

		add_value(sum, value_at(file, rows, at, sum->source), to - from);
	}
}

static double value_between(const struct file *file, const struct mc_rrd_archive *archive,
			    int64_t begin, int64_t end, size_t source)
{
	const struct rows *rows = find_rows(file, archive->function, begin);
	struct sum sum = { .function = archive->function, .source = source, .value = NAN };

	if (rows == NULL)
		return NAN;
	add_rows(file, rows, begin, end, &sum);
	if (sum.known == 0 ||
	    (double)(end - begin - sum.known) > archive->xff * (double)(end - begin))
		return NAN;
	return sum.function == MC_RRD_AVERAGE ? sum.value / (double)sum.known : sum.value;
}

/* --- The new file ----------------------------------------------------------- */

/* The row that is not complete, as librrd has it: at 0 the sum or the extreme of its steps, at 8
 * how many of them are unknown. */
static void put_begun(const struct file *file, const struct mc_rrd_archive *archive, size_t source,
		      uint8_t *out)
{
	int64_t begin = newest_end(file, archive->steps_per_row), end = newest_end(file, 1);
	struct sum sum = { .function = archive->function, .source = source, .value = NAN };
	const struct rows *rows = find_rows(file, archive->function, begin);
	uint64_t steps = (uint64_t)((end - begin) / file->step);

	for (size_t i = 0; i < file->archives_len; i++)
		if (file->archives[i].function == archive->function &&
		    file->archives[i].steps == archive->steps_per_row) {
			memcpy(out, file->archives[i].cdps + source * MC_RRD_CDP, MC_RRD_CDP);
			return;
		}
	memset(out, 0, MC_RRD_CDP);
	if (rows != NULL && end > begin)
		add_rows(file, rows, begin, end, &sum);
	mc_rrd_put_double(out, sum.function == MC_RRD_AVERAGE ? sum.value / (double)file->step
							      : sum.value);
	mc_rrd_put_number(out + 8, steps - (uint64_t)(sum.known / file->step));
}

static void put_archive(uint8_t *out, const struct mc_rrd_archive *archive)
{
	memset(out, 0, MC_RRD_ARCHIVE);
	snprintf((char *)out, 20, "%s", mc_rrd_archives_functions[archive->function]);
	mc_rrd_put_number(out + 24, (uint64_t)archive->rows);
	mc_rrd_put_number(out + 32, (uint64_t)archive->steps_per_row);
	mc_rrd_put_double(out + 40, archive->xff);
}

/* The newest row is the last one. */
static uint8_t *put_rows(const struct file *file, const struct mc_rrd_archive *archive,
			 uint8_t *out)
{
	int64_t row = archive->steps_per_row * file->step;
	int64_t newest = newest_end(file, archive->steps_per_row);

	for (int64_t i = archive->rows - 1; i >= 0; i--)
		for (size_t j = 0; j < file->sources_len; j++, out += sizeof(double))
			mc_rrd_put_double(out, value_between(file, archive, newest - (i + 1) * row,
							     newest - i * row, j));
	return out;
}

static void put_file(const struct file *file, const struct mc_rrd_archives *archives, uint8_t *out)
{
	const uint8_t *old = file->data;
	size_t sources = file->sources_len * MC_RRD_SOURCE;

	memcpy(out, old, MC_RRD_FIXED + sources);
	mc_rrd_put_number(out + 32, archives->len);
	out += MC_RRD_FIXED + sources;
	old += MC_RRD_FIXED + sources + file->archives_len * MC_RRD_ARCHIVE;
	for (size_t i = 0; i < archives->len; i++, out += MC_RRD_ARCHIVE)
		put_archive(out, &archives->items[i]);
	memcpy(out, old, MC_RRD_LIVE + file->sources_len * MC_RRD_PDP);
	out += MC_RRD_LIVE + file->sources_len * MC_RRD_PDP;
	for (size_t i = 0; i < archives->len; i++)
		for (size_t j = 0; j < file->sources_len; j++, out += MC_RRD_CDP)
			put_begun(file, &archives->items[i], j, out);
	for (size_t i = 0; i < archives->len; i++, out += MC_RRD_POINTER)
		mc_rrd_put_number(out, (uint64_t)archives->items[i].rows - 1);
	for (size_t i = 0; i < archives->len; i++)
		out = put_rows(file, &archives->items[i], out);
}

static uint64_t rows_of(const struct mc_rrd_archives *archives)
{
	uint64_t rows = 0;

	for (size_t i = 0; i < archives->len; i++)
		rows += (uint64_t)archives->items[i].rows;
	return rows;
}

size_t mc_rrd_relayout_size(const uint8_t *old, size_t size, const struct mc_rrd_rules *rules,
			    char why[static MC_RRD_RELAYOUT_WHY])
{
	int64_t step = mc_rrd_archives_step(rules->program);
	struct mc_rrd_archives archives;
	struct file file;
	size_t result = 0;
	uint64_t rows;

	if (!read_file(old, size, &file, why))
		return 0;
	mc_rrd_archives_make(&archives, rules, file.step);
	rows = rows_of(&archives);
	if (step != 0 && step != file.step)
		snprintf(why, MC_RRD_RELAYOUT_WHY,
			 "its step is %" PRId64 " s, that of the layout %" PRId64, file.step, step);
	else if (rows > rows_max / file.sources_len)
		snprintf(why, MC_RRD_RELAYOUT_WHY, "it would be too large");
	else
		result = size_of(file.sources_len, archives.len, rows);
	free(archives.items);
	free(file.archives);
	return result;
}

bool mc_rrd_relayout_is_done(const uint8_t *old, size_t size, const struct mc_rrd_rules *rules)
{
	struct mc_rrd_archives archives;
	char why[MC_RRD_RELAYOUT_WHY];
	struct file file;
	bool same;

	if (!read_file(old, size, &file, why))
		return false;
	mc_rrd_archives_make(&archives, rules, file.step);
	same = archives.len == file.archives_len;
	for (size_t i = 0; i < archives.len && same; i++)
		same = archives.items[i].function == file.archives[i].function &&
		       archives.items[i].steps_per_row == file.archives[i].steps &&
		       archives.items[i].rows == file.archives[i].len;
	free(archives.items);
	free(file.archives);
	return same;
}

void mc_rrd_relayout(const uint8_t *old, size_t size, const struct mc_rrd_rules *rules,
		     uint8_t *out)
{
	struct mc_rrd_archives archives;
	char why[MC_RRD_RELAYOUT_WHY];
	struct file file;

	if (!read_file(old, size, &file, why))
		return;
	mc_rrd_archives_make(&archives, rules, file.step);
	put_file(&file, &archives, out);
	free(archives.items);
	free(file.archives);
}
