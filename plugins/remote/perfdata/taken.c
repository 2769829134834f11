/* SPDX-License-Identifier: MIT */
#include "taken.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

void taken_free(struct spool_file *file)
{
	if (file->fd >= 0)
		close(file->fd);
	free(file);
}

void taken_wait(struct spool *spool, struct spool_file *file)
{
	struct spool_file **at = &spool->waiting;

	while (*at != NULL && (*at)->number < file->number)
		at = &(*at)->next;
	file->next = *at;
	*at = file;
}

static struct spool_file *new_file(const char *name, uint64_t number)
{
	struct spool_file *file = mc_alloc_zero(sizeof(*file));

	snprintf(file->name, sizeof(file->name), "%s", name);
	file->number = number;
	file->fd = -1;
	return file;
}

void taken_remove(struct spool *spool, const char *name)
{
	if (unlinkat(spool->folder.taken, name, 0) < 0 && errno != ENOENT)
		mc_complain(spool->ctx, &spool->once, errno, "cannot remove '%s/.taken/%s'",
			    spool->options->path, name);
}

/* A file that was taken before this start: it may be in the journal. */
static void recover_file(struct spool *spool, const char *name)
{
	uint64_t number = folder_number(name), offset;
	struct spool_file *file;

	if (number == 0 || number > PROGRESS_NUMBER_MAX)
		return;
	if (progress_finished(&spool->progress, number, &offset)) {
		taken_remove(spool, name);
		return;
	}
	file = new_file(name, number);
	file->extent.offset = offset;
	if (number > spool->number)
		spool->number = number;
	taken_wait(spool, file);
}

int taken_recover(struct spool *spool)
{
	int fd = openat(spool->folder.taken, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *directory = fd >= 0 ? fdopendir(fd) : NULL;
	struct dirent *entry;

	if (directory == NULL) {
		int errnum = errno;

		if (fd >= 0)
			close(fd);
		return -errnum;
	}
	while ((entry = readdir(directory)) != NULL)
		recover_file(spool, entry->d_name);
	closedir(directory);
	spool->recovered = true;
	return 0;
}

void taken_set_aside(struct spool *spool, const struct spool_file *file)
{
	count_refuse(&spool->count, spool->ctx, COUNT_UNREADABLE, spool->options->path, file->name);
	folder_set_aside(&spool->folder, file->name);
}

/* Opens a file that was taken.  0 or a negative errno: -EAGAIN if it waits, as the file is not the
 * cause. */
static int open_file(struct spool *spool, struct spool_file *file)
{
	int rc = folder_open_taken(&spool->folder, file->name);

	if (rc >= 0) {
		file->fd = rc;
		return 0;
	}
	if (rc != -EMFILE && rc != -ENFILE && rc != -ENOMEM) {
		taken_set_aside(spool, file);
		return rc;
	}
	mc_complain(spool->ctx, &spool->once, -rc, "cannot open '%s/.taken/%s', tries again",
		    spool->options->path, file->name);
	taken_wait(spool, file);
	return -EAGAIN;
}

/* Takes the next one that waits in the folder; NULL: none does. */
static struct spool_file *take_next(struct spool *spool)
{
	struct folder *folder = &spool->folder;
	char name[FOLDER_NAME_SIZE];

	while (folder->next < folder->len) {
		struct folder_file *next = &folder->files[folder->next++];
		int rc;

		folder->bytes -= next->size;
		if (next->refused)
			continue;
		rc = folder_take(folder, next->name, spool->number + 1, name);
		if (rc == 0) {
			mc_works(spool->ctx, &spool->once, "files of '%s' can be taken",
				 spool->options->path);
			return new_file(name, ++spool->number);
		}
		if (rc != -ENOENT)
			mc_complain(spool->ctx, &spool->once, -rc, "cannot take '%s' of '%s'",
				    next->name, spool->options->path);
	}
	return NULL;
}

/* Whether the file before it of its id is not finished. */
static bool must_wait(const struct spool *spool, uint64_t number)
{
	return spool->begun[number % PROGRESS_IDS] != NULL;
}

struct spool_file *taken_next(struct spool *spool)
{
	struct spool_file *file;
	int rc;

	for (;;) {
		file = spool->waiting;
		if (must_wait(spool, file != NULL ? file->number : spool->number + 1))
			return NULL;
		if (file != NULL)
			spool->waiting = file->next;
		else
			file = take_next(spool);
		if (file == NULL)
			return NULL;
		file->next = NULL;
		rc = open_file(spool, file);
		if (rc == 0) {
			spool->begun[file->number % PROGRESS_IDS] = file;
			return file;
		}
		if (rc == -EAGAIN)
			return NULL;
		taken_free(file);
	}
}
