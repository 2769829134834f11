/* SPDX-License-Identifier: MIT */
/* Lines of /proc/self/mountstats (mountstats(8); of the kernel: fs/proc_namespace.c, fs/nfs/super.c
 * and net/sunrpc/stats.c).  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MOUNTSTATS_POINT_SIZE 4096
#define MOUNTSTATS_NAME_SIZE 32
#define MOUNTSTATS_OPERATIONS_MAX 128 /* NFS 4.2 has 70; more are not taken. */

enum mountstats_bytes { /* In the order of the line, as the next. */
			MOUNTSTATS_NORMAL_READ,
			MOUNTSTATS_NORMAL_WRITTEN,
			MOUNTSTATS_DIRECT_READ,
			MOUNTSTATS_DIRECT_WRITTEN,
			MOUNTSTATS_SERVER_READ,
			MOUNTSTATS_SERVER_WRITTEN,
			MOUNTSTATS_BYTES
};

enum mountstats_count { /* Of an operation; times in milliseconds. */
			MOUNTSTATS_CALLS,
			MOUNTSTATS_TRANSMISSIONS,
			MOUNTSTATS_TIMEOUTS,
			MOUNTSTATS_SENT,
			MOUNTSTATS_RECEIVED,
			MOUNTSTATS_QUEUE,
			MOUNTSTATS_RTT,
			MOUNTSTATS_EXECUTE,
			MOUNTSTATS_ERRORS, /* Since Linux 5.3; else 0. */
			MOUNTSTATS_COUNTS
};

struct mountstats_operation {
	char name[MOUNTSTATS_NAME_SIZE]; /* "getattr" */
	uint64_t counts[MOUNTSTATS_COUNTS];
};

struct mountstats_transport { /* Sums of all connections. */
	uint64_t connects, sent, received, bad_xids, backlog;
};

struct mountstats { /* A mount of NFS, as far as its lines have come; all zero: none. */
	char point[MOUNTSTATS_POINT_SIZE]; /* "": none; resolved. */
	bool has_bytes, has_transport;
	uint64_t bytes[MOUNTSTATS_BYTES];
	struct mountstats_transport transport;
	struct mountstats_operation operations[MOUNTSTATS_OPERATIONS_MAX];
	size_t operations_len;
};

/* Whether the line begins a mount, of any kind: the mount before is then complete. */
bool mountstats_begins(const char *line);

/* Takes a line, without its newline.  False: it is not as it must be, and nothing is taken of it.
 * Lines that are of no interest, or of a later kernel, are fine. */
bool mountstats_take(struct mountstats *, const char *line);
