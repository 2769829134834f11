/* SPDX-License-Identifier: MIT */
/* mc_read_file(): small files that are read again and again stay open.  A file
 * of /proc or /sys is made anew for every read from its start (proc(5)), so an
 * open descriptor saves two of four system calls. */
#include "engine/read/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/text.h"
#include "engine/context.h"
#include "engine/read/reading.h"

#define OPEN_MAX 16 /* Per instance; others are opened each time. */
#define TEXT_FIRST 4096
#define TEXT_MAX ((size_t)4 << 20)

struct files { /* One thread: that of a callback, or of run(). */
	struct open_file {
		char *path;
		int fd;
	} open[OPEN_MAX];
	unsigned open_len;
	char *text;
	size_t text_size;
};

void file_free(struct files *files)
{
	if (files == NULL)
		return;
	for (unsigned i = 0; i < files->open_len; i++) {
		close(files->open[i].fd);
		free(files->open[i].path);
	}
	free(files->text);
	free(files);
}

const char *mc_path(struct mc_ctx *ctx, const char *path, char *out, size_t size)
{
	const char *root = context_of(ctx)->reading->root;
	size_t root_size = strnlen(root, size - 1);

	memcpy(out, root, root_size);
	text_copy(out + root_size, size - root_size, path);
	return out;
}

static bool stays_open(const char *path)
{
	return strncmp(path, "/proc/", 6) == 0 || strncmp(path, "/sys/", 5) == 0;
}

static struct open_file *find(struct files *files, const char *path)
{
	for (unsigned i = 0; i < files->open_len; i++)
		if (strcmp(files->open[i].path, path) == 0)
			return &files->open[i];
	return NULL;
}

static void forget(struct files *files, struct open_file *file)
{
	close(file->fd);
	free(file->path);
	*file = files->open[--files->open_len];
}

/* Reads all of it into files->text; the size, or -errno. */
static ssize_t read_all(struct files *files, int fd)
{
	size_t size = 0;

	for (;;) {
		ssize_t n;

		if (size + 1 >= files->text_size) {
			if (files->text_size >= TEXT_MAX)
				return -EFBIG;
			files->text_size = files->text_size > 0 ? 2 * files->text_size : TEXT_FIRST;
			files->text = alloc_resize(files->text, files->text_size, 1);
		}
		n = pread(fd, files->text + size, files->text_size - size - 1, size);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return -errno;
		/* A short read is not the end: /proc gives a page at a time. */
		size += n;
		if (n == 0)
			break;
	}
	files->text[size] = '\0';
	return size;
}

static ssize_t read_fresh(struct files *files, struct mc_ctx *ctx, const char *path)
{
	char full[4096];
	int fd = open(mc_path(ctx, path, full, sizeof(full)), O_RDONLY | O_CLOEXEC);
	ssize_t size;

	if (fd < 0)
		return -errno;
	size = read_all(files, fd);
	if (size < 0 || !stays_open(path) || files->open_len == OPEN_MAX)
		close(fd);
	else
		files->open[files->open_len++] = (struct open_file){ alloc_copy(path), fd };
	return size;
}

static struct files *files_of(struct reading *reading)
{
	bool in_run = reading->running && pthread_equal(pthread_self(), reading->run_thread);
	struct files **files = in_run ? &reading->run_files : &reading->files;

	if (*files == NULL)
		*files = alloc_zero(sizeof(**files));
	return *files;
}

ssize_t mc_read_optional(struct mc_ctx *ctx, const char *path, char **text)
{
	struct files *files = files_of(context_of(ctx)->reading);
	struct open_file *file = find(files, path);
	ssize_t size = -ENOENT;

	if (file != NULL) {
		size = read_all(files, file->fd);
		if (size <= 0) /* Its subject is gone. */
			forget(files, file);
	}
	if (size <= 0)
		size = read_fresh(files, ctx, path);
	if (size == -ENOENT)
		return size;
	if (size < 0)
		return mc_fail(ctx, -size, "cannot read '%s'", path);
	*text = files->text;
	return size;
}

ssize_t mc_read_file(struct mc_ctx *ctx, const char *path, char **text)
{
	ssize_t size = mc_read_optional(ctx, path, text);

	if (size == -ENOENT)
		return mc_fail(ctx, ENOENT, "cannot read '%s'", path);
	return size;
}
