/* SPDX-License-Identifier: MIT */
#include "spool.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/serve.h>

#include "chunk.h"
#include "taken.h"

/* Read, and on their way to the journal: the samples that were made of them have about as many. */
#define PENDING_SIZE_MAX ((size_t)64 << 20)
#define CHUNKS_MAX 8 /* In one spool_work(): others wait, too. */
#define COMMIT_LIMIT (30 * MC_SECOND)
#define BACKOFF_MAX (10 * MC_SECOND)
#define ROOM_PAUSE (200 * MC_MILLISECOND) /* While the journal is full. */
#define SETTLE_PAUSE (500 * MC_MILLISECOND)
#define SERVICES_MAX 500000

struct spool_commit { /* A batch on its way to the journal. */
	struct spool_commit *next;
	struct spool *spool;
	struct spool_file *file; /* NULL: the single one. */
	struct extent *extent;   /* Of that, */
	struct extent before;    /* as it was before this batch. */
	size_t size;             /* Bytes of the file. */
	int rc;
};

/* --- Life ----------------------------------------------------------------- */

void spool_init(struct spool *spool, struct mc_ctx *ctx, const struct spool_options *options,
		int wake)
{
	*spool = (struct spool){
		.ctx = ctx,
		.options = options,
		.quota = mc_quota_new(ctx, MC_QUOTA_SOURCE, options->path, &options->limits),
		.wake = wake,
		.fresh = true,
		.backoff = { .longest = BACKOFF_MAX },
		.ingest = { .ctx = ctx,
			    .options = &options->ingest,
			    .path = options->path,
			    .services = { .len_max = SERVICES_MAX },
			    .count = &spool->count },
		.text = mc_alloc(CHUNK_SIZE + 1),
	};
	progress_init(&spool->progress, ctx->name, options->path);
	single_init(&spool->single, ctx->name, options->path);
	folder_init(&spool->folder, options->path);
	pthread_mutex_init(&spool->lock, NULL);
}

/* Batches that are not in the journal when all ends: their files are read again. */
static struct spool_commit *take_done(struct spool *spool)
{
	struct spool_commit *done;

	pthread_mutex_lock(&spool->lock);
	done = spool->done;
	spool->done = NULL;
	pthread_mutex_unlock(&spool->lock);
	return done;
}

void spool_done(struct spool *spool)
{
	struct spool_commit *commit, *next;
	struct spool_file *file;

	for (commit = take_done(spool); commit != NULL; commit = next) {
		next = commit->next;
		free(commit);
	}
	for (size_t i = 0; i < PROGRESS_IDS; i++)
		if (spool->begun[i] != NULL)
			taken_free(spool->begun[i]);
	while ((file = spool->waiting) != NULL) {
		spool->waiting = file->next;
		taken_free(file);
	}
	single_done(&spool->single);
	mc_quota_free(spool->quota);
	service_done_all(&spool->ingest.services);
	folder_done(&spool->folder);
	free(spool->text);
	pthread_mutex_destroy(&spool->lock);
}

bool spool_know(struct spool *spool, const struct mc_dedup_id *id)
{
	bool grows = single_know(&spool->single, id);

	progress_know(&spool->progress, id);
	spool->number = progress_last(&spool->progress);
	return grows;
}

/* --- What has been read --------------------------------------------------- */

/* By a thread of the core. */
static void committed(void *argument, int rc)
{
	struct spool_commit *commit = argument;
	struct spool *spool = commit->spool;
	int wake = spool->wake;
	uint64_t one = 1;

	commit->rc = rc;
	pthread_mutex_lock(&spool->lock);
	commit->next = spool->done;
	spool->done = commit;
	pthread_mutex_unlock(&spool->lock);
	if (write(wake, &one, sizeof(one)) < 0)
		return; /* It is awake. */
}

/* Has a file that is at its end read on, before all that come after it. */
static void read_on(struct spool *spool, struct spool_file *file)
{
	file->at_end = false;
	taken_wait(spool, file);
}

/* All of a file that is at its end is in the journal. */
static void finish(struct spool *spool, struct spool_file *file)
{
	spool->begun[file->number % PROGRESS_IDS] = NULL;
	if (!file->aside && folder_taken_size(&spool->folder, file->name) > file->extent.offset) {
		read_on(spool, file);
		return;
	}
	if (file->aside) {
		taken_set_aside(spool, file);
	} else {
		taken_remove(spool, file->name);
		count_add(&spool->count.files, 1);
	}
	taken_free(file);
}

/* The batch on its way has failed: it is read again, before all that come after it.  Its values
 * are with the writers; as they are not newer then, they do not count twice. */
