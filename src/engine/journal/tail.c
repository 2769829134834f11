/* SPDX-License-Identifier: MIT */
/* The end of the journal: the file that is open, and the frames that are not
 * known to be safe in it. */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/alloc.h"
#include "base/clock.h"
#include "base/log.h"
#include "engine/journal/journal_internal.h"

#define RETRY (1 * MC_SECOND) /* After a failure to write. */

/* --- Failures --------------------------------------------------------- */

/* Whether the kernel says that the file is on the disk; asked once per file if it says no. */
static bool is_synced(struct journal *journal)
{
	if (journal->sync == JOURNAL_SYNC_OFF || fdatasync(journal->file) == 0)
		return true;
	journal->sync_failures++; /* Leaves errno alone. */
	return false;
}

/* After a failure nothing is believed of the file that is open: it is left as
 * it is, and what is not known to be safe goes into a new one. */
int tail_give_up(struct journal *journal, int rc, const char *what)
{
	if (journal->file >= 0) {
		/* Records written before are fine: if they get to the disk they need not be written
		 * again, which may need room that only the removal of this file can make. */
		if (is_synced(journal))
			tail_forget(journal);
		close(journal->file);
	}
	journal->file = -1;
	journal->written = 0;
	journal->retry_at = clock_now() + RETRY;
	journal->write_failures++;
	if (!journal->failed)
		journal->failed_since = clock_wall();
	if (!journal->failed)
		log_error("journal: cannot %s '%s', it goes on without: %s", what, journal->path,
			  strerror(-rc));
	journal->failed = true;
	return rc;
}

/* --- Files ------------------------------------------------------------ */

static void publish_segment(struct journal *journal, const struct segment *segment)
{
	pthread_mutex_lock(&journal->lock);
	if (journal->segments_len > 0 && journal_newest(journal)->first == segment->first) {
		journal->bytes -= journal_newest(journal)->size;
		journal->segments_len--; /* It has taken its name. */
	}
	journal->segments = alloc_resize(journal->segments, journal->segments_len + 1,
					 sizeof(*journal->segments));
	journal->segments[journal->segments_len++] = *segment;
	journal->bytes += segment->size;
	pthread_mutex_unlock(&journal->lock);
}

/* A new file, with all that is not safe yet from the start. */
static int open_segment(struct journal *journal)
{
	struct frame_segment head = { .epoch = journal->epoch,
				      .first = journal->tail_start.seq,
				      .before = journal->tail_start.samples,
				      .created = clock_wall() };
	struct segment segment = {
		.first = head.first,
		.next = head.first,
		.before = head.before,
		.after = head.before,
		.size = FRAME_SEGMENT_SIZE + journal->tail_size,
		.serial = ++journal->serial,
	};
	int file = segment_create(journal->folder, &head, journal->tail, journal->tail_size,
				  journal->sync != JOURNAL_SYNC_OFF);

	if (file < 0)
		return file;
	journal->file = file;
	journal->written = journal->tail_size;
	publish_segment(journal, &segment);
	return 0;
}

void tail_forget(struct journal *journal)
{
	journal->tail_size = journal->written = journal->kept = 0;
	journal->tail_start = journal->staged;
}

/* A sync that failed is never tried again on the same file: the kernel would
 * say yes and have forgotten the data.  They are still here, in the tail. */
int tail_sync(struct journal *journal)
{
	int rc = 0;

	if (journal->file < 0 || journal->tail_size == 0)
		return 0;
	if (!is_synced(journal)) {
		rc = -errno;
		close(journal->file);
		journal->file = -1;
		journal->written = 0;
		log_error("journal: cannot sync '%s', starts a new file: %s", journal->path,
			  strerror(-rc));
		rc = open_segment(journal);
	}
	if (rc < 0)
		return tail_give_up(journal, rc, "write");
	tail_forget(journal);
	return 0;
}

/* Ends the file that is open: a reader of it knows that no more will come. */
void tail_close(struct journal *journal)
{
	if (journal->file < 0)
		return;
	if (segment_seal(journal->file, journal_newest(journal), journal->epoch) == 0) {
		pthread_mutex_lock(&journal->lock);
		journal_newest(journal)->size += FRAME_HEAD_SIZE;
		journal_newest(journal)->sealed = true;
		journal->bytes += FRAME_HEAD_SIZE;
		pthread_mutex_unlock(&journal->lock);
	}
	if (tail_sync(journal) == 0 && journal->file >= 0) {
		close(journal->file);
		journal->file = -1;
	}
}

int tail_write(struct journal *journal)
{
	int rc;

	if (journal->file < 0)
		return open_segment(journal);
	rc = segment_append(journal->file, journal_newest(journal)->size,
			    journal->tail + journal->written,
			    journal->tail_size - journal->written);
	if (rc < 0)
		return rc;
	pthread_mutex_lock(&journal->lock);
	journal_newest(journal)->size += journal->tail_size - journal->written;
	journal->bytes += journal->tail_size - journal->written;
	pthread_mutex_unlock(&journal->lock);
	journal->written = journal->tail_size;
	return 0;
}
