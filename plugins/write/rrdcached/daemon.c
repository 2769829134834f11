/* SPDX-License-Identifier: MIT */
#include "daemon.h"

#include <collector/journal.h>
#include <collector/writer.h>

#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "command.h"
#include "deferred.h"
#include "enqueue.h"
#include "loss.h"
#include "update.h"

static const mc_time sweep_pause = 60 * MC_SECOND;

static uint64_t count_samples(void *daemon, const char *line, size_t size) MC_NO_LOCK
{
	return loss_of_line(daemon, line, size);
}

static const struct client_calls update_calls, command_calls;

bool daemon_init(struct daemon *daemon, struct daemon_shared *shared, const char *address,
		 const struct daemon_rules *rules) MC_NO_LOCK
{
	bool valid = address_parse(&daemon->address, address);

	daemon->shared = shared;
	daemon->backlog.limit = rules->limit;
	daemon->backlog.replay_limit = rules->replay_limit;
	daemon->backlog.count = rules->joined ? count_samples : NULL;
	daemon->backlog.argument = daemon;
	daemon->create.pause = rules->create_pause;
	daemon->updates.daemon = daemon->commands.daemon = daemon;
	daemon->updates.calls = &update_calls;
	daemon->commands.calls = &command_calls;
	client_init(&daemon->updates, &shared->streams, &daemon->address, rules->timeout);
	client_init(&daemon->commands, &shared->streams, &daemon->address, rules->timeout);
	return valid;
}

uint64_t daemon_done(struct daemon *daemon) MC_NO_LOCK
{
	uint64_t lost = daemon_waiting(daemon);

	client_close(&daemon->updates);
	client_close(&daemon->commands);
	for (unsigned i = 0; i < daemon->flushes_len; i++)
		free(daemon->flushes[i].command);
	backlog_free(&daemon->backlog);
	reconcile_done(daemon);
	return lost;
}

/* --- With the lock: new lines ----------------------------------------- */

/* Whether the update was left in the journal, with those before it, or because
 * there is no room in memory. */
static bool leave(struct daemon *daemon, struct file *file, int64_t second)
	MC_REQUIRES(daemon->shared->lock)
{
	if (!lagging_holds(daemon, file) &&
	    (!file->missing || deferred_fits(daemon, file) || !lagging_leave(daemon, file)))
		return false;
	daemon->shared->begun += lagging_skip(daemon, file, second);
	return true;
}

/* RRD files take the first of several samples in one second. */
bool daemon_put(struct daemon *daemon, struct file *file, int64_t second,
		const union mc_value *values) MC_REQUIRES(daemon->shared->lock)
{
	struct mc_offset offset = daemon->shared->offset;
	uint64_t samples;

	if (second <= file->second || leave(daemon, file, second))
		return true;
	samples = enqueue_update(daemon, file, second, values, offset);
	daemon->shared->begun += samples;
	if (samples > 0)
		return true;
	if (!daemon->shared->several)
		return false;
	if (lagging_begin(daemon) && leave(daemon, file, second))
		return true;
	if (enqueue_make_room(daemon, file))
		daemon->shared->begun += enqueue_update(daemon, file, second, values, offset);
	else
		loss_add(daemon, 1, (struct loss_cause){ ENOBUFS, "no answer" }, "the newest",
			 strlen("the newest"));
	return true;
}

uint64_t daemon_waiting(const struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	return daemon->backlog.waiting_samples + daemon->deferred_samples + daemon->behind.missing +
	       daemon->behind.lost;
}

struct mc_offset daemon_oldest(const struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	struct mc_offset oldest = backlog_oldest(&daemon->backlog), left;

	deferred_oldest(daemon->create.first, &oldest);
	deferred_oldest(daemon->create.failed, &oldest);
	deferred_oldest(daemon->file, &oldest);
	left = lagging_oldest(daemon);
	return left.seq < oldest.seq ? left : oldest;
}

const char *daemon_failure(const struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	if (!daemon->up && daemon->last_error[0] != '\0')
		return daemon->last_error;
	return daemon->refusal[0] != '\0' ? daemon->refusal : daemon->unheld;
}

/* Requests in flight are answered soon, and run() then looks for more. */
bool daemon_wants_wake(const struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	return daemon->up && daemon->backlog.flight_len == 0 && daemon->backlog.waiting_len > 0;
}

void daemon_flush(struct daemon *daemon, const char *path, size_t size)
	MC_REQUIRES(daemon->shared->lock)
{
	struct daemon_flush *flush = &daemon->flushes[daemon->flushes_len];
	size_t room = strlen("FLUSH \n") + size + 1;

	if (daemon->flushes_len == DAEMON_FLUSHES_MAX)
		return;
	flush->position = daemon->backlog.put;
	flush->command = mc_alloc(room);
	snprintf(flush->command, room, "FLUSH %.*s\n", (int)size, path);
	daemon->flushes_len++;
}

