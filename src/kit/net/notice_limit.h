/* SPDX-License-Identifier: MIT */
/* kit/net/notice_limit.h - how many notifications each sender may cause, in libkit:
 * NoticeLimit at once, and as many in each hour after that.  Known senders are those that are
 * configured, those whose messages are signed, and addresses that were heard before the storm; all
 * others, whose addresses can be forged, share half of that.
 *
 * Further ones are counted, and one notification reports how many, ten seconds after the first and
 * then every ten minutes.  The recovery from a failure that was sent does not count.  Thread: any.
 */
#pragma once

#include <pthread.h>

#include "base/hash_set.h"
#include "kit/net/sender_limit.h"
#include <collector/kit/lock.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

#define MC_NOTICE_HEARD_MAX 16384
#define MC_NOTICE_PROBATION (600 * MC_SECOND) /* Then an address is known. */

struct mc_notice_limit {
	bool limited;
	struct mc_sender_limit known, unknown;

	pthread_mutex_t lock;
	struct mc_lru heard MC_GUARDED_BY(lock);     /* Addresses. */
	mc_time unknown_held MC_GUARDED_BY(lock);    /* The last; 0: none. */
	struct mc_hash_set sent MC_GUARDED_BY(lock); /* Failures that were sent. */
	/* Since the last summary: by severity, and their senders. */
	uint64_t held[MC_OKAY + 1] MC_GUARDED_BY(lock);
	struct mc_hash_set senders MC_GUARDED_BY(lock);
	mc_time summary_due MC_GUARDED_BY(lock); /* 0: nothing is held. */
	mc_time summary MC_GUARDED_BY(lock);     /* The last; 0: none. */
};

/* 'limit' 0: none. */
void mc_notice_limit_init(struct mc_notice_limit *, int64_t limit);
void mc_notice_limit_done(struct mc_notice_limit *); /* All zero is fine. */

struct mc_notice_sender {
	uint64_t key;  /* By mc_sender_limit_key(). */
	bool is_known; /* Configured, or its messages are signed. */
};

/* Whether the notification may be sent; else it is counted.  'now' is monotonic. */
bool mc_notice_limit_takes(struct mc_notice_limit *, struct mc_notice_sender,
			   const struct mc_notification *, mc_time now);

/* Sends the summary if it is due.  To be called about once an interval. */
void mc_notice_limit_sum_up(struct mc_notice_limit *, struct mc_ctx *, mc_time now);
