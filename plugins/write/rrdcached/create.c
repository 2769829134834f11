/* SPDX-License-Identifier: MIT */
#include "create.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

static const mc_time retry_first = 10 * MC_SECOND;
static const mc_time retry_last = 300 * MC_SECOND;

/* RRD files begin after 1980, says librrd. */
static const int64_t first_second = INT64_C(315619200);

void create_add(struct create *create, struct file *file)
{
	file->next_to_create = NULL;
	if (create->first == NULL)
		create->first = file;
	else
		create->last->next_to_create = file;
	create->last = file;
}

/* Moves what is due to the others. */
static void bring_back(struct create *create, mc_time now)
{
	struct file *list = create->failed;

	create->failed = NULL;
	create->failed_due = INT64_MAX;
	while (list != NULL) {
		struct file *file = list;

		list = file->next_to_create;
		if (file->due <= now) {
			create_add(create, file);
			continue;
		}
		file->next_to_create = create->failed;
		create->failed = file;
		if (file->due < create->failed_due)
			create->failed_due = file->due;
	}
}

struct file *create_next(struct create *create, mc_time now, uint64_t passed, mc_time *wake)
{
	struct file *file;

	if (create->failed != NULL && now >= create->failed_due)
		bring_back(create, now);
	if (create->failed != NULL && create->failed_due < *wake)
		*wake = create->failed_due;
	file = create->first;
	if (file == NULL || file->position > passed)
		return NULL; /* An answer wakes us. */
	if (now < create->next) {
		if (create->next < *wake)
			*wake = create->next;
		return NULL;
	}
	/* A short sleep that ends late is made good, a long one is not. */
	if (create->next < now - 100 * MC_MILLISECOND)
		create->next = now;
	create->next += create->pause;
	create->first = file->next_to_create;
	file->next_to_create = NULL;
	return file;
}

static void add_due(struct create *create, struct file *file, mc_time due)
{
	file->due = due;
	if (create->failed == NULL || file->due < create->failed_due)
		create->failed_due = file->due;
	file->next_to_create = create->failed;
	create->failed = file;
}

void create_failed(struct create *create, struct file *file, mc_time now)
{
	mc_time delay = retry_first << (file->failures < 5 ? file->failures : 5);

	if (delay > retry_last)
		delay = retry_last;
	file->failures++;
	add_due(create, file, now + delay);
}

void create_later(struct create *create, struct file *file, mc_time now)
{
	add_due(create, file, now + MC_SECOND);
}

void create_again(struct create *create, mc_time now)
{
	for (struct file *file = create->failed; file != NULL; file = file->next_to_create) {
		file->due = now;
		file->failures = 0;
	}
	create->failed_due = now;
}

size_t create_text(const struct file *file, char *out, size_t size)
{
	const struct mc_rrd_layout *layout = file->layout;
	size_t path_size, used;
	const char *path = file_path(file, &path_size);
	int64_t begin = strtoll(lines_text(&file->deferred), NULL, 10) - 1;

	if (begin < first_second)
		begin = first_second;
	used = (size_t)snprintf(out, size, "CREATE %.*s -s %lu -b %" PRId64 " -O", (int)path_size,
				path, layout->step, begin);
	for (int i = 0; i < layout->argc && used < size; i++)
		used += (size_t)snprintf(out + used, size - used, " %s", layout->argv[i]);
	if (used + 1 >= size)
		return 0;
	out[used] = '\n';
	return used + 1;
}

bool create_succeeded(long status, const char *text)
{
	return status >= 0 || strstr(text, "File exists") != NULL;
}

bool create_lacks_directory(const char *text)
{
	return strstr(text, "recursively create") != NULL ||
	       strstr(text, "No such file or directory") != NULL;
}

bool create_is_hopeless(const char *text)
{
	static const int errors[] = { EISDIR, ENOTDIR, ENAMETOOLONG, ELOOP };

	for (size_t i = 0; i < sizeof(errors) / sizeof(*errors); i++)
		if (strstr(text, strerror(errors[i])) != NULL)
			return true;
	return false;
}

void create_directories(const char *path, size_t size)
{
	char name[FILE_PREFIX_MAX];
	size_t used = 0;

	for (size_t i = 0; i < size; i++) {
		if (path[i] == '\\')
			i++;
		name[used] = '\0';
		/* rrdcached will report an obstacle. */
		if (path[i] == '/' && used > 0)
			mkdir(name, 0777);
		name[used++] = path[i];
	}
}
