/* SPDX-License-Identifier: MIT */
/* The life of the journal: it is opened, its records are made safe, it is closed. */
#include "engine/journal/journal.h"

#include <collector/journal.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "engine/journal/journal_internal.h"
#include "engine/journal/journal_reader.h"
#include "formats/journal/dedup_id.h"

#define TAIL_MAX ((size_t)1 << 20) /* Bytes kept until they are synced. */
#define SEGMENT_SIZE_MAX ((uint64_t)8 << 20)
#define SEGMENT_SIZE_MIN ((uint64_t)64 << 10)

/* Those of records that no table has yet. */
static void read_receipts(struct journal *journal)
{
	struct dedup *dedup = &journal->dedup;
	struct reader *reader;
	struct mc_dedup_id receipt;
	struct frame frame;
	uint64_t seq;

	dedup_open(dedup, journal->folder, journal->epoch);
	if (!dedup->used)
		return;
	reader = journal_reader_new(journal);
	for (seq = dedup->saved; journal_reader_next(reader, seq, &frame) > 0; seq = frame.seq + 1)
		if (frame.type == FRAME_BATCH && dedup_id_read(frame.payload, frame.size, &receipt))
			dedup_take(dedup, &receipt);
	journal_reader_free(reader);
}

struct dedup *journal_receipts(struct journal *journal)
{
	return &journal->dedup;
}

static void recovered(struct journal *journal)
{
	if (journal->failed)
		log_note("journal: '%s' is written again", journal->path);
	journal->failed = false;
}

static void publish_records(struct journal *journal)
{
	pthread_mutex_lock(&journal->lock);
	journal_newest(journal)->next = journal->staged.seq;
	journal_newest(journal)->after = journal->staged.samples;
	journal->done = journal->staged;
	pthread_mutex_unlock(&journal->lock);
	journal->kept = journal->tail_size;
	for (size_t i = 0; i < journal->signed_len; i++)
		dedup_take(&journal->dedup, journal->signed_for[i]);
	journal->signed_len = 0;
	recovered(journal);
}

static int sync_as_told(struct journal *journal)
{
	if (journal->sync == JOURNAL_SYNC_INTERVAL && journal->tail_size < TAIL_MAX)
		return 0;
	return tail_sync(journal);
}

int journal_commit(struct journal *journal)
{
	int rc;

	if (journal->staged.seq == journal->done.seq)
		return 0;
	rc = journal_is_ready(journal) ? tail_write(journal) : -EIO;
	if (rc < 0) {
		journal->tail_size = journal->kept;
		journal->staged = journal->done;
		journal->signed_len = 0;
		return journal_is_ready(journal) ? tail_give_up(journal, rc, "write") : rc;
	}
	publish_records(journal);
	rc = sync_as_told(journal);
	journal->kept = journal->tail_size;
	if (journal->file >= 0 && journal_newest(journal)->size >= journal->segment_size) {
		tail_close(journal);
		journal_keep_dedup(journal);
	}
	retain_quota(journal);
	return 0;
}

void journal_tick(struct journal *journal)
{
	journal_commit(journal); /* A gap may have been added. */
	if (journal->file < 0 && journal->tail_size > 0 && journal_is_ready(journal)) {
		int rc = tail_write(journal);

		if (rc < 0)
			tail_give_up(journal, rc, "write");
		else
			publish_records(journal);
	}
	/* Not by the time of the sync before: that took a while itself, and a
	 * tick that came a moment too early would leave it to the next. */
	tail_sync(journal);
	journal->kept = journal->tail_size;
	retain_needed(journal);
	retain_min_free(journal);
}

/* --- Its life --------------------------------------------------------- */

/* The folder is ours alone, and this process is the only one that uses it. */
static int open_folder(struct journal *journal)
{
	struct flock whole = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
	struct stat st;

	if (mkdir(journal->path, 0700) < 0 && errno != EEXIST)
		return -errno;
	journal->folder = open(journal->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
	if (journal->folder < 0 || fstat(journal->folder, &st) < 0)
		return -errno;
	if (st.st_uid != geteuid() || (st.st_mode & 077) != 0)
		return -EPERM;
	journal->lock_file =
		openat(journal->folder, "lock", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (journal->lock_file < 0)
		return -errno;
	if (fcntl(journal->lock_file, F_OFD_SETLK, &whole) < 0)
		return errno == EAGAIN || errno == EACCES ? -EBUSY : -errno;
	return 0;
}

int journal_open(const struct journal_settings *settings, struct journal **journal)
{
	struct journal *new = alloc_zero(sizeof(*new));
	int rc;

	new->path = alloc_copy(settings->path);
	new->sync = settings->sync;
	new->limit = settings->bytes;
	new->min_free = settings->min_free;
	new->segment_size = settings->bytes / 8;
	if (new->segment_size > SEGMENT_SIZE_MAX)
		new->segment_size = SEGMENT_SIZE_MAX;
	if (new->segment_size < SEGMENT_SIZE_MIN)
		new->segment_size = SEGMENT_SIZE_MIN;
	new->folder = new->lock_file = new->file = -1;
	pthread_mutex_init(&new->lock, NULL);
	rc = open_folder(new);
	if (rc == 0)
		rc = recover_files(new);
	if (rc < 0) {
		journal_close(new);
		return rc;
	}
	new->staged = new->done;
	tail_forget(new);
	read_receipts(new);
	*journal = new;
	return 0;
}

void journal_close(struct journal *journal)
{
	struct cursor *cursor;

	if (journal == NULL)
		return;
	if (journal->file >= 0 && journal_commit(journal) == 0) {
		tail_close(journal);
		journal_keep_dedup(journal);
	}
	retain_tell(journal, 0);
	if (journal->file >= 0)
		close(journal->file);
	while ((cursor = journal->cursors) != NULL) {
		journal->cursors = cursor->older;
		cursor_sync(cursor);
		cursor_free(cursor);
	}
	if (journal->lock_file >= 0)
		close(journal->lock_file);
	if (journal->folder >= 0)
		close(journal->folder);
	pthread_mutex_destroy(&journal->lock);
	dedup_close(&journal->dedup);
	free(journal->signed_for);
	free(journal->segments);
	free(journal->tail);
	free(journal->path);
	free(journal);
}

/* The one that the writer had before, or another one. */
static struct cursor *take_cursor(struct journal *journal, const char *writer)
{
	struct cursor *cursor = journal->cursors;

	while (cursor != NULL && strcmp(cursor->writer, writer) != 0)
		cursor = cursor->older;
	if (cursor != NULL)
		return cursor;
	cursor = cursor_new(journal->folder, writer, journal->epoch);
	cursor->next = UINT64_MAX;
	if (cursor->file < 0)
		log_warn("journal: there is no cursor for '%s' in '%s', after "
			 "a restart it begins at the oldest record",
			 writer, journal->path);
	pthread_mutex_lock(&journal->lock);
	cursor->older = journal->cursors;
	journal->cursors = cursor;
	pthread_mutex_unlock(&journal->lock);
	return cursor;
}

struct cursor *journal_cursor(struct journal *journal, const char *writer, struct mc_offset *offset)
{
	struct cursor *cursor = take_cursor(journal, writer);
	struct journal_status status;
	struct mc_offset found;

	journal_count(journal, &status);
	if (!cursor_find(cursor, &found) || found.seq > status.end.seq ||
	    found.samples > status.end.samples)
		found = journal_start(journal);
	cursor->next = found.seq;
	/* It has its room from now on, also when the disk gets full. */
	cursor_move(cursor, &found);
	*offset = found;
	return cursor;
}
