/* SPDX-License-Identifier: MIT */
/* What has come, and by reason what came to nothing.  A reason is logged when
 * it is new, and again after an hour if it is still there. */
#ifndef STATSD_REFUSED_H
#define STATSD_REFUSED_H

#include <stdatomic.h>
#include <sys/socket.h>

#include <collector/plugin.h>

#include "line.h"

enum refused_reason { /* After those of enum line_fault. */
		      REFUSED_LIMIT = LINE_FAULTS, /* MetricLimit. */
		      REFUSED_SENDER,              /* SenderMetricLimit. */
		      REFUSED_TAKEN,    /* Another metric has its series. */
		      REFUSED_SET,      /* SetMemberLimit. */
		      REFUSED_SUM,      /* Too large a sum. */
		      REFUSED_CUT,      /* A datagram that is too long. */
		      REFUSED_OVERFLOW, /* The kernel's buffer was full. */
		      REFUSED_REASONS,
};

struct refused { /* Counted by one thread, reported by another. */
	_Atomic uint64_t lines; /* That were taken. */
	_Atomic uint64_t counts[REFUSED_REASONS];
	mc_time logged[REFUSED_REASONS]; /* Only by the one; 0: never. */
};

/* One is refused; 'text' is the line, or NULL: all of a packet, or its end. */
void refused_add(struct refused *, struct mc_ctx *, enum refused_reason,
		 const struct sockaddr_storage *sender, const char *text);

/* The kernel has dropped packets. */
void refused_overflow(struct refused *, struct mc_ctx *, uint64_t packets);

/* The series of ReportStats; 'waiting' are bytes in the kernel. */
void refused_report(const struct refused *, struct mc_batch *,
		    uint64_t waiting);

#endif
