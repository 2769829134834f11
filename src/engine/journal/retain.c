/* SPDX-License-Identifier: MIT */
/* Which files of the journal stay: those that a writer still needs, as far as the quota allows. */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/log.h"
#include "engine/journal/journal_internal.h"

#define TELL_EVERY (60 * MC_SECOND) /* That samples were dropped. */

/* Removes the oldest file; false if it cannot be now. */
static bool remove_oldest(struct journal *journal)
{
	const struct segment *oldest = &journal->segments[0];
	char name[FRAME_NAME_SIZE];

	if (journal->dedup.saved < oldest->next)
		journal_keep_dedup(journal);
	frame_segment_name(name, oldest->first, journal->epoch);
	if (unlinkat(journal->folder, name, 0) < 0 && errno != ENOENT)
		return false;
	pthread_mutex_lock(&journal->lock);
	journal->bytes -= oldest->size;
	journal->segments_len--;
	memmove(journal->segments, journal->segments + 1,
		journal->segments_len * sizeof(*journal->segments));
	pthread_mutex_unlock(&journal->lock);
	return true;
}

static uint64_t lowest_cursor(const struct journal *journal)
{
	uint64_t lowest = UINT64_MAX;

	for (struct cursor *c = journal->cursors; c != NULL; c = c->older)
		if (c->next < lowest)
			lowest = c->next;
	return lowest;
}

static bool is_too_large(const struct journal *journal)
{
	return journal->bytes > journal->limit;
}

/* A disk that cannot say how much room it has is taken at its word when it is written. */
static bool is_crowded(const struct journal *journal)
{
	struct statvfs disk;

	return journal->min_free > 0 && fstatvfs(journal->folder, &disk) == 0 &&
	       (uint64_t)disk.f_bavail * disk.f_frsize < journal->min_free;
}

/* While writers lag it goes on and on: a report once in a while is enough, with all that was
 * dropped since. */
void retain_tell(struct journal *journal, mc_time pause)
{
	mc_time now = clock_now();

	if (journal->unlogged == 0 || (journal->logged_at > 0 && now - journal->logged_at < pause))
		return;
	log_warn("journal: %s '%s' is full, %" PRIu64 " samples that a writer "
		 "has not taken were dropped",
		 journal->full, journal->path, journal->unlogged);
	journal->unlogged = 0;
	journal->logged_at = now;
}

/* Removes the oldest files while 'there_is_too_much'.  A gap takes the place of
 * what some writer had not read. */
static void drop_oldest(struct journal *journal,
			bool (*there_is_too_much)(const struct journal *journal), const char *what)
{
	struct frame_gap gap = { .reason = 1 };
	uint8_t payload[FRAME_GAP_SIZE];
	uint64_t needed = lowest_cursor(journal), before = 0;

	while (journal->segments_len > 1 && there_is_too_much(journal)) {
		struct segment oldest = journal->segments[0];

		if (!remove_oldest(journal))
			break;
		journal->dropped_segments++;
		if (oldest.next <= needed)
			continue;
		if (gap.from == 0) {
			gap.from = oldest.first;
			before = oldest.before;
		}
		gap.to = journal->segments[0].first - 1;
		gap.samples = journal->segments[0].before - before;
	}
	if (gap.from == 0)
		return;
	journal->full = what;
	journal->unlogged += gap.samples;
	retain_tell(journal, TELL_EVERY);
	frame_write_gap(payload, &gap);
	journal_add(journal, &(struct journal_record){ .type = FRAME_GAP,
						       .time = clock_wall(),
						       .payload = payload,
						       .size = sizeof(payload) });
}

void retain_quota(struct journal *journal)
{
	drop_oldest(journal, is_too_large, "what may be in");
}

void retain_min_free(struct journal *journal)
{
	drop_oldest(journal, is_crowded, "the disk of");
	retain_tell(journal, TELL_EVERY); /* Files left for later. */
}

/* Removes files that every cursor has passed; the cursors are on the disk before. */
void retain_needed(struct journal *journal)
{
	uint64_t needed = lowest_cursor(journal);
	bool removed = false;

	if (journal->segments_len == 0 || journal->cursors == NULL ||
	    journal->segments[0].next > needed)
		return;
	for (struct cursor *c = journal->cursors; c != NULL; c = c->older)
		if (journal->sync != JOURNAL_SYNC_OFF && cursor_sync(c) < 0)
			return;
	if (journal->file < 0 && journal->done.seq <= needed)
		tail_forget(journal); /* No cursor needs it any more. */
	while (journal->segments_len > 0 && journal->segments[0].next <= needed &&
	       (journal->segments_len > 1 || journal->file < 0) &&
	       (journal->segments_len > 1 || journal->tail_size == 0) && remove_oldest(journal))
		removed = true;
	if (removed && journal->sync != JOURNAL_SYNC_OFF)
		fsync(journal->folder); /* Else they come back, and go again. */
}