static void go_back(struct spool *spool, const struct spool_commit *commit)
{
	struct spool_file *file = commit->file;

	*commit->extent = commit->before;
	if (mc_now() >= spool->backoff.until) /* Complains once about failures with one cause. */
		mc_backoff_failed(&spool->backoff, mc_now(), 0);
	if (file == NULL || !file->at_end)
		return;
	file->aside = false;
	spool->begun[file->number % PROGRESS_IDS] = NULL;
	read_on(spool, file);
}

static void close_file(struct spool *spool, struct spool_file *file)
{
	file->at_end = true;
	close(file->fd);
	file->fd = -1;
	spool->reading = NULL;
	if (!file->extent.pending)
		finish(spool, file);
}

static void settle(struct spool *spool, struct spool_commit *commit)
{
	commit->extent->pending = false;
	if (commit->rc != 0 && commit->rc != -ENOTSUP) {
		go_back(spool, commit);
		return;
	}
	mc_backoff_done(&spool->backoff);
	if (commit->file != NULL && commit->file->at_end)
		finish(spool, commit->file);
	if (commit->file == NULL && commit->rc == -ENOTSUP) {
		single_id(&spool->single, &spool->safe);
		spool->safe_is_new = true;
	}
}

void spool_collect(struct spool *spool)
{
	struct spool_commit *commit, *next;

	for (commit = take_done(spool); commit != NULL; commit = next) {
		next = commit->next;
		spool->pending--;
		spool->pending_size -= commit->size;
		settle(spool, commit);
		free(commit);
	}
}

/* --- Reading -------------------------------------------------------------- */

/* Takes and commits a piece of a file that has been read; 'read' says of which.
 * Returns how much of it was taken. */
static size_t commit_piece(struct spool *spool, struct spool_commit *read, size_t size)
{
	struct extent *extent = read->extent;
	struct mc_dedup_id id;

	read->spool = spool;
	read->before = *extent;
	spool->ingest.batch = mc_begin(spool->ctx);
	mc_charge(spool->ingest.batch, spool->quota);
	read->size = chunk_take(&spool->ingest, spool->text, size, &extent->skipping);
	extent->offset += read->size;
	if (read->file != NULL)
		progress_id(&spool->progress, read->file->number, extent->offset, &id);
	else
		single_id(&spool->single, &id);
	mc_set_dedup_id(spool->ingest.batch, &id);
	count_add(&spool->count.bytes, read->size);
	spool->pending++;
	spool->pending_size += read->size;
	extent->pending = true;
	mc_commit_then(spool->ingest.batch, COMMIT_LIMIT, committed,
		       mc_alloc_bytes(read, sizeof(*read)));
	spool->ingest.batch = NULL;
	return read->size;
}

/* Reads some of the file, which is closed at its end. */
static void read_some(struct spool *spool, struct spool_file *file)
{
	struct spool_commit commit = { .file = file, .extent = &file->extent };
	uint64_t offset = file->extent.offset;
	ssize_t size = pread(file->fd, spool->text, CHUNK_SIZE, (off_t)offset);
	size_t used;

	if (size <= 0 || offset + (size_t)size > PROGRESS_OFFSET_MAX) {
		file->aside = size != 0;
		close_file(spool, file);
		return;
	}
	used = commit_piece(spool, &commit, (size_t)size);
	if ((size_t)size < CHUNK_SIZE && used == (size_t)size)
		close_file(spool, file);
}

/* Whether what was read before lets the journal take more.  Of a file the next
 * batch follows when the last is safe: see progress.h. */
static bool has_room(const struct spool *spool, const struct extent *extent)
{
	return (extent == NULL || !extent->pending) && spool->pending_size < PENDING_SIZE_MAX &&
	       mc_now() >= spool->backoff.until && mc_journal_has_room(spool->ctx);
}

/* Reads on in a file that others append to.  False: nothing can be read now. */
static bool read_single(struct spool *spool)
{
	struct single *single = &spool->single;
	struct spool_commit commit = { .extent = &single->extent };
	ssize_t size;

	if (!has_room(spool, &single->extent))
		return false;
	size = single_read(single, spool->options->path, spool->text, CHUNK_SIZE);
	spool->errnum = size < 0 ? (int)-size : 0;
	if (size <= 0) {
		spool->count.oldest = 0;
		return false;
	}
	commit_piece(spool, &commit, (size_t)size);
	return true;
}

/* --- Work ----------------------------------------------------------------- */

