/* SPDX-License-Identifier: MIT */
/* Why a callback fails, logged once by the rule of collector/kit/once.h: again only when the
 * reason changes, and when it is over.  A changed number in it does not count.  Thread: any. */
#pragma once

#include <pthread.h>
#include <stdarg.h>

#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>

#define LOG_ONCE_SIZE 256
#define LOG_ONCE_HINTS 16 /* Reasons that are remembered. */

struct log_once {
	pthread_mutex_t lock;
	struct mc_once once MC_GUARDED_BY(lock);
	/* Said first by mc_fail() in this call, and how often after that. */
	char reason[LOG_ONCE_SIZE] MC_GUARDED_BY(lock);
	unsigned more MC_GUARDED_BY(lock);
	/* "": all is well. */
	char logged[LOG_ONCE_SIZE] MC_GUARDED_BY(lock);
	mc_time hinted MC_GUARDED_BY(lock); /* As of mc_once_in(). */
	struct log_once_reason {
		uint64_t sum;      /* Of a reason of log_once_hint(); */
		mc_time logged_at; /* when that was; 0: none. */
	} hints[LOG_ONCE_HINTS] MC_GUARDED_BY(lock);
};

void log_once_init(struct log_once *);
void log_once_done(struct log_once *);

/* Takes the reason down, ": " and the text of errnum appended, if that is one: not 0, and not
 * EAGAIN.  Of several before the outcome of a call the first stays: later ones may be its
 * consequence. */
void log_once_reason(struct log_once *, int errnum, const char *fmt, va_list);

/* Takes the result of a call: 0, or a negative errno.  Logs as 'who' when there is something new;
 * returns whether the call failed.  Without a reason taken down, the text of the errno is it; of
 * several, the first, with " (and 2 more)", whose number alone does not count as new. */
bool log_once_result(struct log_once *, const char *who, int rc);

/* The failure is not of a plugin's call: 'reason' is all of it; reasons that a plugin gave do not
 * count. */
void log_once_failure(struct log_once *, const char *who, const char *fmt, ...) MC_PRINTF(3, 4);

/* Logs something that is not the outcome of a call: unless a line of the same 'reason' was within
 * LOG_ONCE_AGAIN, and at most once in LOG_ONCE_PAUSE.  The text may have names that differ each
 * time. */
#define LOG_ONCE_PAUSE (10 * MC_SECOND)
#define LOG_ONCE_AGAIN (3600 * MC_SECOND)
void log_once_hint(struct log_once *, const char *who, const char *reason, const char *fmt, ...)
	MC_PRINTF(4, 5);

/* The reason why it fails now, or "". */
void log_once_text(struct log_once *, char out[LOG_ONCE_SIZE]);
