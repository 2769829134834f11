/* SPDX-License-Identifier: MIT */
/* A daemon that is watched: what says which processes it is, those that were
 * found, and how it is.
 *
 * read() finds the processes and reads what they use.  The thread of run()
 * waits for their ends, and asks the daemon whether it answers.  Fields with a
 * lock are both's. */
#pragma once

#include <collector/kit/command.h>
#include <collector/kit/lock.h>
#include <collector/kit/loop.h>
#include <collector/kit/regex.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>

#define DAEMON_MEMBERS_MAX 4096 /* Processes of one daemon. */

struct daemon;

struct member { /* A process. */
	struct daemon *daemon;
	uint32_t pid;
	uint64_t start;          /* Ticks since boot; 0: not visible. */
	int pidfd;               /* Of run(); -1: none. */
	struct watch *watch;     /* Of run(), as the next. */
	struct mc_loop_file end; /* Readable when the process has ended. */
	bool is_polled;          /* It has none: read() finds out that it has ended. */
	bool has_ended;          /* Guarded by the watch's lock. */

	/* Of read(): */
	int stat;              /* Descriptor of /proc/PID/stat, or -1. */
	uint64_t user, system; /* Ticks, of the last read. */
	struct mc_every pss_due;
	bool has_pss;
	double pss; /* Bytes. */
};

enum daemon_state { DAEMON_UNKNOWN, DAEMON_RUNS, DAEMON_ENDED };

struct daemon_status {
	enum daemon_state state;
	size_t len;    /* Processes. */
	mc_time since; /* When it ended, of mc_now(). */
	uint64_t restarts;

	bool was_asked; /* There is an answer, or none in time. */
	bool answers;
	double response_time; /* Seconds, of the last answer. */
};

struct daemon {
	/* Options. */
	const char *name;
	const char *unit, *pid_file, *process, *expression;
	bool all;     /* All of its processes, not only the oldest. */
	int severity; /* Of the words WARNING and FAILURE. */
	const char *socket, *host, *port, *send;
	struct mc_command_words command;
	mc_time interval, timeout;

	/* Of read(): */
	struct mc_regex *regex;
	struct member **members;
	size_t members_len;
	bool was_measured, had_files, had_pss; /* There are series. */
	uint64_t user_ticks, system_ticks;     /* Of all, also of those that ended. */

	/* Guarded by the watch's lock. */
	struct daemon_status status;
};
