/* SPDX-License-Identifier: MIT */
#include "deferred.h"

#include <collector/journal.h>

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "daemon.h"
#include "loss.h"

static const struct loss_cause too_many = { ENOBUFS, "too many wait for files to be made" };

/* The start of the line that the byte at 'at' is in, from the line at 'low' on. */
static size_t line_start(const char *text, size_t low, size_t at)
{
	const char *newline = memrchr(text + low, '\n', at - low);

	return newline != NULL ? (size_t)(newline - text) + 1 : low;
}

/* Where a value of that second belongs among the deferred ones.  Lines on their way when the file
 * was missed are older than those deferred at once. */
static size_t deferred_before(const struct file *file, int64_t second)
{
	const char *text = lines_text(&file->deferred);
	size_t size = lines_size(&file->deferred), low = 0, high = size;

	if (file->deferred.len == 0 || second > file->deferred_second)
		return size;
	while (low < high) {
		size_t start = line_start(text, low, low + (high - low) / 2);

		if (strtoll(text + start, NULL, 10) < second)
			low = start + lines_first(text + start, size - start);
		else
			high = start;
	}
	return low;
}

/* Lines that the journal has are left there before they are too many; then only those already on
 * their way come, for which room was left. */
static bool may_exceed(const struct daemon *daemon, const struct file *file,
		       struct mc_offset offset)
{
	return daemon->behind.track != NULL && file->row == NULL &&
	       offset.seq != BACKLOG_NO_OFFSET.seq;
}

void deferred_value(struct daemon *daemon, struct file *file, const char *value, size_t size,
		    struct mc_offset offset) MC_REQUIRES(daemon->shared->lock)
{
	struct lines *deferred = &file->deferred;
	int64_t second = strtoll(value, NULL, 10);
	size_t path_size;
	const char *path = file_path(file, &path_size);

	while (!may_exceed(daemon, file, offset) && deferred->len > 0 &&
	       daemon->deferred_size + size > daemon->backlog.limit) {
		size_t oldest = lines_first(lines_text(deferred), lines_size(deferred));

		loss_add(daemon, loss_count(file, lines_text(deferred), oldest), too_many, path,
			 path_size);
		deferred_remove(daemon, file, oldest);
	}
	if (deferred->len == 0 || offset.seq < file->offset.seq)
		file->offset = offset;
	lines_insert(deferred, deferred_before(file, second), value, size);
	if (deferred->len == 1 || second > file->deferred_second)
		file->deferred_second = second;
	daemon->deferred_size += size;
	daemon->deferred_samples += loss_count(file, value, size);
}

void deferred_remove(struct daemon *daemon, struct file *file, size_t size)
	MC_REQUIRES(daemon->shared->lock)
{
	const char *oldest = lines_text(&file->deferred);

	daemon->deferred_samples -= loss_count(file, oldest, size);
	daemon->deferred_size -= size;
	lines_remove(&file->deferred, size, 1);
}

void deferred_clear(struct daemon *daemon, struct file *file) MC_REQUIRES(daemon->shared->lock)
{
	struct lines *deferred = &file->deferred;

	daemon->deferred_samples -= loss_count(file, lines_text(deferred), lines_size(deferred));
	daemon->deferred_size -= lines_size(deferred);
	lines_free(deferred);
}

bool deferred_fits(const struct daemon *daemon, const struct file *file)
	MC_REQUIRES(daemon->shared->lock)
{
	size_t size = MC_RRD_UPDATE_SIZE(file->layout->sources_len);

	/* Lines that are sent already may come back. */
	size += daemon->backlog.waiting_size;
	return file->deferred.len == 0 || daemon->deferred_size + size <= daemon->backlog.limit;
}

void deferred_oldest(const struct file *file, struct mc_offset *oldest)
{
	for (; file != NULL; file = file->next_to_create)
		if (file->deferred.len > 0 && file->offset.seq < oldest->seq)
			*oldest = file->offset;
}
