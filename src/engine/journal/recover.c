/* SPDX-License-Identifier: MIT */
/* Recovers the journal's folder at a start, whatever happened to it, from the files themselves,
 * without help of a person. */
#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "engine/journal/journal_internal.h"

struct found { /* A segment's file, by its name. */
	uint64_t first, epoch;
};

struct find {
	struct found *files;
	size_t files_len;
	struct mc_offset cursor; /* The one that is furthest, ... */
	uint64_t cursor_epoch;   /* ... and the epoch of its journal. */
};

static bool ends_with(const char *name, const char *end)
{
	size_t size = strlen(name), end_size = strlen(end);

	return size >= end_size && strcmp(name + size - end_size, end) == 0;
}

static void look_at(struct journal *journal, const char *name, struct find *find)
{
	struct mc_offset offset;
	struct found found;
	uint64_t epoch;

	if (frame_parse_name(name, &found.first, &found.epoch)) {
		find->files = alloc_resize(find->files, find->files_len + 1, sizeof(*find->files));
		find->files[find->files_len++] = found;
	} else if (ends_with(name, FRAME_CURSOR_SUFFIX) &&
		   cursor_read(journal->folder, name, &epoch, &offset) &&
		   offset.seq >= find->cursor.seq) {
		find->cursor = offset;
		find->cursor_epoch = epoch;
	}
}

static int by_first(const void *a, const void *b)
{
	const struct found *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

static int list(struct journal *journal, struct find *find)
{
	int copy = dup(journal->folder);
	DIR *folder = copy >= 0 ? fdopendir(copy) : NULL;
	struct dirent *entry;

	if (folder == NULL) {
		int rc = -errno;

		if (copy >= 0)
			close(copy);
		return rc;
	}
	while ((entry = readdir(folder)) != NULL)
		look_at(journal, entry->d_name, find);
	closedir(folder);
	if (find->files_len > 0)
		qsort(find->files, find->files_len, sizeof(*find->files), by_first);
	return 0;
}

/* The epoch of what is there goes on; an empty folder begins a new one. */
static void choose_epoch(struct journal *journal, const struct find *find)
{
	if (find->files_len > 0)
		journal->epoch = find->files[find->files_len - 1].epoch;
	else if (find->cursor.seq > 0)
		journal->epoch = find->cursor_epoch;
	else if (getrandom(&journal->epoch, sizeof(journal->epoch), 0) < 0)
		journal->epoch = (uint64_t)clock_wall();
}

static void take_file(struct journal *journal, const struct found *found)
{
	struct segment_damage damage = { 0 };
	char name[FRAME_NAME_SIZE];
	struct segment segment;
	int rc = -EINVAL;

	frame_segment_name(name, found->first, found->epoch);
	if (found->epoch == journal->epoch)
		rc = segment_recover(journal->folder, found->first, found->epoch, &segment,
				     &damage);
	if (damage.pieces > 0 || damage.torn > 0)
		log_warn("journal: '%s/%s' is damaged: %" PRIu64 " bytes in the middle, %" PRIu64
			 " at the end",
			 journal->path, name, damage.bytes, damage.torn);
	journal_add_damage(journal, &damage);
	if (rc == 0 && segment.next > segment.first) {
		segment.serial = ++journal->serial;
		journal->segments = alloc_resize(journal->segments, journal->segments_len + 1,
						 sizeof(*journal->segments));
		journal->segments[journal->segments_len++] = segment;
		journal->bytes += segment.size;
		return;
	}
	if (rc < 0 && rc != -ENODATA)
		log_warn("journal: '%s/%s' is set aside: %s", journal->path, name, strerror(-rc));
	/* A file without a record has nothing to keep. */
	if (rc == 0 || rc == -ENODATA)
		unlinkat(journal->folder, name, 0);
	else
		segment_set_aside(journal->folder, name);
}

/* After everything that is there, and after every cursor: a number must never be given to a second
 * record that a writer would take for the first. */
static void set_end(struct journal *journal, const struct find *find)
{
	struct mc_offset *end = &journal->done;

	*end = (struct mc_offset){ .seq = 1 };
	for (size_t i = 0; i < journal->segments_len; i++) {
		const struct segment *segment = &journal->segments[i];

		if (segment->next > end->seq)
			end->seq = segment->next;
		if (segment->after > end->samples)
			end->samples = segment->after;
	}
	if (find->cursor_epoch != journal->epoch)
		return;
	if (find->cursor.seq > end->seq && find->cursor.seq < UINT64_MAX / 2)
		end->seq = find->cursor.seq;
	if (find->cursor.samples > end->samples && find->cursor.samples < UINT64_MAX / 2)
		end->samples = find->cursor.samples;
}

int recover_files(struct journal *journal)
{
	struct find find = { 0 };
	int rc = list(journal, &find);

	if (rc == 0) {
		choose_epoch(journal, &find);
		for (size_t i = 0; i < find.files_len; i++)
			take_file(journal, &find.files[i]);
		set_end(journal, &find);
	}
	free(find.files);
	return rc;
}
