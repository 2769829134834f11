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
#include "update.h"

enum {
	RECEIVE_SIZE = 16384,
	RECEIVES_MAX = 16,
};
static const mc_time logged_lately = 60 * MC_SECOND;
static const mc_time sweep_pause = 60 * MC_SECOND;

bool daemon_init(struct daemon *daemon, struct daemon_shared *shared,
		 const char *address, const struct daemon_rules *rules)
{
	daemon->shared = shared;
	daemon->backlog.limit = rules->limit;
	daemon->backlog.replay_limit = rules->replay_limit;
	daemon->create.pause = rules->create_pause;
	client_init(&daemon->updates, rules->timeout, rules->seed);
	client_init(&daemon->commands, rules->timeout, ~rules->seed);
	return address_parse(&daemon->address, address);
}

uint64_t daemon_done(struct daemon *daemon)
{
	uint64_t lost = daemon->backlog.waiting_len;

	client_done(&daemon->updates);
	client_done(&daemon->commands);
	for (unsigned i = 0; i < daemon->flushes_len; i++)
		free(daemon->flushes[i].command);
	for (struct file *file = daemon->create.first; file != NULL;
	     file = file->next_to_create)
		lost += file->deferred.len;
	for (struct file *file = daemon->create.failed; file != NULL;
	     file = file->next_to_create)
		lost += file->deferred.len;
	if (daemon->file != NULL)
		lost += daemon->file->deferred.len;
	backlog_free(&daemon->backlog);
	reconcile_done(daemon);
	return lost;
}

/* --- What went wrong -------------------------------------------------- */

void daemon_complain(struct daemon *daemon, const char *fmt, ...)
{
	char text[DAEMON_TEXT_SIZE];
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	pthread_mutex_lock(&daemon->shared->lock);
	if (strcmp(text, daemon->last_error) == 0)
		text[0] = '\0';
	else
		memcpy(daemon->last_error, text, sizeof(text));
	pthread_mutex_unlock(&daemon->shared->lock);
	if (text[0] != '\0')
		mc_log(daemon->shared->ctx, MC_WARN, "%s", text);
}

/* What a reason says without the path in it: "No such file: PATH", or
 * "PATH: Permission denied". */
static const char *key_of(const char *reason, size_t *size)
{
	const char *at;

	if (reason[0] != '/') {
		*size = strcspn(reason, ":");
		return reason;
	}
	while ((at = strstr(reason, ": ")) != NULL)
		reason = at + 2;
	*size = strlen(reason);
	return reason;
}

void daemon_drop(struct daemon *daemon, uint64_t samples, int errnum,
		 const char *reason, const char *what, size_t what_size)
{
	struct daemon_loss *loss = &daemon->loss;
	size_t key_size;
	const char *key;
	mc_time now;

	if (samples == 0)
		return;
	now = mc_now();
	key = key_of(reason, &key_size);
	loss->samples += samples;
	if (key_size >= sizeof(loss->reason))
		key_size = sizeof(loss->reason) - 1;
	if (loss->text[0] != '\0' && now - loss->logged_at < logged_lately &&
	    key_size == loss->key_size &&
	    memcmp(loss->reason, key, key_size) == 0)
		return;
	loss->logged_at = now;
	loss->errnum = errnum;
	loss->key_size = key_size;
	memcpy(loss->reason, key, key_size);
	snprintf(loss->text, sizeof(loss->text),
		 "updates of '%.*s' for '%s' are lost: %s", (int)what_size,
		 what, daemon->address.text, reason);
}

void daemon_report(struct daemon *daemon)
{
	char text[DAEMON_TEXT_SIZE];
	uint64_t samples;
	int errnum;

	if (daemon->recovered)
		mc_log(daemon->shared->ctx, MC_NOTE,
		       "'%s' answers again; it was sent the last %" PRIu64
		       " updates once more",
		       daemon->address.text, daemon->replayed);
	daemon->recovered = false;
	pthread_mutex_lock(&daemon->shared->lock);
	samples = daemon->loss.samples;
	daemon->loss.samples = 0;
	errnum = daemon->loss.errnum;
	if (samples > 0)
		memcpy(text, daemon->loss.text, sizeof(text));
	pthread_mutex_unlock(&daemon->shared->lock);
	if (samples > 0)
		mc_drop(daemon->shared->ctx, samples, errnum, "%s", text);
}

/* --- With the lock: what comes in ------------------------------------- */

/* At most. */
static size_t line_size(const struct file *file)
{
	return file->node.key_size +
	       MC_RRD_UPDATE_SIZE(file->layout->sources_len);
}

/* When there is no room: whether the oldest make way. */
static bool make_room(struct daemon *daemon, size_t size)
{
	bool fits;
	uint64_t lost = backlog_make_room(&daemon->backlog, size, &fits);
	const char *reason = daemon->last_error[0] != '\0' ? daemon->last_error
							   : "no answer";

	daemon_drop(daemon, lost, ENOBUFS, reason, "the oldest",
		    strlen("the oldest"));
	return fits;
}

