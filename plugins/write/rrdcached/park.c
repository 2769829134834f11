/* SPDX-License-Identifier: MIT */
#include "park.h"

#include <errno.h>
#include <stdlib.h>

#include "daemon.h"

/* Where a value of that second belongs among those parked.  What was on its way
 * when the file was missed is older than what was parked at once. */
static size_t parked_before(const struct file *file, int64_t second)
{
	const char *text = lines_text(&file->parked);
	size_t size = lines_size(&file->parked), at = 0;

	if (file->parked.len == 0 || second > file->parked_second)
		return size;
	while (at < size && strtoll(text + at, NULL, 10) < second)
		at += lines_first(text + at, size - at);
	return at;
}

void park_value(struct daemon *daemon, struct file *file, const char *value,
		size_t size, struct mc_place place)
{
	struct lines *parked = &file->parked;
	int64_t second = strtoll(value, NULL, 10);
	size_t path_size;
	const char *path = file_path(file, &path_size);

	while (parked->len > 0 &&
	       daemon->parked_size + size > daemon->backlog.limit) {
		size_t oldest =
			lines_first(lines_text(parked), lines_size(parked));

		lines_remove(parked, oldest, 1);
		daemon->parked_size -= oldest;
		daemon_lose(daemon, 1, ENOBUFS,
			    "too many wait for files to be made", path,
			    path_size);
	}
	if (parked->len == 0 || place.seq < file->place.seq)
		file->place = place;
	lines_insert(parked, parked_before(file, second), value, size);
	if (parked->len == 1 || second > file->parked_second)
		file->parked_second = second;
	daemon->parked_size += size;
}

bool park_fits(const struct daemon *daemon, const struct file *file)
{
	size_t size = MC_RRD_UPDATE_SIZE(file->layout->sources_len);

	/* What is sent already may come back. */
	size += daemon->backlog.waiting_size;
	return file->parked.len == 0 ||
	       daemon->parked_size + size <= daemon->backlog.limit;
}

void park_oldest(const struct file *file, struct mc_place *oldest)
{
	for (; file != NULL; file = file->next_to_create)
		if (file->parked.len > 0 && file->place.seq < oldest->seq)
			*oldest = file->place;
}
