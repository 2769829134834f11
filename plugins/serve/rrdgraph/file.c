/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Facts: rrdcreate(1), rrdupdate(1). */
#include "file.h"

#include <errno.h>
#include <math.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#define WORD_SIZE 64
#define VALUE_SIZE 32
#define COLUMNS 3 /* Of a source: averages, maxima, minima. */
#define UPDATE_SIZE (32 + COLUMNS * FILE_SOURCES_MAX * VALUE_SIZE)
#define WORDS_MAX (COLUMNS * FILE_SOURCES_MAX + 1)

int file_folder_new(char path[FILE_FOLDER_SIZE])
{
	snprintf(path, FILE_FOLDER_SIZE, "/dev/shm/collector-rrdgraph-XXXXXX");
	if (mkdtemp(path) != NULL)
		return 0;
	snprintf(path, FILE_FOLDER_SIZE, "/tmp/collector-rrdgraph-XXXXXX");
	return mkdtemp(path) != NULL ? 0 : -errno;
}

void file_folder_free(const char *path)
{
	rmdir(path);
}

static unsigned sources_of(const struct mc_history *history)
{
	unsigned len = history->type->sources_len;

	return len < FILE_SOURCES_MAX ? len : FILE_SOURCES_MAX;
}

static time_t seconds(mc_time time)
{
	return (time_t)(time / MC_SECOND);
}

static int create(const char *path, const struct mc_history *history)
{
	char words[WORDS_MAX][WORD_SIZE];
	const char *pointers[WORDS_MAX];
	unsigned long step = (unsigned long)(history->step / MC_SECOND);
	unsigned len = sources_of(history);
	int used = 0;

	for (unsigned i = 0; i < len; i++) {
		snprintf(words[used++], WORD_SIZE, "DS:a%u:GAUGE:%lu:U:U", i, 2 * step);
		snprintf(words[used++], WORD_SIZE, "DS:m%u:GAUGE:%lu:U:U", i, 2 * step);
		snprintf(words[used++], WORD_SIZE, "DS:l%u:GAUGE:%lu:U:U", i, 2 * step);
	}
	snprintf(words[used++], WORD_SIZE, "RRA:AVERAGE:0.5:1:%u", history->points_len + 1);
	for (int i = 0; i < used; i++)
		pointers[i] = words[i];
	return rrd_create_r(path, step, seconds(history->start), used, pointers);
}

static size_t print(char *out, double value)
{
	if (!isfinite(value))
		return (size_t)snprintf(out, VALUE_SIZE, ":U");
	return (size_t)snprintf(out, VALUE_SIZE, ":%.10g", value);
}

static void print_update(char out[UPDATE_SIZE], const struct mc_history *history, unsigned point)
{
	time_t when = seconds(history->start + (point + 1) * history->step);
	size_t size = (size_t)snprintf(out, VALUE_SIZE, "%lld", (long long)when);

	for (unsigned i = 0; i < sources_of(history); i++) {
		const struct mc_history_point *at =
			&history->points[(size_t)i * history->points_len + point];

		size += print(out + size, at->average);
		size += print(out + size, at->maximum);
		size += print(out + size, at->minimum);
	}
}

static int update(const char *path, const struct mc_history *history)
{
	unsigned len = history->points_len;
	char *texts = mc_alloc_array(len, UPDATE_SIZE);
	const char **pointers = mc_alloc_array(len, sizeof(char *));
	int rc;

	for (unsigned i = 0; i < len; i++) {
		pointers[i] = texts + (size_t)i * UPDATE_SIZE;
		print_update(texts + (size_t)i * UPDATE_SIZE, history, i);
	}
	rc = rrd_update_r(path, NULL, (int)len, pointers);
	free(pointers);
	free(texts);
	return rc;
}

int file_write(const char *path, const struct mc_history *history)
{
	if (create(path, history) != 0)
		return -EIO;
	return update(path, history) == 0 ? 0 : -EIO;
}
