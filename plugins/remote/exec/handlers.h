/* SPDX-License-Identifier: MIT */
/* NotificationExec: notifications that wait, and the programs that get them.
 * See collectd-exec(5), "NOTIFICATION DATA FORMAT". */
#pragma once

#include <pthread.h>

#include <collector/kit/command.h>
#include <collector/kit/lock.h>
#include <collector/kit/loop.h>

#define HANDLERS_WAITING_MAX 64 /* Notifications. */

struct handler {
	struct handlers *all;
	struct mc_command command;
};

struct handlers {
	struct handler *items;
	size_t len;
	size_t running_max;           /* Programs. */
	mc_time time_max;             /* Of each. */
	size_t running;               /* Only run(). */
	struct mc_loop_wakeup wakeup; /* A notification waits; watched by exec.c. */
	pthread_mutex_t lock;
	/* A ring of texts. */
	char *waiting[HANDLERS_WAITING_MAX] MC_GUARDED_BY(lock);
	unsigned first MC_GUARDED_BY(lock), waiting_len MC_GUARDED_BY(lock);
};

/* 'all' are struct mc_command_words; 'running_max' and 'time_max' are set.
 * 'env' must live as long.  0 or a negative errno; it is to be stopped in any
 * case.
 */
int handlers_start(struct handlers *, struct mc_ctx *, const struct mc_blocks *all,
		   const char *const *env);
/* How many notifications no program has got. */
unsigned handlers_stop(struct handlers *);

/* For notify(): false if too many wait. */
bool handlers_add(struct handlers *, struct mc_ctx *, const struct mc_notification *);

/* In the loop: starts programs for those that wait. */
void handlers_work(struct handlers *, struct mc_spawner *);
