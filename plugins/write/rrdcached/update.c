/* SPDX-License-Identifier: MIT */
#include "update.h"

#include <errno.h>
#include <string.h>

#include "daemon.h"
#include "deferred.h"
#include "loss.h"

enum { BATCH_PIECES = 3 };
static const mc_time made_lately = 60 * MC_SECOND;
/* EACCES of stat(2): whether the file is there cannot be seen. */
static const char hidden[] = "stat failed with error 13.";

static struct iovec piece(const char *text, size_t size)
{
	return (struct iovec){ (void *)(uintptr_t)text, size };
}

/* The next batch in pieces, whose text stays where it is beyond the lock.  False without one, or if
 * it has to wait. */
static bool next_batch(struct daemon *daemon, struct iovec pieces[BATCH_PIECES], mc_time now)
{
	struct client *client = &daemon->updates;
	bool has;

	pthread_mutex_lock(&daemon->shared->lock);
	has = backlog_ready(&daemon->backlog) && reconcile_allows(daemon);
	if (has) {
		size_t size;
		const char *text = backlog_send(&daemon->backlog, &size);

		pieces[0] = piece("BATCH\n", 6);
		pieces[1] = piece(text, size);
		pieces[2] = piece(".\n", 2);
		client->put += 6 + size + 2;
		client_expect(client, 2, now);
		daemon->batch_ends[daemon->backlog.flight_len - 1] = client->put;
	}
	pthread_mutex_unlock(&daemon->shared->lock);
	return has;
}

/* A batch begins after the one before it, so that at most the rest of one is copied. */
void update_send(struct daemon *daemon, mc_time now, mc_time *wake)
{
	struct client *client = &daemon->updates;
	struct iovec pieces[BATCH_PIECES];

	reconcile_step(daemon, now, wake);
	while (client_unsent(client) == 0 && next_batch(daemon, pieces, now))
		mc_stream_send(&client->base.stream, pieces, BATCH_PIECES);
	client_send(client);
}

/* --- Answers ---------------------------------------------------------- */

/* Samples acknowledged before are not counted twice. */
static void drop_line(struct daemon *daemon, const struct backlog_line *line, int errnum,
		      const char *reason) MC_REQUIRES(daemon->shared->lock)
{
	const char *value;
	const struct file *file = file_find(&daemon->shared->files, line->text, line->size, &value);
	size_t verb = strlen("UPDATE ");
	char unfit[128];

	if (line->replay)
		return;
	if (file != NULL && file->unfit) { /* As of those that are not sent. */
		check_reason(file, unfit, sizeof(unfit));
		reason = unfit;
		errnum = EINVAL;
	}
	loss_add(daemon, loss_of_line(daemon, line->text, line->size),
		 (struct loss_cause){ errnum, reason }, line->text + verb, line->size - verb);
}

/* The file of a line is not there. */
static void miss(struct daemon *daemon, const struct backlog_line *line, const char *reason,
		 mc_time now) MC_REQUIRES(daemon->shared->lock)
{
	const char *value;
	struct file *file = file_find(&daemon->shared->files, line->text, line->size, &value);
	bool lately;

	/* The acknowledged time of a series that has ended: the file may have been removed. */
	if (line->replay && (file == NULL || file->missing))
		return;
	if (file == NULL || !daemon->shared->create_files) {
		drop_line(daemon, line, ENOENT, reason);
		return;
	}
	/* The line with its newline, which follows it. */
	deferred_value(daemon, file, value, (size_t)(line->text + line->size + 1 - value),
		       line->offset);
	if (file->missing)
		return;
	file->missing = true;
	lately = file->made_at > 0 && now - file->made_at < made_lately;
	if (!lately)
		file->failures = 0;
	if (lately)
		create_failed(&daemon->create, file, now);
	else
		create_add(&daemon->create, file);
}

/* Something else than a file stands there. */
static void find_unfit(struct daemon *daemon, const struct backlog_line *line, mc_time now)
	MC_REQUIRES(daemon->shared->lock)
{
	const char *value;
	struct file *file = file_find(&daemon->shared->files, line->text, line->size, &value);

	if (file != NULL)
		check_find_unfit(file, now);
}

static int refuse(struct daemon *daemon, const struct reply_line *reply, mc_time now)
	MC_REQUIRES(daemon->shared->lock)
{
	struct backlog_line line;

	if (!reply->numbered)
		return 0; /* The second line of an error. */
	if (!backlog_refused(&daemon->backlog, reply->number, &line))
		return -EPROTO;
	if (strncmp(reply->text, "illegal attempt", 15) == 0)
		return 0;
	if (strncmp(reply->text, "Not a regular file", 18) == 0)
		find_unfit(daemon, &line, now);
	if (strncmp(reply->text, "No such file", 12) == 0 || strcmp(reply->text, hidden) == 0)
		miss(daemon, &line, reply->text, now);
	else
		drop_line(daemon, &line, EIO, reply->text);
	return 0;
}

/* Whether not all of the oldest batch has been sent. */
static bool answers_too_early(const struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	return daemon->updates.put - client_unsent(&daemon->updates) < daemon->batch_ends[0];
}

int update_answer(struct daemon *daemon, const struct reply_line *line, mc_time now)
	MC_REQUIRES(daemon->shared->lock)
{
	int rc = 0;

	if (daemon->updates.expected == 0 || daemon->backlog.flight_len == 0)
		return -EPROTO;
	if (!daemon->batch_open) { /* "Go ahead". */
		if (line->kind != REPLY_STATUS || line->number != 0)
			return -EPROTO;
		daemon->batch_open = true;
		client_answered(&daemon->updates);
		return 0;
	}
	if (line->kind == REPLY_DETAIL)
		rc = refuse(daemon, line, now);
	else if (line->number < 0)
		rc = -EPROTO;
	if (rc == 0 && line->last && answers_too_early(daemon))
		rc = -EPROTO;
	if (rc == 0 && line->last) {
		backlog_done(&daemon->backlog);
		memmove(daemon->batch_ends, daemon->batch_ends + 1,
			sizeof(daemon->batch_ends) - sizeof(daemon->batch_ends[0]));
		daemon->batch_open = false;
		daemon->recovered |= daemon->last_error[0] != '\0';
		daemon->last_error[0] = '\0';
		client_answered(&daemon->updates);
		if (!backlog_is_full(&daemon->backlog))
			pthread_cond_broadcast(&daemon->shared->room);
	}
	return rc;
}
