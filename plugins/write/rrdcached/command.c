/* SPDX-License-Identifier: MIT */
#include "command.h"

#include <collector/serve.h>
#include <collector/writer.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "deferred.h"
#include "loss.h"
#include "stats.h"

static const struct loss_cause too_long = {
	EMSGSIZE, "no command of rrdcached is long enough for its archives"
};

/* --- What to do ------------------------------------------------------- */

static bool flush_is_due(const struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	return daemon->flushes_len > 0 &&
	       daemon->flushes[0].position <= backlog_passed(&daemon->backlog);
}

bool command_is_wanted(struct daemon *daemon, mc_time now, mc_time *wake)
{
	struct daemon_shared *shared = daemon->shared;
	bool wanted = daemon->file != NULL;

	if (shared->statistics) {
		wanted |= now >= daemon->stats_at;
		if (daemon->stats_at < *wake)
			*wake = daemon->stats_at;
	}
	pthread_mutex_lock(&daemon->shared->lock);
	wanted |=
		daemon->create.first != NULL || flush_is_due(daemon) || daemon->check.first != NULL;
	if (daemon->create.failed != NULL) {
		wanted |= now >= daemon->create.failed_due;
		if (daemon->create.failed_due < *wake)
			*wake = daemon->create.failed_due;
	}
	pthread_mutex_unlock(&daemon->shared->lock);
	return wanted;
}

static void send_command(struct daemon *daemon, enum daemon_command command, const char *text,
			 size_t size, mc_time now)
{
	client_put(&daemon->commands, text, size);
	client_expect(&daemon->commands, 1, now);
	daemon->command = command;
}

static void send_flush(struct daemon *daemon, mc_time now) MC_REQUIRES(daemon->shared->lock)
{
	char *command = daemon->flushes[0].command;

	daemon->flushes_len--;
	memmove(daemon->flushes, daemon->flushes + 1,
		daemon->flushes_len * sizeof(*daemon->flushes));
	send_command(daemon, COMMAND_FLUSH, command, strlen(command), now);
	free(command);
}

/* It cannot be made, now or later: lines that wait for it are lost. */
static void give_up(struct daemon *daemon, struct file *file, struct loss_cause cause)
	MC_REQUIRES(daemon->shared->lock)
{
	const struct lines *deferred = &file->deferred;
	size_t path_size;
	const char *path = file_path(file, &path_size);

	loss_add(daemon, loss_count(file, lines_text(deferred), lines_size(deferred)), cause, path,
		 path_size);
	deferred_clear(daemon, file);
	file->missing = false;
	lagging_made(daemon, file);
}

static void send_create(struct daemon *daemon, mc_time now) MC_REQUIRES(daemon->shared->lock)
{
	char text[DAEMON_CREATE_MAX];
	size_t size = create_text(daemon->file, text, sizeof(text));

	if (size > 0) {
		send_command(daemon, COMMAND_CREATE, text, size, now);
		return;
	}
	give_up(daemon, daemon->file, too_long);
	daemon->file = NULL;
}

static void send_info(struct daemon *daemon, mc_time now) MC_REQUIRES(daemon->shared->lock)
{
	char text[DAEMON_CREATE_MAX];
	size_t path_size;
	const char *path = file_path(daemon->checked, &path_size);
	int size = snprintf(text, sizeof(text), "INFO %.*s\n", (int)path_size, path);

	daemon->sources_len = 0;
	daemon->heartbeat = 0;
	daemon->rows = 0;
	send_command(daemon, COMMAND_INFO, text, (size_t)size, now);
}

void command_next(struct daemon *daemon, mc_time now, mc_time *wake)
{
	struct daemon_shared *shared = daemon->shared;

	if (daemon->command != COMMAND_NONE)
		return;
	if (shared->statistics && daemon->stats_at < *wake)
		*wake = daemon->stats_at;
	if (daemon->file_again) {
		const char *path;
		size_t size;

		path = file_path(daemon->file, &size);
		create_directories(path, size);
	}
	pthread_mutex_lock(&daemon->shared->lock);
	if (daemon->file == NULL && !flush_is_due(daemon))
		daemon->file =
			create_next(&daemon->create, now, backlog_passed(&daemon->backlog), wake);
	if (shared->statistics && now >= daemon->stats_at) {
		daemon->stats_at = now + shared->ctx->interval;
		send_command(daemon, COMMAND_STATS, "STATS\n", 6, now);
	} else if (daemon->file != NULL) {
		send_create(daemon, now);
	} else if (flush_is_due(daemon)) {
		send_flush(daemon, now);
	} else {
		daemon->checked = check_next(&daemon->check, now, wake);
		if (daemon->checked != NULL)
			send_info(daemon, now);
	}
	pthread_mutex_unlock(&daemon->shared->lock);
}

