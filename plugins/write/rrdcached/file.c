/* SPDX-License-Identifier: MIT */
#include "file.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

char *file_directory(const char *data_dir)
{
	char *copy;
	size_t size;

	if (data_dir == NULL)
		return NULL;
	copy = mc_alloc_copy(data_dir);
	for (size = strlen(copy); size > 0 && copy[size - 1] == '/'; size--)
		copy[size - 1] = '\0';
	return copy;
}

/* Adds text to a prefix; rrdcached ends a word at a blank and takes the character after a
 * backslash as it is. */
static bool add_escaped(char *out, size_t *used, const char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < ' ' || *text == 127 || *used + 2 > FILE_PREFIX_MAX)
			return false;
		if (*text == ' ' || *text == '\\')
			out[(*used)++] = '\\';
		out[(*used)++] = *text;
	}
	return true;
}

static bool add_plain(char *out, size_t *used, const char *text)
{
	size_t size = strlen(text);

	if (*used + size > FILE_PREFIX_MAX)
		return false;
	memcpy(out + *used, text, size);
	*used += size;
	return true;
}

size_t file_prefix(const char *data_dir, const char *name, char *out)
{
	size_t used = 0;
	bool fits = add_plain(out, &used, "UPDATE ");

	if (data_dir != NULL)
		fits = fits && add_escaped(out, &used, data_dir) &&
		       (data_dir[0] == '\0' || add_plain(out, &used, "/"));
	fits = fits && add_escaped(out, &used, name) && add_plain(out, &used, ".rrd ");
	return fits ? used : 0;
}

struct file *file_open(struct mc_map *files, const char *prefix, size_t size)
{
	struct file *file = (struct file *)mc_map_find(files, prefix, size);

	if (file == NULL) {
		file = mc_alloc_zero(sizeof(*file) + size);
		file->node.key = memcpy(file->prefix, prefix, size);
		file->node.key_size = size;
		mc_map_add(files, &file->node);
	}
	file->users++;
	return file;
}

bool file_claim(struct file *file, const char *series)
{
	/* One that has ended leaves it only when nothing of it waits. */
	return mc_rrd_claim(&file->owner, file->row, series);
}

bool file_may_have(const struct mc_map *files, const char *prefix, size_t size, const char *series)
{
	const struct file *file = (const struct file *)mc_map_find(files, prefix, size);

	return file == NULL || mc_rrd_may_have(&file->owner, file->row, series);
}

struct file *file_find(const struct mc_map *files, const char *line, size_t size,
		       const char **value)
{
	size_t at = strlen("UPDATE ");

	*value = NULL;
	while (at < size && line[at] != ' ')
		at += line[at] == '\\' ? 2 : 1;
	if (at >= size)
		return NULL;
	*value = line + at + 1;
	return (struct file *)mc_map_find(files, line, at + 1);
}

static void free_file(struct file *file)
{
	lines_free(&file->deferred);
	free(file->row);
	free(file->owner.series);
	free(file);
}

void file_remove(struct mc_map *files, struct file *file)
{
	mc_map_remove(files, &file->node);
	free_file(file);
}

void file_sweep(struct mc_map *files, bool (*is_over)(const struct file *))
{
	struct mc_map_node *node, *next;

	for (node = mc_map_next(files, NULL); node != NULL; node = next) {
		struct file *file = (struct file *)node;

		next = mc_map_next(files, node);
		if (file->users == 0 && is_over(file))
			file_remove(files, file);
	}
}

void file_done(struct mc_map *files)
{
	struct mc_map_node *node, *next;

	for (node = mc_map_next(files, NULL); node != NULL; node = next) {
		next = mc_map_next(files, node);
		free_file((struct file *)node);
	}
	mc_map_done(files);
}