bool daemon_file_is_over(const struct file *file)
{
	return !file->missing && !file->checking && !lagging_holds(file->daemon, file) &&
	       file->position <= backlog_passed(&file->daemon->backlog);
}

/* --- Connections ------------------------------------------------------ */

static void updates_failed(struct daemon *daemon, const char *why)
{
	bool was_up;

	daemon->batch_open = false;
	reconcile_abandon(daemon);
	pthread_mutex_lock(&daemon->shared->lock);
	was_up = daemon->up;
	daemon->up = false;
	backlog_rewind(&daemon->backlog);
	pthread_mutex_unlock(&daemon->shared->lock);
	if (why != NULL)
		loss_complain(daemon, "%s '%s': %s",
			      was_up ? "lost the connection to" : "cannot connect to",
			      daemon->address.text, why);
	mc_stream_client_open(&daemon->updates.base);
}

static void commands_failed(struct daemon *daemon, const char *why)
{
	(void)why;
	command_abandon(daemon);
}

static void updates_opened(struct daemon *daemon)
{
	pthread_mutex_lock(&daemon->shared->lock);
	daemon->replayed = backlog_rewind(&daemon->backlog);
	reconcile_connected(daemon);
	daemon->up = true;
	pthread_mutex_unlock(&daemon->shared->lock);
}

/* 'rc' is that of an answer. */
static int judge_answer(struct daemon *daemon, const struct reply_line *line, int rc)
{
	if (rc == -EPROTO)
		loss_complain(daemon, "'%s' gives no sensible answer: '%s'", daemon->address.text,
			      line->text);
	return rc;
}

static int updates_answer(struct daemon *daemon, const struct reply_line *line, mc_time now)
{
	int rc = -EPROTO;

	if (line->kind != REPLY_BROKEN && daemon->reconcile.step != RECONCILE_NONE) {
		rc = reconcile_answer(daemon, line, now);
	} else if (line->kind != REPLY_BROKEN) {
		pthread_mutex_lock(&daemon->shared->lock);
		rc = update_answer(daemon, line, now);
		pthread_mutex_unlock(&daemon->shared->lock);
	}
	return judge_answer(daemon, line, rc);
}

static int commands_answer(struct daemon *daemon, const struct reply_line *line, mc_time now)
{
	int rc = line->kind != REPLY_BROKEN ? command_answer(daemon, line, now) : -EPROTO;

	return judge_answer(daemon, line, rc);
}

static const struct client_calls update_calls = {
	.opened = updates_opened,
	.answer = updates_answer,
	.failed = updates_failed,
};
static const struct client_calls command_calls = {
	.answer = commands_answer,
	.failed = commands_failed,
};

static void sweep(struct daemon *daemon, mc_time now)
{
	if (now - daemon->swept_at < sweep_pause)
		return;
	daemon->swept_at = now;
	pthread_mutex_lock(&daemon->shared->lock);
	file_sweep(&daemon->shared->files, daemon_file_is_over);
	pthread_mutex_unlock(&daemon->shared->lock);
}

static void step_commands(struct daemon *daemon, mc_time now, mc_time *wake)
{
	struct client *client = &daemon->commands;

	if (client_is_up(client)) {
		command_next(daemon, now, wake);
		client_send(client);
	}
	if (client->base.state == MC_STREAM_CLIENT_CLOSED && client_is_up(&daemon->updates) &&
	    command_is_wanted(daemon, now, wake))
		mc_stream_client_open(&client->base);
}

void daemon_step(struct daemon *daemon, mc_time now, mc_time *wake)
{
	struct client *client = &daemon->updates;

	if (client_is_up(client))
		update_send(daemon, now, wake);
	else if (client->base.state == MC_STREAM_CLIENT_CLOSED)
		mc_stream_client_open(&client->base);
	step_commands(daemon, now, wake);
	sweep(daemon, now);
	loss_report(daemon);
}

bool daemon_is_idle(struct daemon *daemon)
{
	bool idle;

	pthread_mutex_lock(&daemon->shared->lock);
	idle = daemon->backlog.waiting_len == 0 &&
	       (!daemon->up ||
		(daemon->create.first == NULL && daemon->file == NULL && daemon->flushes_len == 0));
	pthread_mutex_unlock(&daemon->shared->lock);
	return idle;
}

void daemon_tell_safe(struct daemon *daemon)
{
	struct mc_offset oldest;

	pthread_mutex_lock(&daemon->shared->lock);
	oldest = daemon_oldest(daemon);
	if (oldest.seq == BACKLOG_NO_OFFSET.seq)
		oldest = daemon->shared->offset;
	pthread_mutex_unlock(&daemon->shared->lock);
	lagging_tell_safe(daemon, oldest);
}
