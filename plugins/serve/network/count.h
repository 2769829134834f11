/* SPDX-License-Identifier: MIT */
/* Counters: traffic, and rejected items, by reason.  A reason is logged when it is new, and again
 * after a while if it is still there. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <sys/socket.h>

#include <collector/kit/lock.h>
#include <collector/plugin.h>

#include "formats/binary/binary.h"

enum count_reason {                                    /* After those of enum mc_binary_fault. */
		    COUNT_UNSIGNED = MC_BINARY_FAULTS, /* Less secure than
							* demanded. */
		    COUNT_NO_KEYS,                     /* Encrypted, but there is no AuthFile. */
		    COUNT_USER,                        /* Not in the AuthFile. */
		    COUNT_FORGED,                      /* The signature or the sum is wrong. */
		    COUNT_HOST,                        /* Not one that the user may send. */
		    COUNT_TYPE,                        /* Not in types.db. */
		    COUNT_MISMATCH,                    /* Values not those of the type. */
		    COUNT_TIME,                        /* Outside the window. */
		    COUNT_INTERVAL,                    /* Longer than a year. */
		    COUNT_REPLAYED,                    /* Not newer than before the start, or than
							* before the series was forgotten. */
		    COUNT_SENDER,                      /* SenderSeriesLimit. */
		    COUNT_SERIES,                      /* The core refuses the name. */
		    COUNT_REPEATED,                    /* A notification that was here before. */
		    COUNT_NOTICES,                     /* Too many notifications. */
		    COUNT_STORM,                       /* More than NoticeLimit. */
		    COUNT_OVERSIZED,                   /* Longer than MaxPacketSize. */
		    COUNT_OVERFLOW,                    /* The kernel's receive buffer was full. */
		    COUNT_REASONS,
};

#define COUNT_TYPES_MAX 64 /* Unknown types that are logged by name. */

struct count {
	_Atomic uint64_t received_octets, received_packets;
	_Atomic uint64_t sent_octets, sent_packets;
	_Atomic uint64_t accepted, rejected; /* Value lists received. */
	_Atomic uint64_t sent, unsent;       /* Value lists. */
	_Atomic uint64_t refused[COUNT_REASONS];

	pthread_mutex_t lock;
	mc_time logged[COUNT_REASONS] MC_GUARDED_BY(lock); /* 0: never. */
	char *types[COUNT_TYPES_MAX] MC_GUARDED_BY(lock);
	unsigned types_len MC_GUARDED_BY(lock);
};

void count_init(struct count *); /* Zeroed before. */
void count_done(struct count *);

/* Adds one, and logs it if that is due: 'about' is what it is about (a user, a
 * host, a type), or NULL. */
void count_refuse(struct count *, struct mc_ctx *, enum count_reason,
		  const struct sockaddr_storage *sender, const char *about);

/* Adds what the kernel dropped. */
void count_overflow(struct count *, struct mc_ctx *, uint64_t packets);

/* The series of ReportStats; 'queued' is what waits in the kernel. */
void count_report(const struct count *, struct mc_batch *, uint64_t queued);