/* --- What comes of it ------------------------------------------------- */

/* Sends what waited for the file, which is there now.  For what finds no room it is made once more,
 * which does no harm: that takes a while or, when no updates are taken, comes a second later. */
static void resume_file(struct daemon *daemon, struct file *file, mc_time now)
	MC_REQUIRES(daemon->shared->lock)
{
	struct lines *deferred = &file->deferred;
	struct backlog *backlog = &daemon->backlog;

	while (deferred->len > 0) {
		const char *text = lines_text(deferred);
		size_t line = lines_first(text, lines_size(deferred));
		char *out;

		if (!backlog_fits(backlog, file->node.key_size + line)) {
			if (daemon->up)
				create_add(&daemon->create, file);
			else
				create_later(&daemon->create, file, now);
			return;
		}
		out = backlog_room(backlog, file->node.key_size + line);
		memcpy(out, file->prefix, file->node.key_size);
		memcpy(out + file->node.key_size, text, line);
		backlog_put(backlog, file->node.key_size + line, loss_count(file, text, line),
			    file->offset);
		file->position = backlog->put;
		deferred_remove(daemon, file, line);
	}
	lines_free(deferred);
	file->missing = false;
	lagging_made(daemon, file);
}

/* When one file cannot be made, ten thousand cannot: one is named, and again
 * only when all were made in between.  Returns whether that is to be logged. */
static bool complain(struct daemon *daemon, const char *path, size_t size, const char *reason,
		     mc_time now) MC_REQUIRES(daemon->shared->lock)
{
	if (daemon->refusal[0] != '\0')
		return false;
	snprintf(daemon->refusal, sizeof(daemon->refusal),
		 "'%s' cannot make '%.*s', so its updates wait: %s", daemon->address.text,
		 (int)size, path, reason);
	return mc_once_in(&daemon->refused_at, now, 60 * MC_SECOND);
}

static bool refuse_file(struct daemon *daemon, struct file *file, const char *reason, mc_time now)
	MC_REQUIRES(daemon->shared->lock)
{
	size_t size;
	const char *path = file_path(file, &size);

	file->directories = false;
	if (create_is_hopeless(reason)) {
		give_up(daemon, file, (struct loss_cause){ EIO, reason });
		return false;
	}
	create_failed(&daemon->create, file, now);
	return complain(daemon, path, size, reason, now);
}

/* A file that is there has that heartbeat: if it can hold no value, one such
 * file a minute is to be logged. */
static bool find_unheld(struct daemon *daemon, const struct file *file, int64_t heartbeat,
			mc_time now) MC_REQUIRES(daemon->shared->lock)
{
	char path[FILE_PREFIX_MAX];
	size_t size;
	const char *text = file_path(file, &size);

	snprintf(path, sizeof(path), "%.*s", (int)size, text);
	return file->row == NULL &&
	       mc_rrd_unheld(path, heartbeat, file->interval, daemon->unheld,
			     sizeof(daemon->unheld)) &&
	       mc_once_in(&daemon->unheld_at, now, 60 * MC_SECOND);
}

static void take_file(struct daemon *daemon, struct file *file, mc_time now)
	MC_REQUIRES(daemon->shared->lock)
{
	if (file->failures > 0)
		create_again(&daemon->create, now);
	file->failures = 0;
	file->made_at = now;
	file->directories = false;
	if (daemon->create.failed == NULL)
		daemon->refusal[0] = '\0';
	resume_file(daemon, file, now);
}

static void created(struct daemon *daemon, const struct reply_line *line, mc_time now)
{
	struct file *file = daemon->file;
	size_t size;
	const char *path = file_path(file, &size);
	bool done = create_succeeded(line->number, line->text);
	bool refused = false, unheld = false;

	if (!done && create_lacks_directory(line->text) && daemon->address.local &&
	    path[0] == '/' && !file->directories) {
		file->directories = true;
		daemon->file_again = true;
		return;
	}
	pthread_mutex_lock(&daemon->shared->lock);
	if (done) {
		take_file(daemon, file, now);
		unheld = find_unheld(daemon, file, file->layout->heartbeat, now);
	} else {
		refused = refuse_file(daemon, file, line->text, now);
	}
	pthread_mutex_unlock(&daemon->shared->lock);
	daemon->file = NULL;
	if (refused || unheld)
		mc_log(daemon->shared->ctx, MC_WARN, "%s",
		       refused ? daemon->refusal : daemon->unheld);
}