/* Removes the oldest while more wait than may. */
static void keep_limit(struct spool *spool)
{
	struct folder *folder = &spool->folder;

	while (spool->options->limit > 0 && folder->next < folder->len &&
	       folder->bytes > (uint64_t)spool->options->limit) {
		struct folder_file *oldest = &folder->files[folder->next++];

		folder->bytes -= oldest->size;
		if (oldest->refused || unlinkat(folder->fd, oldest->name, 0) < 0)
			continue;
		count_refuse(&spool->count, spool->ctx, COUNT_LIMIT, spool->options->path,
			     oldest->name);
	}
}

/* Waiting files, and since when, for the report. */
static void count_waiting(struct spool *spool)
{
	const struct folder *folder = &spool->folder;
	uint64_t unreadable = 0;
	size_t first = folder->len;
	mc_time time = 0;

	for (size_t i = folder->len; i-- > folder->next;) {
		if (folder->files[i].refused)
			unreadable++;
		else
			first = i;
	}
	if (first < folder->len) {
		time = folder_first_time(folder, folder->files[first].name);
		if (time == 0)
			time = folder->files[first].time * MC_SECOND;
	}
	spool->count.files_waiting = folder->len - folder->next - unreadable;
	spool->count.files_unreadable = unreadable;
	spool->count.bytes_waiting = folder->bytes;
	if (spool->reading == NULL && spool->waiting == NULL)
		spool->count.oldest = time;
}

static int open_folder(struct spool *spool)
{
	int rc = 0;

	if (spool->folder.fd >= 0 && folder_is_gone(&spool->folder))
		folder_done(&spool->folder);
	if (spool->folder.fd < 0)
		rc = folder_open(&spool->folder);
	if (rc == 0 && !spool->recovered)
		rc = taken_recover(spool);
	spool->is_single = rc == -ENOTDIR;
	return rc;
}

/* When to look what is there: at once if something is new, but that which was
 * known is taken first. */
static mc_time list_due(const struct spool *spool)
{
	bool empty = spool->folder.next == spool->folder.len;

	if (empty && spool->fresh)
		return 0;
	if (empty && spool->settle_due > 0 && spool->settle_due < spool->list_due)
		return spool->settle_due;
	return spool->list_due;
}

static void list(struct spool *spool)
{
	mc_time now = mc_now();
	int rc;

	if (now < list_due(spool))
		return;
	folder_drain(&spool->folder);
	spool->fresh = false;
	spool->list_due = now + spool->ctx->interval;
	service_sweep(&spool->ingest.services, mc_timeout(spool->ctx),
		      spool->options->ingest.interval);
	spool->settle_due = 0;
	rc = open_folder(spool);
	if (spool->is_single)
		return;
	if (rc == 0)
		rc = folder_list(&spool->folder, mc_wall());
	spool->errnum = -rc;
	if (rc < 0)
		return;
	if (spool->folder.young)
		spool->settle_due = now + SETTLE_PAUSE;
	keep_limit(spool);
	count_waiting(spool);
}

static bool may_read(const struct spool *spool)
{
	const struct spool_file *file = spool->reading;

	return spool->folder.fd >= 0 && has_room(spool, file != NULL ? &file->extent : NULL);
}

void spool_found(struct spool *spool)
{
	folder_drain(&spool->folder);
	spool->fresh = true;
}

bool spool_work(struct spool *spool)
{
	spool_collect(spool);
	list(spool);
	if (spool->is_single)
		return read_single(spool);
	for (unsigned i = 0; i < CHUNKS_MAX; i++) {
		if (!may_read(spool))
			return false;
		if (spool->reading == NULL)
			spool->reading = taken_next(spool);
		if (spool->reading == NULL)
			return false;
		read_some(spool, spool->reading);
	}
	return true;
}

bool spool_safe(struct spool *spool, struct mc_dedup_id *id)
{
	bool is_new = spool->safe_is_new;

	if (is_new)
		*id = spool->safe;
	spool->safe_is_new = false;
	return is_new;
}

mc_time spool_due(const struct spool *spool)
{
	mc_time due = list_due(spool), now = mc_now();
	bool work = spool->reading != NULL || spool->waiting != NULL ||
		    spool->folder.next < spool->folder.len;

	if (spool->is_single && spool->backoff.until > now)
		return spool->backoff.until < due ? spool->backoff.until : due;

	/* A batch on its way to the journal wakes us. */
	if (!work || spool->pending > 0)
		return due;
	if (spool->backoff.until > now)
		return spool->backoff.until < due ? spool->backoff.until : due;
	return now + ROOM_PAUSE < due ? now + ROOM_PAUSE : due;
}

void spool_report(const struct spool *spool, struct mc_batch *batch, mc_time now)
{
	count_report(&spool->count, batch, spool->options->name, now);
}
