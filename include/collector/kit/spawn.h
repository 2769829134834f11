/* SPDX-License-Identifier: MIT */
/* collector/kit/spawn.h - runs programs in a loop (kit/loop.h), in libkit_spawn.
 *
 * A spawner has any number of programs.  Of each it takes 64 KiB at most before others have their
 * turn.
 *
 * The daemon never forks: posix_spawn(3) starts a small program of ours, collector-spawn, which
 * becomes the user that is asked for and then the program.  A program has a session and a process
 * group of its own, no descriptors but three, and 1,024 at most unless it asks for more, no
 * signals blocked or ignored, and no core files.  It begins in '/'.  Its group is killed when it
 * ends: its remaining processes go with it, except those that have left the group.  If the thread
 * that started it ends, the kernel kills it, too.
 *
 * All functions are for the thread of the loop.  A pipe whose reader has gone must not kill
 * the caller: the daemon ignores SIGPIPE.
 */
#pragma once

#include <collector/kit/loop.h>

struct mc_spawner;
struct mc_child; /* A program that runs. */

struct mc_child_line {
	int fd; /* 1 or 2, where it was written. */
	const char *text;
	size_t size; /* Without the newline; after it is a '\0'. */
	bool whole;  /* False: the last one, without a newline. */
};

struct mc_child_end {
	int errnum;             /* It could not be run: why, beside ...; else 0. */
	const char *why;        /* ... "cannot run"; "" if it was run. */
	int status;             /* Its exit status. */
	int signal;             /* That ended it; 0: it ended itself. */
	bool timed_out;         /* It got a signal to end when time_max was over. */
	bool flooded;           /* It was killed because of output_max. */
	uint64_t lines_skipped; /* That were longer than line_max. */
	mc_time duration;
};

struct mc_program {
	const char *const *argv; /* Ends with NULL; looked for in PATH. */
	const char *const *env;  /* "NAME=value", all it has; ends with NULL.
				  * NULL: what the daemon has. */
	const char *user;        /* Name or number; NULL: as the daemon. */
	const char *group;       /* NULL: that of the user; "A,B": A, and B as
				  * one more. */
	bool never_root;         /* As root it is not run. */
	bool may_gain_rights;    /* By sudo(8) and the like. */
	uint64_t memory_max;     /* Bytes of addresses; 0: no limit. */
	const void *input;       /* Its standard input; then, its end, ... */
	size_t input_size;
	bool input_open;   /* ... but not before mc_child_close_input(). */
	mc_time time_max;  /* Then it gets SIGTERM, and two seconds later
			    * SIGKILL; 0: no limit. */
	size_t line_max;   /* Longer lines are skipped; 0: 64 KiB. */
	size_t output_max; /* Bytes; beyond it is killed; 0: no limit. */

	/* Either may be NULL.  They may start programs, and stop others. */
	void (*line)(void *argument, const struct mc_child_line *);
	/* The last call: the child is no more. */
	void (*ended)(void *argument, const struct mc_child_end *);
	void *argument;
};

/* 'helper' is the path of collector-spawn; NULL: where it is installed, or $COLLECTOR_SPAWN.  To be
 * freed before the loop is done. */
struct mc_spawner *mc_spawner_new(struct mc_loop *, const char *helper);

/* Ends all programs, with SIGTERM, after a second with SIGKILL, and reaps them;
 * their ended() is not called.  Two seconds of real time at most.  NULL is
 * fine.
 */
void mc_spawner_free(struct mc_spawner *);

/* The path of collector-spawn, as long as the spawner. */
const char *mc_spawner_helper(const struct mc_spawner *);

/* Starts a program; all of it is copied.  0, and '*child' unless that is NULL,
 * or a negative errno: that is why collector-spawn cannot be run.  That the
 * program cannot is known later: ended() says it. */
int mc_spawn(struct mc_spawner *, const struct mc_program *, struct mc_child **child);

/* Has a program end, as if its time were over; or kills it at once. */
void mc_child_stop(struct mc_child *);
void mc_child_kill(struct mc_child *);

/* A program with an open input: has it read more, which is copied.  Text that its pipe does not
 * take waits in memory; the caller limits it by asking for its size.  Text for one that has closed
 * its input is dropped. */
void mc_child_write(struct mc_child *, const void *bytes, size_t size);
size_t mc_child_unread(const struct mc_child *);

/* It reads the end, after all that was written. */
void mc_child_close_input(struct mc_child *);

/* How many run. */
size_t mc_spawner_len(const struct mc_spawner *);
