/* SPDX-License-Identifier: MIT */
#include "reconcile.h"

#include <errno.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "daemon.h"

enum { ROUNDS_MAX = 20 }; /* Five seconds: a file that is written so long. */
static const mc_time steady_time = 250 * MC_MILLISECOND;

struct reconcile_file {
	size_t path, path_size; /* Of the paths. */
	int64_t first;          /* Second of the first update to be sent. */
	int64_t pending;        /* Of the first one rrdcached has; INT64_MAX. */
	int64_t last;           /* Of the last one in the file. */
	bool steady;            /* These two have not changed for a while. */
	bool over;              /* It can be left as it is. */
};

/* --- Which files ------------------------------------------------------ */

static void *grow(void *memory, size_t *room, size_t len, size_t each)
{
	if (len <= *room)
		return memory;
	while (*room < len)
		*room = *room == 0 ? 64 : 2 * *room;
	return mc_alloc_resize(memory, *room, each);
}

static void add(struct reconcile *reconcile, const char *path, size_t size, int64_t first)
{
	size_t len = reconcile->files_len++;

	reconcile->files =
		grow(reconcile->files, &reconcile->files_room, len + 1, sizeof(*reconcile->files));
	reconcile->paths =
		grow(reconcile->paths, &reconcile->paths_room, reconcile->paths_size + size, 1);
	memcpy(reconcile->paths + reconcile->paths_size, path, size);
	reconcile->files[len] = (struct reconcile_file){
		.path = reconcile->paths_size,
		.path_size = size,
		.first = first,
	};
	reconcile->paths_size += size;
}

/* The files of all lines that were not there when files were gathered last on this connection, each
 * once; those whose series have ended as often as they come: from the second time on, nothing
 * happens. */
static void gather(struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	struct reconcile *reconcile = &daemon->reconcile;
	struct backlog_mark at;
	struct backlog_line line;
	size_t verb = strlen("UPDATE ");
	bool more = backlog_seek(&daemon->backlog, reconcile->done, &at);

	reconcile->files_len = 0;
	reconcile->paths_size = 0;
	while (more && backlog_walk(&daemon->backlog, &at, &line)) {
		const char *value;
		struct file *file = file_find(&daemon->shared->files, line.text, line.size, &value);

		if (value == NULL || (file != NULL && file->reconciled == reconcile->connection))
			continue;
		if (file != NULL)
			file->reconciled = reconcile->connection;
		add(reconcile, line.text + verb, (size_t)(value - line.text) - verb - 1,
		    strtoll(value, NULL, 10));
	}
	backlog_seal(&daemon->backlog);
	reconcile->until = daemon->backlog.put;
}

void reconcile_connected(struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	struct reconcile *reconcile = &daemon->reconcile;

	reconcile->connection++;
	reconcile->done = 0;
	reconcile->wanted = backlog_is_empty(&daemon->backlog) ? 0 : daemon->backlog.put;
}

void reconcile_want(struct daemon *daemon) MC_REQUIRES(daemon->shared->lock)
{
	daemon->reconcile.wanted = daemon->backlog.put;
}

bool reconcile_allows(const struct daemon *daemon)
{
	const struct reconcile *reconcile = &daemon->reconcile;

	return reconcile->step == RECONCILE_NONE &&
	       (reconcile->wanted <= reconcile->done ||
		backlog_next(&daemon->backlog) < reconcile->done);
}

/* --- What is asked ---------------------------------------------------- */

static bool is_asked(const struct reconcile *reconcile, const struct reconcile_file *file)
{
	return !file->over && (reconcile->step != RECONCILE_FORGET || file->steady);
}

/* The next file that was asked about from the given one on. */
static size_t next_asked(const struct reconcile *reconcile, size_t at)
{
	while (at < reconcile->files_len && !is_asked(reconcile, &reconcile->files[at]))
		at++;
	return at;
}

/* Asks about all files that are not over; false if all are. */
static bool ask(struct daemon *daemon, enum reconcile_step step, mc_time now)
{
	static const char *const verbs[] = {
		[RECONCILE_PENDING] = "PENDING ",
		[RECONCILE_LAST] = "LAST ",
		[RECONCILE_FORGET] = "FORGET ",
	};
	struct reconcile *reconcile = &daemon->reconcile;
	size_t verb = strlen(verbs[step]);
	uint64_t len = 0;

	reconcile->step = step;
	for (size_t i = 0; i < reconcile->files_len; i++) {
		const struct reconcile_file *file = &reconcile->files[i];

		if (!is_asked(reconcile, file))
			continue;
		client_put(&daemon->updates, verbs[step], verb);
		client_put(&daemon->updates, reconcile->paths + file->path, file->path_size);
		client_put(&daemon->updates, "\n", 1);
		len++;
	}
	reconcile->answered = next_asked(reconcile, 0);
	if (len == 0)
		return false;
	client_expect(&daemon->updates, len, now);
	return true;
}

static void finish(struct daemon *daemon)
{
	struct reconcile *reconcile = &daemon->reconcile;

	free(reconcile->files);
	free(reconcile->paths);
	reconcile->paths = NULL;
	reconcile->files = NULL;
	reconcile->files_len = reconcile->files_room = 0;
	reconcile->paths_size = reconcile->paths_room = 0;
	reconcile->step = RECONCILE_NONE;
	reconcile->rounds = 0;
	pthread_mutex_lock(&daemon->shared->lock);
	reconcile->done = reconcile->until;
	pthread_mutex_unlock(&daemon->shared->lock);
}

