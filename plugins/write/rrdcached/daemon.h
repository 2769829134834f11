/* SPDX-License-Identifier: MIT */
/* One rrdcached.  Two connections: one for updates, and one for all that takes
 * rrdcached longer (CREATE, FLUSH, STATS), so that updates wait for none of it.
 *
 * write() puts updates into the backlog; run() alone touches the connections.
 * One lock for all daemons guards what both use. */
#pragma once

#include <collector/journal.h>
#include <collector/kit/lock.h>
#include <collector/writer.h>

#include <pthread.h>

#include "backlog.h"
#include "check.h"
#include "client.h"
#include "create.h"
#include "lagging.h"
#include "loss.h"
#include "reconcile.h"

enum {
	DAEMON_FLUSHES_MAX = 256, /* FLUSHes that wait; more are left out. */
	DAEMON_CREATE_MAX = 4000, /* rrdcached reads 4096 bytes at once. */
};

struct daemon_shared { /* Shared by all daemons of an instance. */
	struct mc_ctx *ctx;
	const char *data_dir; /* May be NULL. */
	bool create_files, statistics, several;
	pthread_mutex_t lock;
	pthread_cond_t room; /* A backlog has become shorter. */
	struct mc_map files MC_GUARDED_BY(lock);
	/* The record of the lines put now, and the one after it. */
	struct mc_offset offset MC_GUARDED_BY(lock);
	uint64_t end MC_GUARDED_BY(lock);
	/* Samples put of a batch that write() has not taken as a whole. */
	uint64_t begun MC_GUARDED_BY(lock);
	struct mc_stream_room streams;
	struct mc_loop_wakeup wakeup;   /* run() has something to do. */
	bool woken MC_GUARDED_BY(lock); /* It knows. */
	int64_t started;                /* Second; a process before us may have sent older ones. */
};

enum daemon_command { COMMAND_NONE, COMMAND_CREATE, COMMAND_FLUSH, COMMAND_INFO, COMMAND_STATS };

struct daemon_flush {
	uint64_t position; /* Of the backlog, which must have passed it. */
	char *command;
};

struct daemon {
	struct daemon_shared *shared;
	struct address address;

	struct backlog backlog MC_GUARDED_BY(shared->lock);
	struct create create MC_GUARDED_BY(shared->lock);
	struct check check MC_GUARDED_BY(shared->lock);
	struct behind behind;       /* Both say what of them the lock */
	struct reconcile reconcile; /* guards. */
	size_t deferred_size MC_GUARDED_BY(shared->lock);
	uint64_t deferred_samples MC_GUARDED_BY(shared->lock);
	struct daemon_flush flushes[DAEMON_FLUSHES_MAX] MC_GUARDED_BY(shared->lock);
	unsigned flushes_len MC_GUARDED_BY(shared->lock);
	bool up MC_GUARDED_BY(shared->lock);
	/* Why it does not answer; "" if it does. */
	char last_error[LOSS_TEXT_SIZE] MC_GUARDED_BY(shared->lock);
	/* Which file it cannot make, and why; "": none. */
	char refusal[LOSS_TEXT_SIZE] MC_GUARDED_BY(shared->lock);
	/* Which file can hold no value; "": none that is known. */
	char unheld[LOSS_TEXT_SIZE] MC_GUARDED_BY(shared->lock);
	struct loss loss MC_GUARDED_BY(shared->lock);

	/* Only by run(). */
	struct client updates, commands;
	bool batch_open;                         /* "Go ahead" has come. */
	uint64_t batch_ends[BACKLOG_FLIGHT_MAX]; /* In what was put. */
	bool recovered;                          /* To be logged, */
	uint64_t replayed;                       /* and how many were sent again. */
	mc_time refused_at;                      /* When one of a CREATE was logged. */
	enum daemon_command command;             /* Sent, not answered: */
	struct file *file;                       /* Of CREATE. */
	bool file_again;                         /* To be made at once, with directories. */
	struct file *checked;                    /* Of INFO; */
	int sources_len;                         /* number of those reported, */
	int64_t heartbeat;                       /* and the least of theirs; 0: none; */
	uint64_t rows;                           /* rows of its archives. */
	bool kept;                               /* It was logged that files keep theirs. */
	mc_time unheld_at;                       /* When a file that holds nothing was logged. */
	mc_time stats_at;                        /* When to ask again. */
	struct mc_batch *stats;                  /* Number of answers so far. */
	mc_time swept_at;
};

struct daemon_rules {
	size_t limit, replay_limit; /* Bytes. */
	bool joined;                /* A file may have several series. */
	mc_time timeout, create_pause;
};

/* The address must live as long; false if it is invalid. */
bool daemon_init(struct daemon *, struct daemon_shared *, const char *address,
		 const struct daemon_rules *);

/* Returns how many samples are lost with it. */
uint64_t daemon_done(struct daemon *);

/* --- With the lock ---------------------------------------------------- */

/* Takes an update of one of its files; losses go to daemon->loss.  False, and nothing done: there
 * is no room, and it must be put again.  Not one of several daemons: what these have no room for is
 * left in the journal or, without one, the oldest is lost, so that none waits for another. */
bool daemon_put(struct daemon *, struct file *, int64_t second, const union mc_value *values);

/* Samples that it was given and has not acknowledged, wherever they wait. */
uint64_t daemon_waiting(const struct daemon *);

/* The oldest offset of all that is not known to be safe with rrdcached, or
 * BACKLOG_NO_OFFSET.  The caller locks. */
struct mc_offset daemon_oldest(const struct daemon *);

/* Why they wait, or what else is wrong; "": nothing. */
const char *daemon_failure(const struct daemon *);

/* Whether run() should be woken for new lines. */
bool daemon_wants_wake(const struct daemon *);

/* Sends FLUSH for a file when what was put before has been sent. */
void daemon_flush(struct daemon *, const char *path, size_t size);

/* Whether the file, which has no users, has nothing that waits. */
bool daemon_file_is_over(const struct file *);

/* --- By run(), without the lock --------------------------------------- */

/* After each round of the loop: connects and sends as far as it is time, reports losses, and
 * makes '*wake' earlier if need be. */
void daemon_step(struct daemon *, mc_time now, mc_time *wake);

/* Whether all is sent and answered, as far as that is possible. */
bool daemon_is_idle(struct daemon *);

/* Reports to the journal from where on it must keep samples for this daemon.  Without the lock. */
void daemon_tell_safe(struct daemon *);
