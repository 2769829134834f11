/* SPDX-License-Identifier: MIT */
/* Why a thing fails, logged once: again only when the reason changes, and when
 * it is over.  Any thread. */
#ifndef COLLECTOR_ENGINE_COMPLAINT_H
#define COLLECTOR_ENGINE_COMPLAINT_H

#include <pthread.h>
#include <stdarg.h>

#include <collector/plugin.h>

#define COMPLAINT_SIZE 256

struct complaint {
	pthread_mutex_t lock;        /* Guards all below. */
	char reason[COMPLAINT_SIZE]; /* Said last by mc_fail(). */
	char logged[COMPLAINT_SIZE]; /* "": all is well. */
	uint64_t count;              /* Failures since 'logged' was logged. */
	mc_time hinted;              /* When a hint was logged; 0: never. */
};

void complaint_init(struct complaint *);
void complaint_done(struct complaint *);

/* Takes the reason down, ": " and the text of errnum appended, if that is one:
 * not 0, and not EAGAIN. */
void complaint_say(struct complaint *, int errnum, const char *fmt, va_list);

/* What became of a call: 0, or a negative errno.  Logs as 'who' when there is
 * something new to say; returns whether the call failed.  Without a reason
 * taken down, the text of the errno is it. */
bool complaint_judge(struct complaint *, const char *who, int rc);

/* Says something that is not the outcome of a call: logged unless it is what
 * was said last, and at most once in COMPLAINT_PAUSE. */
#define COMPLAINT_PAUSE (10 * MC_SECOND)
void complaint_hint(struct complaint *, const char *who, const char *fmt, ...)
	MC_PRINTF(3, 4);

/* The reason why it fails now, or "". */
void complaint_text(struct complaint *, char out[COMPLAINT_SIZE]);

#endif