void reconcile_step(struct daemon *daemon, mc_time now, mc_time *wake)
{
	struct reconcile *reconcile = &daemon->reconcile;
	bool begins;

	if (reconcile->step == RECONCILE_PAUSE && now >= reconcile->due) {
		ask(daemon, RECONCILE_PENDING, now);
	} else if (reconcile->step == RECONCILE_PAUSE) {
		if (reconcile->due < *wake)
			*wake = reconcile->due;
	} else if (reconcile->step == RECONCILE_NONE) {
		pthread_mutex_lock(&daemon->shared->lock);
		begins = daemon->backlog.flight_len == 0 && !reconcile_allows(daemon);
		if (begins)
			gather(daemon);
		pthread_mutex_unlock(&daemon->shared->lock);
		if (begins && !ask(daemon, RECONCILE_PENDING, now))
			finish(daemon);
	}
}

/* --- What comes of it ------------------------------------------------- */

/* Without an answer a file is sent its updates as it is. */
static void refused(struct daemon *daemon, struct reconcile_file *file, const char *reason)
{
	struct reconcile *reconcile = &daemon->reconcile;

	file->over = true;
	if (strstr(reason, "No such file") != NULL || !mc_once_failed(&reconcile->refusal, 0))
		return;
	mc_log(daemon->shared->ctx, MC_WARN,
	       "'%s' refuses PENDING, LAST and FORGET: updates that it lost "
	       "when it was killed may be missing: %s",
	       daemon->address.text, reason);
}

static bool is_sensible(enum reconcile_step step, const struct reply_line *line)
{
	if (line->kind == REPLY_DETAIL || line->number < 0)
		return step != RECONCILE_PAUSE;
	if (step == RECONCILE_PENDING)
		return strstr(line->text, "pending") != NULL;
	return step != RECONCILE_PAUSE && line->number == 0;
}

static void take_answer(struct daemon *daemon, struct reconcile_file *file,
			const struct reply_line *line)
{
	struct reconcile *reconcile = &daemon->reconcile;
	int64_t value = INT64_MAX;

	if (line->kind == REPLY_STATUS && line->number < 0) {
		refused(daemon, file, line->text);
		return;
	}
	switch (reconcile->step) {
	case RECONCILE_PENDING:
		if (line->kind == REPLY_STATUS) /* The next line says it. */
			reconcile->head = line->number > 0;
		if (line->kind == REPLY_STATUS ? line->number > 0 : !reconcile->head)
			return;
		if (line->kind == REPLY_DETAIL)
			value = strtoll(line->text, NULL, 10);
		reconcile->head = false;
		file->steady = file->pending == value;
		file->pending = value;
		file->over = file->pending <= file->first;
		return;
	case RECONCILE_LAST:
		value = strtoll(line->text, NULL, 10);
		file->steady &= file->last == value;
		file->last = value;
		return;
	case RECONCILE_FORGET:
		file->over = true;
		return;
	case RECONCILE_NONE:
	case RECONCILE_PAUSE:
		return;
	}
}

/* All have been answered. */
static void go_on(struct daemon *daemon, mc_time now)
{
	struct reconcile *reconcile = &daemon->reconcile;

	if (reconcile->step == RECONCILE_PENDING) {
		if (!ask(daemon, RECONCILE_LAST, now))
			finish(daemon);
		return;
	}
	if (reconcile->step == RECONCILE_LAST && reconcile->rounds > 0 &&
	    ask(daemon, RECONCILE_FORGET, now))
		return;
	reconcile->step = RECONCILE_LAST;
	if (next_asked(reconcile, 0) == reconcile->files_len) {
		finish(daemon);
	} else if (++reconcile->rounds > ROUNDS_MAX) {
		mc_log(daemon->shared->ctx, MC_WARN,
		       "'%s' writes its files all the time: updates that it "
		       "lost when it was killed may be missing",
		       daemon->address.text);
		finish(daemon);
	} else {
		reconcile->step = RECONCILE_PAUSE;
		reconcile->due = now + steady_time;
	}
}

int reconcile_answer(struct daemon *daemon, const struct reply_line *line, mc_time now)
{
	struct reconcile *reconcile = &daemon->reconcile;
	size_t at = reconcile->answered;

	if (at == reconcile->files_len || !is_sensible(reconcile->step, line))
		return -EPROTO;
	take_answer(daemon, &reconcile->files[at], line);
	if (!line->last)
		return 0;
	client_answered(&daemon->updates);
	reconcile->answered = next_asked(reconcile, at + 1);
	if (reconcile->answered < reconcile->files_len)
		return 0;
	if (client_unsent(&daemon->updates) > 0)
		return -EPROTO; /* Not all has been asked. */
	go_on(daemon, now);
	return 0;
}

void reconcile_abandon(struct daemon *daemon)
{
	if (daemon->reconcile.step != RECONCILE_NONE)
		finish(daemon);
}

void reconcile_done(struct daemon *daemon)
{
	free(daemon->reconcile.files);
	free(daemon->reconcile.paths);
}
