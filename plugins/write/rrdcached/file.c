/* SPDX-License-Identifier: MIT */
#include "file.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

enum { BUCKETS_FIRST = 64 };

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

/* Adds text to a prefix; rrdcached ends a word at a blank and takes what is
 * behind a backslash as it is. */
static bool add_escaped(char *out, size_t *used, const char *text)
{
	for (; *text != '\0'; text++) {
		if ((unsigned char)*text < ' ' || *text == 127 ||
		    *used + 2 > FILE_PREFIX_MAX)
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
	fits = fits && add_escaped(out, &used, name) &&
	       add_plain(out, &used, ".rrd ");
	return fits ? used : 0;
}

static struct file **bucket_of(const struct files *files, const char *prefix,
			       size_t size)
{
	uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

	for (size_t i = 0; i < size; i++)
		hash = (hash ^ (unsigned char)prefix[i]) *
		       UINT64_C(1099511628211);
	return &files->buckets[(hash ^ hash >> 32) & (files->buckets_len - 1)];
}

static struct file *find(const struct files *files, const char *prefix,
			 size_t size)
{
	struct file *file;

	if (files->buckets_len == 0)
		return NULL;
	file = *bucket_of(files, prefix, size);
	while (file != NULL && (file->prefix_size != size ||
				memcmp(file->prefix, prefix, size) != 0))
		file = file->next_in_bucket;
	return file;
}

static void link_in(struct files *files, struct file *file)
{
	struct file **bucket =
		bucket_of(files, file->prefix, file->prefix_size);

	file->next_in_bucket = *bucket;
	*bucket = file;
}

static void grow(struct files *files)
{
	struct files before = *files;

	files->buckets_len = before.buckets_len == 0 ? BUCKETS_FIRST
						     : 2 * before.buckets_len;
	files->buckets =
		mc_alloc_array(files->buckets_len, sizeof(*files->buckets));
	for (size_t i = 0; i < before.buckets_len; i++) {
		while (before.buckets[i] != NULL) {
			struct file *file = before.buckets[i];

			before.buckets[i] = file->next_in_bucket;
			link_in(files, file);
		}
	}
	free(before.buckets);
}

struct file *file_open(struct files *files, const char *prefix, size_t size)
{
	struct file *file = find(files, prefix, size);

	if (file == NULL) {
		file = mc_alloc_zero(sizeof(*file) + size);
		memcpy(file->prefix, prefix, size);
		file->prefix_size = size;
		if (files->len == files->buckets_len)
			grow(files);
		link_in(files, file);
		files->len++;
	}
	file->users++;
	return file;
}

struct file *file_find(const struct files *files, const char *line, size_t size,
		       const char **value)
{
	size_t at = strlen("UPDATE ");

	*value = NULL;
	while (at < size && line[at] != ' ')
		at += line[at] == '\\' ? 2 : 1;
	if (at >= size)
		return NULL;
	*value = line + at + 1;
	return find(files, line, at + 1);
}

static void free_file(struct file *file)
{
	lines_free(&file->deferred);
	free(file);
}

void file_remove(struct files *files, struct file *file)
{
	struct file **link = bucket_of(files, file->prefix, file->prefix_size);

	while (*link != file)
		link = &(*link)->next_in_bucket;
	*link = file->next_in_bucket;
	files->len--;
	free_file(file);
}

void file_sweep(struct files *files, bool (*is_over)(const struct file *))
{
	for (size_t i = 0; i < files->buckets_len; i++) {
		struct file **link = &files->buckets[i];

		while (*link != NULL) {
			struct file *file = *link;

			if (file->users > 0 || !is_over(file)) {
				link = &file->next_in_bucket;
				continue;
			}
			*link = file->next_in_bucket;
			files->len--;
			free_file(file);
		}
	}
}

void file_done(struct files *files)
{
	for (size_t i = 0; i < files->buckets_len; i++) {
		while (files->buckets[i] != NULL) {
			struct file *file = files->buckets[i];

			files->buckets[i] = file->next_in_bucket;
			free_file(file);
		}
	}
	free(files->buckets);
	*files = (struct files){ 0 };
}
