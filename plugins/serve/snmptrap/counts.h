/* SPDX-License-Identifier: MIT */
/* What has come, and by reason what came to nothing.  A reason is logged when
 * it is new, and again after an hour if it is still there. */
#ifndef SNMPTRAP_COUNTS_H
#define SNMPTRAP_COUNTS_H

#include <stdatomic.h>
#include <sys/socket.h>

#include <collector/plugin.h>

#include "usm.h"

enum counts_reason { /* After those of enum usm_result. */
		     COUNTS_CUT = USM_RESULTS, /* Longer than a datagram. */
		     COUNTS_MESSAGE,           /* Garbled. */
		     COUNTS_PDU,               /* No trap, or garbled. */
		     COUNTS_COMMUNITY,
		     COUNTS_SENDER, /* More than SenderLimit. */
		     COUNTS_OVERFLOW,
		     COUNTS_REASONS,
};

struct counts { /* Counted by one thread, reported by another. */
	_Atomic uint64_t traps, informs;
	_Atomic uint64_t refused[COUNTS_REASONS];
	mc_time logged[COUNTS_REASONS]; /* Only by the one; 0: never. */
};

/* A message of 'sender' is refused; NULL: 'number' that the kernel dropped. */
void counts_refuse(struct counts *, struct mc_ctx *, enum counts_reason,
		   const struct sockaddr_storage *sender, uint64_t number);

/* The series of ReportStats. */
void counts_report(const struct counts *, struct mc_batch *);

#endif
