/* SPDX-License-Identifier: MIT */
/* How many notifications each sender may cause: NoticeLimit at once, and as
 * many in each hour after that.  Known senders are those that are configured,
 * those whose messages are signed, and addresses that were heard before the
 * storm; all others, whose addresses can be forged, share half of that.
 *
 * Further ones are counted, and one notification reports how many, ten seconds after the first and
 * then every ten minutes.  The recovery from a failure that was sent does not count.  Thread: one,
 * except for the summary. */
#pragma once

#include <pthread.h>

#include <collector/kit/hash_set.h>
#include <collector/kit/lock.h>
#include <collector/kit/lru.h>
#include <collector/kit/sender_limit.h>
#include <collector/plugin.h>

#define STORM_HEARD_MAX 4096
#define STORM_PROBATION (600 * MC_SECOND) /* Then an address is known. */
#define STORM_FIRST_SUMMARY (10 * MC_SECOND)
#define STORM_NEXT_SUMMARY (600 * MC_SECOND)

struct storm {
	bool limited;
	struct mc_sender_limit known, unknown;
	struct mc_lru heard;               /* struct storm_heard */
	mc_time unknown_held;              /* The last; 0: none. */
	struct mc_hash_set known_failures; /* Failures that were sent. */

	pthread_mutex_t lock;
	/* Since the last summary: by severity, and their senders. */
	uint64_t held[MC_OKAY + 1] MC_GUARDED_BY(lock);
	struct mc_hash_set senders MC_GUARDED_BY(lock);
	mc_time summary_due MC_GUARDED_BY(lock); /* 0: nothing is held. */
	mc_time summary MC_GUARDED_BY(lock);     /* The last; 0: none. */
};

/* 'limit' 0: none. */
void storm_init(struct storm *, int64_t limit);
void storm_done(struct storm *);

struct storm_sender {
	uint64_t key;  /* As of mc_sender_limit_key(). */
	bool is_known; /* Configured, or it has signed. */
};

/* Whether the notification may be sent; else it is counted.  'now' is
 * monotonic. */
bool storm_takes(struct storm *, struct storm_sender, const struct mc_notification *, mc_time now);

/* Sends the summary if it is due.  Thread: any. */
void storm_sum_up(struct storm *, struct mc_ctx *, mc_time now);
