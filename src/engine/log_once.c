/* SPDX-License-Identifier: MIT */
/* Why a thing fails, logged once. */
#include "engine/log_once.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

#include "base/clock.h"
#include "base/log.h"

#define MORE_SIZE 24 /* Of " (and 4294967295 more)" with its end. */

void log_once_init(struct log_once *log_once)
{
	*log_once = (struct log_once){ 0 };
	pthread_mutex_init(&log_once->lock, NULL);
}

void log_once_done(struct log_once *log_once)
{
	pthread_mutex_destroy(&log_once->lock);
}

void log_once_reason(struct log_once *log_once, int errnum, const char *fmt, va_list args)
{
	char reason[LOG_ONCE_SIZE];
	int n = vsnprintf(reason, sizeof(reason), fmt, args);

	/* A batch to be offered again is not a reason. */
	if (n >= 0 && (size_t)n < sizeof(reason) && errnum != 0 && errnum != EAGAIN)
		snprintf(reason + n, sizeof(reason) - n, ": %s", strerror(errnum));
	pthread_mutex_lock(&log_once->lock);
	if (log_once->reason[0] == '\0')
		memcpy(log_once->reason, reason, sizeof(reason));
	else
		log_once->more++;
	pthread_mutex_unlock(&log_once->lock);
}

static void forget_reason(struct log_once *log_once) MC_REQUIRES(log_once->lock)
{
	log_once->reason[0] = '\0';
	log_once->more = 0;
}

/* The text for the log: the reason, and how many more there were. */
static void sum_up(struct log_once *log_once) MC_REQUIRES(log_once->lock)
{
	if (log_once->more == 0)
		memcpy(log_once->logged, log_once->reason, sizeof(log_once->logged));
	else
		snprintf(log_once->logged, sizeof(log_once->logged), "%.*s (and %u more)",
			 LOG_ONCE_SIZE - MORE_SIZE, log_once->reason, log_once->more);
}

static void judge_failure(struct log_once *log_once, const char *who, int rc)
{
	char text[LOG_ONCE_SIZE];
	bool new;

	pthread_mutex_lock(&log_once->lock);
	if (log_once->reason[0] == '\0')
		snprintf(log_once->reason, sizeof(log_once->reason), "%s", strerror(-rc));
	new = mc_once_failed(&log_once->once, mc_once_sum(log_once->reason));
	sum_up(log_once);
	forget_reason(log_once);
	memcpy(text, log_once->logged, sizeof(text));
	pthread_mutex_unlock(&log_once->lock);
	if (new)
		log_warn("%s: %s", who, text);
}

bool log_once_result(struct log_once *log_once, const char *who, int rc)
{
	uint64_t failures;

	if (rc < 0) {
		judge_failure(log_once, who, rc);
		return true;
	}
	pthread_mutex_lock(&log_once->lock);
	failures = mc_once_worked(&log_once->once);
	log_once->logged[0] = '\0';
	forget_reason(log_once);
	pthread_mutex_unlock(&log_once->lock);
	if (failures > 0)
		log_note("%s: works again after %" PRIu64 " failure%s", who, failures,
			 failures == 1 ? "" : "s");
	return false;
}

void log_once_failure(struct log_once *log_once, const char *who, const char *fmt, ...)
{
	va_list args;

	pthread_mutex_lock(&log_once->lock);
	forget_reason(log_once);
	pthread_mutex_unlock(&log_once->lock);
	va_start(args, fmt);
	log_once_reason(log_once, 0, fmt, args);
	va_end(args);
	judge_failure(log_once, who, 0);
}

/* That of the sum, or the one not said for longest, to be used for it. */
static struct log_once_reason *find(struct log_once *log_once, uint64_t sum)
	MC_REQUIRES(log_once->lock)
{
	struct log_once_reason *at = log_once->hints, *oldest = at;
	struct log_once_reason *end = at + LOG_ONCE_HINTS;

	for (; at < end && (at->sum != sum || at->logged_at == 0); at++)
		if (at->logged_at < oldest->logged_at)
			oldest = at;
	return at < end ? at : oldest;
}

static bool is_due(struct log_once *log_once, uint64_t sum)
{
	struct log_once_reason *reason;
	mc_time now = clock_now();
	bool due;

	pthread_mutex_lock(&log_once->lock);
	reason = find(log_once, sum);
	due = (reason->logged_at == 0 || reason->sum != sum ||
	       now - reason->logged_at >= LOG_ONCE_AGAIN) &&
	      mc_once_in(&log_once->hinted, now, LOG_ONCE_PAUSE);
	if (due)
		*reason = (struct log_once_reason){ sum, now };
	pthread_mutex_unlock(&log_once->lock);
	return due;
}

void log_once_hint(struct log_once *log_once, const char *who, const char *reason, const char *fmt,
		   ...)
{
	char text[LOG_ONCE_SIZE];
	va_list args;

	if (!is_due(log_once, XXH3_64bits(reason, strlen(reason))))
		return;
	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	log_warn("%s: %s", who, text);
}

void log_once_text(struct log_once *log_once, char out[LOG_ONCE_SIZE])
{
	pthread_mutex_lock(&log_once->lock);
	memcpy(out, log_once->logged, LOG_ONCE_SIZE);
	pthread_mutex_unlock(&log_once->lock);
}
