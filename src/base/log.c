/* SPDX-License-Identifier: MIT */
/* The log.  One of the files with mutable variables of their own: a process
 * has one log.  $JOURNAL_STREAM: systemd.exec(5). */
#include "base/log.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <syslog.h>
#include <time.h>
#include <unistd.h>

#include <collector/kit/lock.h>

#include "base/clock.h"
#include "base/line_limit.h"
#include "base/text.h"

#define LINE_SIZE 1000

struct target {
	void (*write)(void *argument, enum mc_level, const char *line);
	void *argument;
};

static struct {
	_Atomic int stderr_level;
	_Atomic int journal;   /* 1: standard error is the journal; -1: unknown. */
	pthread_rwlock_t lock; /* Writers of lines share it. */
	struct target targets[LOG_TARGETS_MAX] MC_GUARDED_BY(lock);
	unsigned targets_len MC_GUARDED_BY(lock);
	pthread_mutex_t limit_lock;
	struct line_limit limit MC_GUARDED_BY(limit_lock);
} state = { .stderr_level = MC_NOTE,
	    .journal = -1,
	    .lock = PTHREAD_RWLOCK_INITIALIZER,
	    .limit_lock = PTHREAD_MUTEX_INITIALIZER };

static const struct {
	const char *name;
	int priority;
} levels[] = {
	[MC_ERROR] = { "error", LOG_ERR },    [MC_WARN] = { "warning", LOG_WARNING },
	[MC_NOTE] = { "notice", LOG_NOTICE }, [MC_INFO] = { "info", LOG_INFO },
	[MC_DEBUG] = { "debug", LOG_DEBUG },
};

const char *log_level_name(enum mc_level level)
{
	return levels[level].name;
}

bool log_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	unsigned long long dev, ino;
	struct stat st;

	if (state.journal >= 0)
		return state.journal;
	state.journal = stream != NULL && sscanf(stream, "%llu:%llu", &dev, &ino) == 2 &&
			fstat(STDERR_FILENO, &st) == 0 && st.st_dev == dev && st.st_ino == ino;
	return state.journal;
}

static void to_stderr(enum mc_level level, const char *line)
{
	char text[LINE_SIZE + 64], now[24] = "";
	time_t t = time(NULL);
	struct tm tm;
	int n;

	if (log_is_journal()) {
		n = snprintf(text, sizeof(text), "<%d>%s\n", levels[level].priority, line);
	} else {
		strftime(now, sizeof(now), "%F %T", localtime_r(&t, &tm));
		n = snprintf(text, sizeof(text), "%s %-7s %s\n", now, levels[level].name, line);
	}
	/* Without standard error there is nowhere to report. */
	if (n > 0 && write(STDERR_FILENO, text, n) < 0)
		return;
}

/* The text of a line; control characters become '?'. */
static void format(char line[LINE_SIZE], const char *source, const char *fmt, va_list args)
{
	int n = 0;

	if (source != NULL)
		n = snprintf(line, LINE_SIZE, "%s: ", source);
	if (n >= 0 && (size_t)n < LINE_SIZE)
		vsnprintf(line + n, LINE_SIZE - n, fmt, args);
	text_make_printable(line);
}

static void put(enum mc_level level, const char *line)
{
	if ((int)level <= state.stderr_level)
		to_stderr(level, line);
	pthread_rwlock_rdlock(&state.lock);
	for (unsigned i = 0; i < state.targets_len; i++)
		state.targets[i].write(state.targets[i].argument, level, line);
	pthread_rwlock_unlock(&state.lock);
}

void log_tell_left_out(void)
{
	char line[LINE_SIZE];
	enum mc_level level;
	bool more;

	do {
		pthread_mutex_lock(&state.limit_lock);
		more = line_limit_told(&state.limit, clock_now(), &level, line, sizeof(line));
		pthread_mutex_unlock(&state.limit_lock);
		if (more)
			put(level, line);
	} while (more);
}

void log_va(enum mc_level level, const char *source, const char *fmt, va_list args)
{
	char line[LINE_SIZE];
	bool passes = true;

	format(line, source, fmt, args);
	log_tell_left_out();
	if (level != MC_DEBUG) {
		pthread_mutex_lock(&state.limit_lock);
		passes = line_limit_pass(&state.limit, level, line, clock_now());
		pthread_mutex_unlock(&state.limit_lock);
	}
	if (passes)
		put(level, line);
}

void log_all(enum mc_level level, const char *fmt, ...)
{
	char line[LINE_SIZE];
	va_list args;

	va_start(args, fmt);
	format(line, NULL, fmt, args);
	va_end(args);
	put(level, line);
}

void log_line(enum mc_level level, const char *fmt, ...)
{
	va_list args;

	va_start(args, fmt);
	log_va(level, NULL, fmt, args);
	va_end(args);
}

int log_add_target(void (*write_line)(void *, enum mc_level, const char *), void *argument)
{
	int rc = -ENOSPC;

	pthread_rwlock_wrlock(&state.lock);
	if (state.targets_len < LOG_TARGETS_MAX) {
		state.targets[state.targets_len++] = (struct target){ write_line, argument };
		rc = 0;
	}
	pthread_rwlock_unlock(&state.lock);
	return rc;
}

void log_remove_target(void *argument)
{
	unsigned kept = 0;

	pthread_rwlock_wrlock(&state.lock);
	for (unsigned i = 0; i < state.targets_len; i++)
		if (state.targets[i].argument != argument)
			state.targets[kept++] = state.targets[i];
	state.targets_len = kept;
	pthread_rwlock_unlock(&state.lock);
}

void log_to_stderr(int level)
{
	state.stderr_level = level;
}