/* Says once that files which are there keep their archives. */
static void tell_kept(struct daemon *daemon, const struct file *file)
{
	char path[FILE_PREFIX_MAX], text[LOSS_TEXT_SIZE];
	size_t size;
	const char *from = file_path(file, &size);

	snprintf(path, sizeof(path), "%.*s", (int)size, from);
	if (daemon->kept || file->row != NULL ||
	    !mc_rrd_keeps(file->layout, path, daemon->rows, text, sizeof(text)))
		return;
	daemon->kept = true;
	mc_log(daemon->shared->ctx, MC_NOTE, "%s", text);
}

/* The last line of what INFO says. */
static void checked(struct daemon *daemon, const struct reply_line *line, mc_time now)
{
	struct file *file = daemon->checked;
	bool refused = line->kind == REPLY_STATUS;
	bool useless = refused && check_is_useless(line->number, line->text);
	bool unheld;

	pthread_mutex_lock(&daemon->shared->lock);
	if (useless)
		check_judge(file, -1, now);
	else
		check_judge(file, refused ? (int)file->layout->sources_len : daemon->sources_len,
			    now);
	unheld = daemon->heartbeat > 0 && find_unheld(daemon, file, daemon->heartbeat, now);
	pthread_mutex_unlock(&daemon->shared->lock);
	daemon->checked = NULL;
	tell_kept(daemon, file);
	if (unheld)
		mc_log(daemon->shared->ctx, MC_WARN, "%s", daemon->unheld);
}

/* A line of what INFO says. */
static void check_line(struct daemon *daemon, const char *text)
{
	int64_t heartbeat = check_heartbeat(text);

	daemon->sources_len += check_is_source(text);
	daemon->rows += check_rows(text);
	if (heartbeat > 0 && (daemon->heartbeat == 0 || heartbeat < daemon->heartbeat))
		daemon->heartbeat = heartbeat;
}

/* A sample of a type with one source, whatever its kind. */
static void put_number(struct mc_batch *batch, struct mc_series *series, uint64_t number)
{
	union mc_value value = { .counter = number };

	if (series == NULL)
		return;
	if (mc_type(series)->sources[0].kind == MC_GAUGE)
		value.gauge = (double)number;
	mc_put(batch, series, &value, 1);
}

static void put_figure(struct daemon *daemon, const char *text)
{
	struct mc_id id = { 0 };
	uint64_t number;

	if (!stats_read(text, &id, &number))
		return;
	if (daemon->stats == NULL)
		daemon->stats = mc_begin(daemon->shared->ctx);
	/* As collectd does: a daemon elsewhere is a host. */
	if (!daemon->address.local)
		id.host = daemon->address.text;
	else if (daemon->shared->several)
		id.plugin_instance = daemon->address.path;
	id.plugin = "rrdcached";
	put_number(daemon->stats, mc_series(daemon->stats, id), number);
}

static void commit_figures(struct daemon *daemon)
{
	if (daemon->stats != NULL)
		mc_commit(daemon->stats);
	daemon->stats = NULL;
}

int command_answer(struct daemon *daemon, const struct reply_line *line, mc_time now)
{
	if (daemon->command == COMMAND_NONE)
		return -EPROTO;
	if (daemon->command == COMMAND_STATS && line->kind == REPLY_DETAIL)
		put_figure(daemon, line->text);
	if (daemon->command == COMMAND_CREATE && line->kind == REPLY_STATUS) {
		daemon->file_again = false;
		created(daemon, line, now);
	}
	if (daemon->command == COMMAND_INFO && line->kind == REPLY_DETAIL)
		check_line(daemon, line->text);
	if (!line->last)
		return 0;
	if (daemon->command == COMMAND_INFO)
		checked(daemon, line, now);
	commit_figures(daemon);
	daemon->command = COMMAND_NONE;
	client_answered(&daemon->commands);
	return 0;
}

void command_abandon(struct daemon *daemon)
{
	commit_figures(daemon);
	daemon->command = COMMAND_NONE; /* daemon->file is sent again. */
	if (daemon->checked == NULL)
		return;
	pthread_mutex_lock(&daemon->shared->lock);
	daemon->checked->checking = false;
	check_add(&daemon->check, daemon->checked);
	pthread_mutex_unlock(&daemon->shared->lock);
	daemon->checked = NULL;
}
