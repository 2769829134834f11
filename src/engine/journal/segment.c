/* SPDX-License-Identifier: MIT */
/* One file of the journal.  Data are written with pwrite() alone: no stdio, whose buffers die with
 * the process, and no mapping, which turns a full disk into a signal. */
#include "engine/journal/segment.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"

#define NEW_NAME "new.tmp"
#define MODE 0600

static int write_all(int file, uint64_t at, const uint8_t *data, size_t size)
{
	while (size > 0) {
		ssize_t done = pwrite(file, data, size, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		data += done;
		at += done;
		size -= done;
	}
	return 0;
}

static int read_all(int file, uint64_t at, uint8_t *data, size_t size)
{
	while (size > 0) {
		ssize_t done = pread(file, data, size, at);

		if (done < 0 && errno == EINTR)
			continue;
		if (done <= 0)
			return done < 0 ? -errno : -EIO;
		data += done;
		at += done;
		size -= done;
	}
	return 0;
}

/* --- Writing ------------------------------------------------------------- */

int segment_create(int folder, const struct frame_segment *head, const uint8_t *frames, size_t size,
		   bool sync)
{
	uint8_t bytes[FRAME_SEGMENT_SIZE];
	char name[FRAME_NAME_SIZE];
	int rc, file;

	if (unlinkat(folder, NEW_NAME, 0) < 0 && errno != ENOENT)
		return -errno;
	file = openat(folder, NEW_NAME, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	if (file < 0)
		return -errno;
	frame_write_segment(bytes, head);
	frame_segment_name(name, head->first, head->epoch);
	rc = write_all(file, 0, bytes, sizeof(bytes));
	if (rc == 0)
		rc = write_all(file, sizeof(bytes), frames, size);
	if (rc == 0 && sync && fdatasync(file) < 0)
		rc = -errno;
	if (rc == 0 && renameat(folder, NEW_NAME, folder, name) < 0)
		rc = -errno;
	if (rc == 0 && sync && fsync(folder) < 0)
		rc = -errno;
	if (rc == 0)
		return file;
	unlinkat(folder, NEW_NAME, 0);
	close(file);
	return rc;
}

int segment_append(int file, uint64_t at, const uint8_t *frames, size_t size)
{
	int rc = write_all(file, at, frames, size);

	if (rc < 0 && ftruncate(file, at) < 0)
		return rc; /* A torn tail: the next start cuts it off. */
	return rc;
}

int segment_seal(int file, const struct segment *segment, uint64_t epoch)
{
	uint8_t bytes[FRAME_HEAD_SIZE];
	struct frame seal = { .type = FRAME_SEAL, .seq = segment->next, .before = segment->after };

	frame_write(bytes, &seal, epoch);
	return segment_append(file, segment->size, bytes, sizeof(bytes));
}

/* --- Reading ------------------------------------------------------------- */

static int open_file(int folder, const char *name, int flags)
{
	int file = openat(folder, name, flags | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat st;

	if (file < 0)
		return -errno;
	if (fstat(file, &st) == 0 && S_ISREG(st.st_mode))
		return file;
	close(file);
	return -EINVAL;
}

int segment_open(int folder, uint64_t first, uint64_t epoch)
{
	char name[FRAME_NAME_SIZE];

	frame_segment_name(name, first, epoch);
	return open_file(folder, name, O_RDONLY);
}

/* Whether the last bytes of a file are a seal; then they say it all. */
static bool read_seal(int file, struct segment *segment, uint64_t epoch)
{
	uint8_t bytes[FRAME_HEAD_SIZE];
	struct frame_walk walk = { bytes, sizeof(bytes), 0, epoch, segment->first - 1 };
	struct frame frame;
	size_t from;

	if (segment->size < FRAME_SEGMENT_SIZE + sizeof(bytes) ||
	    read_all(file, segment->size - sizeof(bytes), bytes, sizeof(bytes)) < 0 ||
	    frame_next(&walk, &frame, &from) != FRAME_RECORD || frame.type != FRAME_SEAL)
		return false;
	segment->sealed = true;
	segment->next = frame.seq;
	segment->after = frame.before;
	return true;
}

/* Where the frames are counted that a file has, and where the good ones end. */
static uint64_t scan(int folder, const uint8_t *data, struct segment *segment, uint64_t epoch,
		     struct segment_damage *damage)
{
	struct frame_walk walk = { data, segment->size, FRAME_SEGMENT_SIZE, epoch,
				   segment->first - 1 };
	enum frame_step step;
	struct frame frame;
	bool any = false;
	size_t from;

	while ((step = frame_next(&walk, &frame, &from)) != FRAME_END) {
		if (step == FRAME_REST)
			return from;
		if (step == FRAME_DAMAGED) {
			damage->pieces++;
			damage->bytes += walk.at - from;
			segment_keep_bad(folder, segment, from, data + from, walk.at - from);
			if (frame.seq == 0)
				continue;
		}
		if (!any && segment->before == 0)
			segment->before = frame.before;
		any = true;
		segment->after = frame.before + frame.samples;
		segment->sealed = frame.type == FRAME_SEAL;
		segment->next = frame.seq + !segment->sealed;
	}
	return segment->size;
}

/* Reads the whole of a file that was left unsealed, cuts its end off where no
 * frame is any more, and seals it. */
static int repair(int folder, int file, struct segment *segment, uint64_t epoch,
		  struct segment_damage *damage)
{
	uint8_t *data = alloc_zero(segment->size);
	int rc = read_all(file, 0, data, segment->size);
	uint64_t end;

	if (rc < 0)
		goto out;
	end = scan(folder, data, segment, epoch, damage);
	if (end < segment->size) {
		damage->torn += segment->size - end;
		segment_keep_bad(folder, segment, end, data + end, segment->size - end);
		if (ftruncate(file, end) < 0)
			rc = -errno;
		segment->size = end;
	}
	if (rc == 0 && !segment->sealed && segment->next > segment->first &&
	    segment_seal(file, segment, epoch) == 0) {
		segment->size += FRAME_HEAD_SIZE;
		fdatasync(file); /* Else the next start seals it again. */
	}
out:
	free(data);
	return rc;
}

int segment_recover(int folder, uint64_t first, uint64_t epoch, struct segment *segment,
		    struct segment_damage *damage)
{
	uint8_t bytes[FRAME_SEGMENT_SIZE] = { 0 };
	struct frame_segment head;
	char name[FRAME_NAME_SIZE];
	struct stat st;
	bool headless = false;
	int file, rc;

	frame_segment_name(name, first, epoch);
	file = open_file(folder, name, O_RDWR);
	if (file < 0)
		return file;
	rc = fstat(file, &st) < 0 ? -errno : 0;
	*segment =
		(struct segment){ .first = first, .next = first, .size = rc == 0 ? st.st_size : 0 };
	if (rc == 0 && segment->size < FRAME_SEGMENT_SIZE)
		rc = -ENODATA;
	if (rc == 0)
		rc = read_all(file, 0, bytes, sizeof(bytes));
	if (rc == 0)
		rc = frame_read_segment(bytes, sizeof(bytes), &head);
	if (rc == 0 && (head.first != first || head.epoch != epoch))
		rc = -EBADMSG; /* It was another file's. */
	if (rc == 0)
		segment->before = segment->after = head.before;
	if (rc == -EBADMSG) { /* The name says what is needed of the head. */
		damage->pieces++;
		damage->bytes += sizeof(bytes);
		headless = true;
		rc = 0;
	}
	if (rc == 0 && (headless || !read_seal(file, segment, epoch)))
		rc = repair(folder, file, segment, epoch, damage);
	close(file);
	return rc;
}

/* --- What is damaged ------------------------------------------------------ */

/* The folder for it, made if need be; -ENOSPC when it is full. */
static int open_bad(int folder)
{
	unsigned len = 0;
	int bad, copy;
	DIR *list;

	if (mkdirat(folder, SEGMENT_BAD, 0700) < 0 && errno != EEXIST)
		return -errno;
	bad = openat(folder, SEGMENT_BAD, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (bad < 0)
		return -errno;
	copy = dup(bad);
	list = copy >= 0 ? fdopendir(copy) : NULL;
	if (list == NULL) {
		if (copy >= 0)
			close(copy);
		return bad;
	}
	while (readdir(list) != NULL)
		len++;
	closedir(list);
	if (len < SEGMENT_BAD_MAX + 2)
		return bad;
	close(bad);
	return -ENOSPC;
}

void segment_keep_bad(int folder, const struct segment *segment, uint64_t at, const uint8_t *bytes,
		      size_t size)
{
	int bad = open_bad(folder), file;
	char name[64];

	if (bad < 0)
		return;
	snprintf(name, sizeof(name), "%016" PRIx64 "-%" PRIu64 ".bytes", segment->first, at);
	file = openat(bad, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, MODE);
	if (file >= 0) {
		if (write_all(file, 0, bytes, size) < 0)
			unlinkat(bad, name, 0);
		close(file);
	}
	close(bad);
}

int segment_set_aside(int folder, const char *name)
{
	int bad = open_bad(folder), rc = 0;
	char other[NAME_MAX + 1];

	if (bad == -ENOSPC) { /* It stays, under a name that no reader looks for. */
		snprintf(other, sizeof(other), "%.200s.aside", name);
		return renameat(folder, name, folder, other) < 0 ? -errno : 0;
	}
	if (bad < 0)
		return bad;
	if (renameat(folder, name, bad, name) < 0)
		rc = -errno;
	close(bad);
	return rc;
}