static void put_line(struct daemon *daemon, struct file *file, int64_t second,
		     const union mc_value *values, struct mc_offset offset)
{
	struct backlog *backlog = &daemon->backlog;
	size_t size = line_size(file);
	char *out = backlog_room(backlog, size);

	memcpy(out, file->prefix, file->node.key_size);
	size = file->node.key_size + mc_rrd_update(file->layout, second, values,
						   out + file->node.key_size);
	out[size - 1] = '\n';
	backlog_put(backlog, size, offset);
	file->position = backlog->put;
	if (file->reconciled == 0 && second <= daemon->shared->started)
		reconcile_want(daemon);
}

static void lose_unfit(struct daemon *daemon, struct file *file)
{
	char reason[128];
	size_t size;
	const char *path = file_path(file, &size);

	check_reason(file, reason, sizeof(reason));
	daemon_drop(daemon, 1, EINVAL, reason, path, size);
	if (check_is_due(file, mc_now()))
		check_add(&daemon->check, file);
}

static inline bool put_at(struct daemon *daemon, struct file *file,
			  int64_t second, const union mc_value *values,
			  struct mc_offset offset)
{
	char value[MC_RRD_UPDATE_SIZE(MC_SOURCES_MAX)];
	size_t size;

	if (!file->unfit && !file->missing &&
	    !backlog_fits(&daemon->backlog, line_size(file)))
		return false;
	file->second = second;
	if (file->unfit) {
		lose_unfit(daemon, file);
	} else if (!file->missing) {
		put_line(daemon, file, second, values, offset);
	} else {
		size = mc_rrd_update(file->layout, second, values, value);
		value[size - 1] = '\n';
		deferred_value(daemon, file, value, size, offset);
	}
	return true;
}

bool daemon_put_at(struct daemon *daemon, struct file *file, int64_t second,
		   const union mc_value *values, struct mc_offset offset)
{
	return put_at(daemon, file, second, values, offset);
}

/* Of several samples in one second, RRD files take the first. */
bool daemon_put(struct daemon *daemon, struct file *file, int64_t second,
		const union mc_value *values)
{
	struct mc_offset offset = daemon->shared->offset;

	if (second <= file->second)
		return true;
	if (daemon->behind.active) {
		lagging_skip(daemon, file, second);
		return true;
	}
	if (put_at(daemon, file, second, values, offset))
		return true;
	if (!daemon->shared->several)
		return false;
	if (lagging_begin(daemon)) {
		lagging_skip(daemon, file, second);
		return true;
	}
	if (make_room(daemon, line_size(file)))
		daemon_put_at(daemon, file, second, values, offset);
	else
		daemon_drop(daemon, 1, ENOBUFS, "no answer", "the newest",
			    strlen("the newest"));
	return true;
}

struct mc_offset daemon_oldest(const struct daemon *daemon)
{
	struct mc_offset oldest = backlog_oldest(&daemon->backlog);

	deferred_oldest(daemon->create.first, &oldest);
	deferred_oldest(daemon->create.failed, &oldest);
	deferred_oldest(daemon->file, &oldest);
	return oldest;
}

/* Half of the room is left for a batch that is put as a whole, and for what
 * comes to this daemon while another is waited for. */
bool daemon_is_full(const struct daemon *daemon)
{
	return daemon->backlog.waiting_size >= daemon->backlog.limit / 2;
}

/* What is in flight is answered soon, and run() then looks for more. */
bool daemon_wants_wake(const struct daemon *daemon)
{
	return daemon->up && daemon->backlog.flight_len == 0 &&
	       daemon->backlog.waiting_len > 0;
}

void daemon_flush(struct daemon *daemon, const char *path, size_t size)
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
	return !file->missing && !file->checking &&
	       file->position <= backlog_passed(&file->daemon->backlog);
}

/* --- Connections ------------------------------------------------------ */

static void fail_updates(struct daemon *daemon, int error, mc_time now)
{
	bool was_up = daemon->updates.state == CLIENT_UP;

	client_fail(&daemon->updates, now);
	daemon->batch_open = false;
	reconcile_abandon(daemon);
	pthread_mutex_lock(&daemon->shared->lock);
	daemon->up = false;
	backlog_rewind(&daemon->backlog);
	pthread_mutex_unlock(&daemon->shared->lock);
	if (error == -EPROTO)
		return; /* That was logged. */
	daemon_complain(daemon, "%s '%s': %s",
			was_up ? "lost the connection to" : "cannot connect to",
			daemon->address.text, strerror(-error));
}

static void fail_commands(struct daemon *daemon, mc_time now)
{
	client_fail(&daemon->commands, now);
	command_abandon(daemon);
}

static void begin_updates(struct daemon *daemon)
{
	pthread_mutex_lock(&daemon->shared->lock);
	daemon->replayed = backlog_rewind(&daemon->backlog);
	reconcile_connected(daemon);
	daemon->up = true;
	pthread_mutex_unlock(&daemon->shared->lock);
}

