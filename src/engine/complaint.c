/* SPDX-License-Identifier: MIT */
/* Why a thing fails, logged once. */
#include "engine/complaint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/log.h"

void complaint_init(struct complaint *complaint)
{
	*complaint = (struct complaint){ 0 };
	pthread_mutex_init(&complaint->lock, NULL);
}

void complaint_done(struct complaint *complaint)
{
	pthread_mutex_destroy(&complaint->lock);
}

void complaint_say(struct complaint *complaint, int errnum, const char *fmt,
		   va_list args)
{
	char reason[COMPLAINT_SIZE];
	int n = vsnprintf(reason, sizeof(reason), fmt, args);

	/* That it is to be offered again is no reason. */
	if (n >= 0 && (size_t)n < sizeof(reason) && errnum != 0 &&
	    errnum != EAGAIN)
		snprintf(reason + n, sizeof(reason) - n, ": %s",
			 strerror(errnum));
	pthread_mutex_lock(&complaint->lock);
	memcpy(complaint->reason, reason, sizeof(reason));
	pthread_mutex_unlock(&complaint->lock);
}

static void judge_failure(struct complaint *complaint, const char *who, int rc)
{
	char text[COMPLAINT_SIZE];
	bool new;

	pthread_mutex_lock(&complaint->lock);
	if (complaint->reason[0] == '\0')
		snprintf(complaint->reason, sizeof(complaint->reason), "%s",
			 strerror(-rc));
	new = strcmp(complaint->reason, complaint->logged) != 0;
	if (new) {
		memcpy(complaint->logged, complaint->reason,
		       sizeof(complaint->logged));
		complaint->count = 0;
	}
	complaint->count++;
	complaint->reason[0] = '\0';
	memcpy(text, complaint->logged, sizeof(text));
	pthread_mutex_unlock(&complaint->lock);
	if (new)
		log_warn("%s: %s", who, text);
}

bool complaint_judge(struct complaint *complaint, const char *who, int rc)
{
	uint64_t count = 0;

	if (rc < 0) {
		judge_failure(complaint, who, rc);
		return true;
	}
	pthread_mutex_lock(&complaint->lock);
	if (complaint->logged[0] != '\0') {
		count = complaint->count;
		complaint->logged[0] = '\0';
	}
	complaint->reason[0] = '\0';
	pthread_mutex_unlock(&complaint->lock);
	if (count > 0)
		log_note("%s: works again after %" PRIu64 " failure%s", who,
			 count, count == 1 ? "" : "s");
	return false;
}

void complaint_hint(struct complaint *complaint, const char *who,
		    const char *fmt, ...)
{
	char text[COMPLAINT_SIZE];
	mc_time now = clock_now();
	bool new;
	va_list args;

	va_start(args, fmt);
	vsnprintf(text, sizeof(text), fmt, args);
	va_end(args);
	pthread_mutex_lock(&complaint->lock);
	new = strcmp(text, complaint->logged) != 0 &&
	      (complaint->hinted == 0 ||
	       now - complaint->hinted >= COMPLAINT_PAUSE);
	if (new) {
		memcpy(complaint->logged, text, sizeof(text));
		complaint->hinted = now;
	}
	pthread_mutex_unlock(&complaint->lock);
	if (new)
		log_warn("%s: %s", who, text);
}

void complaint_text(struct complaint *complaint, char out[COMPLAINT_SIZE])
{
	pthread_mutex_lock(&complaint->lock);
	memcpy(out, complaint->logged, COMPLAINT_SIZE);
	pthread_mutex_unlock(&complaint->lock);
}
