/* SPDX-License-Identifier: MIT */
/* How much each address sends: one that floods has no trap of others refused.
 * One thread. */
#ifndef SNMPTRAP_SENDERS_H
#define SNMPTRAP_SENDERS_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

#include <collector/plugin.h>

#define SENDERS_SLOTS 4096 /* Addresses that share one share its allowance. */
#define SENDERS_BURST 10   /* Seconds of the limit that may come at once. */

struct senders {
	double limit; /* Messages a second. */
	uint64_t seed;
	struct senders_slot {
		mc_time since; /* When 'sent' was worked out; 0: never. */
		double sent;   /* Messages, fewer by the limit each second. */
	} * slots;
};

void senders_init(struct senders *, double limit);
void senders_done(struct senders *);

/* Whether it may send one more, which then counts; 'now' is monotonic. */
bool senders_may_send(struct senders *, const struct sockaddr_storage *,
		      mc_time now);

#endif