static int connect_client(struct daemon *daemon, struct client *client,
			  mc_time now)
{
	struct address_target target;
	int rc = address_find(daemon->shared->ctx, &daemon->address,
			      client->attempts, &target);

	return rc == 0 ? client_connect(client, &target, now) : rc;
}

static int answer(struct daemon *daemon, struct client *client,
		  const struct reply_line *line, mc_time now)
{
	int rc = -EPROTO;

	if (line->kind != REPLY_BROKEN && client == &daemon->commands) {
		rc = command_answer(daemon, line, now);
	} else if (line->kind != REPLY_BROKEN &&
		   daemon->reconcile.step != RECONCILE_NONE) {
		rc = reconcile_answer(daemon, line, now);
	} else if (line->kind != REPLY_BROKEN) {
		pthread_mutex_lock(&daemon->shared->lock);
		rc = update_answer(daemon, line, now);
		pthread_mutex_unlock(&daemon->shared->lock);
	}
	if (rc == -EPROTO)
		daemon_complain(daemon, "'%s' gives no sensible answer: '%s'",
				daemon->address.text, line->text);
	return rc;
}

static int receive(struct daemon *daemon, struct client *client, mc_time now)
{
	char bytes[RECEIVE_SIZE];
	ssize_t got;
	int rc = 0;

	for (int i = 0; i < RECEIVES_MAX && rc == 0; i++) {
		const char *at = bytes;

		got = client_receive(client, bytes, sizeof(bytes), now);
		if (got <= 0)
			return (int)got;
		while (rc == 0) {
			struct reply_line line =
				reply_next(&client->reply, &at, bytes + got);

			if (line.kind == REPLY_NONE)
				break;
			rc = answer(daemon, client, &line, now);
		}
		if ((size_t)got < sizeof(bytes))
			break;
	}
	return rc;
}

static void sweep(struct daemon *daemon, mc_time now)
{
	if (now - daemon->swept_at < sweep_pause)
		return;
	daemon->swept_at = now;
	pthread_mutex_lock(&daemon->shared->lock);
	file_sweep(&daemon->shared->files, daemon_file_is_over);
	pthread_mutex_unlock(&daemon->shared->lock);
}

static void prepare_commands(struct daemon *daemon, mc_time now, mc_time *wake)
{
	struct client *client = &daemon->commands;
	int rc = 0;

	if (client->state == CLIENT_AWAY) {
		if (daemon->updates.state != CLIENT_UP ||
		    !command_is_wanted(daemon, now, wake))
			return;
		if (now >= client->retry_at)
			rc = connect_client(daemon, client, now);
	}
	if (rc == 0 && client->state == CLIENT_UP) {
		command_next(daemon, now, wake);
		rc = client_send(client, 0, now);
	}
	if (rc < 0)
		fail_commands(daemon, now);
	if (client_wake(client) < *wake)
		*wake = client_wake(client);
}

void daemon_prepare(struct daemon *daemon, mc_time now, struct pollfd *fds,
		    mc_time *wake)
{
	struct client *client = &daemon->updates;
	int rc = 0;

	if (client->state == CLIENT_AWAY && now >= client->retry_at)
		rc = connect_client(daemon, client, now);
	if (rc == 0 && client->state == CLIENT_UP)
		rc = update_send(daemon, now, wake);
	if (rc < 0)
		fail_updates(daemon, rc, now);
	if (client_wake(client) < *wake)
		*wake = client_wake(client);
	prepare_commands(daemon, now, wake);
	sweep(daemon, now);
	fds[0] = (struct pollfd){ client->fd, client_events(client), 0 };
	client = &daemon->commands;
	fds[1] = (struct pollfd){ client->fd, client_events(client), 0 };
}

void daemon_work(struct daemon *daemon, mc_time now, const struct pollfd *fds)
{
	int rc = client_send(&daemon->updates, fds[0].revents, now);

	if (rc > 0)
		begin_updates(daemon);
	if (rc == 0 && (fds[0].revents & ~POLLOUT) != 0)
		rc = receive(daemon, &daemon->updates, now);
	if (rc < 0)
		fail_updates(daemon, rc, now);
	rc = client_send(&daemon->commands, fds[1].revents, now);
	if (rc == 0 && (fds[1].revents & ~POLLOUT) != 0)
		rc = receive(daemon, &daemon->commands, now);
	if (rc < 0)
		fail_commands(daemon, now);
	daemon_report(daemon);
}

bool daemon_is_idle(struct daemon *daemon)
{
	bool idle;

	pthread_mutex_lock(&daemon->shared->lock);
	idle = daemon->backlog.waiting_len == 0 &&
	       (!daemon->up ||
		(daemon->create.first == NULL && daemon->file == NULL &&
		 daemon->flushes_len == 0));
	pthread_mutex_unlock(&daemon->shared->lock);
	return idle;
}
