/* SPDX-License-Identifier: MIT */
#include "saved.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>

#define KEY_PARTS 6 /* Of HOST PLUGIN INSTANCE TYPE INSTANCE SOURCE. */
#define LINE_SIZE 160

/* --- Means ------------------------------------------------------------------------ */

struct saved_mean *saved_find(const struct mc_map *means, const struct mc_buffer *key)
{
	return (struct saved_mean *)mc_map_find(means, key->at, key->size);
}

struct saved_mean *saved_next(const struct mc_map *means, const struct saved_mean *mean)
{
	return (struct saved_mean *)mc_map_next(means, mean != NULL ? &mean->node : NULL);
}

void saved_drop(struct mc_map *means, struct saved_mean *mean)
{
	mc_map_remove(means, &mean->node);
	free(mean);
}

/* --- Writing ---------------------------------------------------------------------- */

void saved_add_key(struct mc_buffer *key, const struct mc_id *id, const char *source)
{
	const char *parts[KEY_PARTS] = { id->host, id->plugin,        id->plugin_instance,
					 id->type, id->type_instance, source };

	for (unsigned i = 0; i < KEY_PARTS; i++) {
		if (i > 0)
			mc_buffer_add(key, "\t", 1);
		mc_buffer_add(key, parts[i], strlen(parts[i]));
	}
}

void saved_write(struct mc_buffer *text, const struct saved_mean *mean, const char *key)
{
	char line[LINE_SIZE];
	int size =
		snprintf(line, sizeof(line),
			 "mean\t%" PRId64 "\t%" PRId64 "\t%.9g\t%.9g\t%" PRIu32 "\t%" PRId64 "\t",
			 mean->time, mean->interval, mean->own.mean, mean->own.spread,
			 mean->own.values, mean->out_since);

	mc_buffer_add(text, line, (size_t)size);
	mc_buffer_add(text, key, strlen(key));
	mc_buffer_add(text, "\n", 1);
}

/* --- Reading ---------------------------------------------------------------------- */

static bool take_time(char **line, mc_time max, mc_time *time)
{
	const char *word = strsep(line, "\t");

	return word != NULL && mc_number_signed(word, 0, max, time);
}

static bool take_number(char **line, double min, double max, double *number)
{
	const char *word = strsep(line, "\t");

	return word != NULL && mc_number_double(word, number) && *number >= min && *number <= max;
}

/* A host, a plugin, a type and a source are not empty. */
static bool is_key(const char *key)
{
	for (unsigned i = 0; i < KEY_PARTS; i++) {
		size_t size = strcspn(key, "\t");
		bool instance = i == 2 || i == 4;

		if ((size == 0 && !instance) || (key[size] == '\t') != (i + 1 < KEY_PARTS))
			return false;
		key += size + 1;
	}
	return true;
}

static bool take_line(char *line, struct saved_mean *mean, const char **key, mc_time now)
{
	const char *kind = strsep(&line, "\t");
	uint64_t values;
	const char *word;

	if (strcmp(kind, "mean") != 0 || !take_time(&line, INT64_MAX, &mean->time) ||
	    !take_time(&line, INT64_MAX, &mean->interval) || mean->interval == 0 ||
	    !take_number(&line, -DEVIATION_VALUE_MAX, DEVIATION_VALUE_MAX, &mean->own.mean) ||
	    !take_number(&line, 0, (double)DEVIATION_RATIO_MAX, &mean->own.spread))
		return false;
	word = strsep(&line, "\t");
	if (word == NULL || !mc_number_unsigned(word, 10, UINT32_MAX, &values) || values == 0 ||
	    !take_time(&line, now, &mean->out_since) || line == NULL || !is_key(line))
		return false;
	mean->own.values = (uint32_t)values;
	*key = line;
	return now - mean->time <= SAVED_AGE_MAX && mean->time - now <= SAVED_AGE_MAX;
}

static bool add(struct mc_map *means, const struct saved_mean *like, const char *key, size_t limit)
{
	size_t size = strlen(key);
	struct saved_mean *mean = (struct saved_mean *)mc_map_find(means, key, size);

	if (mean != NULL)
		saved_drop(means, mean);
	if (means->len >= limit)
		return false;
	mean = mc_alloc_zero(sizeof(*mean) + size + 1);
	*mean = *like;
	memcpy(mean->key, key, size + 1);
	mean->node = (struct mc_map_node){ .key = mean->key, .key_size = size };
	mc_map_add(means, &mean->node);
	return true;
}

ptrdiff_t saved_read(char *text, size_t size, struct mc_map *means, size_t limit, mc_time now)
{
	size_t head = strlen(SAVED_HEAD);
	char *end = text + size, *line_end;
	ptrdiff_t damaged = 0;

	if (size < head || memcmp(text, SAVED_HEAD, head) != 0)
		return -1;
	for (text += head; text < end; text = line_end + 1) {
		struct saved_mean mean = { .time = 0 };
		const char *key;

		line_end = memchr(text, '\n', (size_t)(end - text));
		if (line_end == NULL) /* Half of a line. */
			return damaged + 1;
		*line_end = '\0';
		damaged += strlen(text) != (size_t)(line_end - text) ||
			   !take_line(text, &mean, &key, now) || !add(means, &mean, key, limit);
	}
	return damaged;
}
