/* SPDX-License-Identifier: MIT */
/* The files of a journal (formats/journal/frame.h), read while a collector may be writing
 * them; nothing is changed. */
#include "ctl/journal/journal.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define LOCK_NAME "lock"

/* --- Files --------------------------------------------------------------- */

static int by_first(const void *a, const void *b)
{
	const struct journal_segment *left = a, *right = b;

	return (left->first > right->first) - (left->first < right->first);
}

static bool ends_with(const char *name, const char *end)
{
	size_t size = strlen(name), end_size = strlen(end);

	return size > end_size && strcmp(name + size - end_size, end) == 0;
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Whether a collector has it: it holds a lock as long as it runs. */
static bool is_locked(int folder)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	int file = openat(folder, LOCK_NAME, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);
	bool locked;

	if (file < 0)
		return false;
	locked = fcntl(file, F_OFD_GETLK, &whole) == 0 && whole.l_type != F_UNLCK;
	close(file);
	return locked;
}

static void take_name(struct journal *journal, const char *name)
{
	struct journal_segment segment = { 0 };

	journal->found |= strcmp(name, LOCK_NAME) == 0;

	if (frame_parse_name(name, &segment.first, &segment.epoch)) {
		segment.name = alloc_copy(name);
		journal->segments =
			alloc_resize(journal->segments, journal->segments_len + 1, sizeof(segment));
		journal->segments[journal->segments_len++] = segment;
	} else if (ends_with(name, FRAME_CURSOR_SUFFIX)) {
		journal->cursors = alloc_resize(journal->cursors, journal->cursors_len + 1,
						sizeof(*journal->cursors));
		journal->cursors[journal->cursors_len++] = alloc_copy(name);
	}
}

int journal_open(struct journal *journal, const char *path)
{
	DIR *list = opendir(path);
	struct dirent *entry;

	journal->path = path;
	if (list == NULL)
		return ctl_failed("cannot read '%s': %s", path, strerror(errno));
	while ((entry = readdir(list)) != NULL)
		take_name(journal, entry->d_name);
	journal->folder = dup(dirfd(list));
	closedir(list);
	if (!journal->found && journal->segments_len == 0 && journal->cursors_len == 0)
		return ctl_failed("there is no journal in '%s'", path);
	journal->in_use = is_locked(journal->folder);
	if (journal->cursors_len > 0)
		qsort(journal->cursors, journal->cursors_len, sizeof(*journal->cursors), by_name);
	if (journal->segments_len > 0)
		qsort(journal->segments, journal->segments_len, sizeof(*journal->segments),
		      by_first);
	return CTL_OK;
}

void journal_close(struct journal *journal)
{
	for (size_t i = 0; i < journal->segments_len; i++)
		free(journal->segments[i].name);
	for (size_t i = 0; i < journal->cursors_len; i++)
		free(journal->cursors[i]);
	free(journal->segments);
	free(journal->cursors);
	if (journal->folder >= 0)
		close(journal->folder);
}

/* The bytes that the file has at this moment. */
static bool load(const struct journal *journal, struct journal_segment *segment)
{
	int file = openat(journal->folder, segment->name,
			  O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;
	size_t got = 0;
	ssize_t n = 1;

	segment->data = NULL;
	segment->size = 0;
	if (file < 0)
		return false;
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode)) {
		segment->data = alloc_zero(st.st_size);
		while (got < (size_t)st.st_size && n > 0) {
			n = read(file, segment->data + got, st.st_size - got);
			got += n > 0 ? n : 0;
		}
		segment->size = got;
	}
	close(file);
	return segment->data != NULL;
}

/* --- Records ------------------------------------------------------------- */

static void take_record(struct journal *journal, struct journal_segment *segment,
			const struct frame *frame)
{
	if (journal->next > 0 && frame->before > journal->before) {
		journal->gaps++;
		journal->missing += frame->before - journal->before;
	}
	journal->next = frame->seq + 1;
	journal->before = frame->before + frame->samples;
	if (frame->type == FRAME_SEAL) {
		segment->sealed = true;
		return;
	}
	segment->records++;
	segment->samples += frame->samples;
	if (frame->type != FRAME_BATCH)
		return;
	if (segment->oldest == 0)
		segment->oldest = frame->time;
	segment->newest = frame->time;
}

static void check_head(struct journal_segment *segment)
{
	struct frame_segment head;

	segment->headless = frame_read_segment(segment->data, segment->size, &head) != 0 ||
			    head.first != segment->first || head.epoch != segment->epoch;
}

/* Goes through the records of a file; those that a later file has again are the later file's. */
static void walk(struct journal *journal, struct journal_segment *segment, uint64_t end,
		 journal_visit *visit)
{
	struct frame_walk walk = { segment->data, segment->size, FRAME_SEGMENT_SIZE, segment->epoch,
				   segment->first - 1 };
	enum frame_step step;
	struct frame frame;
	size_t from;

	while ((step = frame_next(&walk, &frame, &from)) != FRAME_END) {
		if (step == FRAME_DAMAGED) {
			segment->pieces++;
			segment->damaged += walk.at - from;
		} else if (step == FRAME_REST) {
			segment->rest = walk.at - from;
		} else if (frame.seq < end || frame.type == FRAME_SEAL) {
			take_record(journal, segment, &frame);
			if (visit != NULL && frame.type != FRAME_SEAL)
				visit(journal, segment, &frame);
		}
	}
}

/* Loads one file after the other; only one is in memory at a time. */
int journal_each(struct journal *journal, journal_visit *visit)
{
	for (size_t i = 0; i < journal->segments_len; i++) {
		struct journal_segment *segment = &journal->segments[i];
		bool last = i + 1 == journal->segments_len;
		uint64_t end = last ? UINT64_MAX : journal->segments[i + 1].first;

		if (!load(journal, segment)) {
			if (errno == ENOENT) /* Removed meanwhile. */
				continue;
			return ctl_failed("cannot read '%s/%s': %s", journal->path, segment->name,
					  strerror(errno));
		}
		check_head(segment);
		walk(journal, segment, end, visit);
		segment->growing = last && journal->in_use && segment->rest > 0;
		journal->damaged += segment->damaged + segment->headless;
		if (!segment->growing)
			journal->damaged += segment->rest;
		free(segment->data);
	}
	return CTL_OK;
}
