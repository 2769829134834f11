/* SPDX-License-Identifier: MIT */
/* The resources that the processes of a daemon use. */
#pragma once

#include "kit/base/kept_file.h"

#include "daemon.h"

struct measure { /* Of a read. */
	struct mc_ctx *ctx;
	struct mc_kept_files *files; /* Its folder is /proc. */
	mc_time now;
	double uptime;       /* Seconds since boot; below 0: not known. */
	unsigned pss_left;   /* How many may still be read. */
	bool counts_by_size; /* Since Linux 6.2 the size of /proc/PID/fd is
			      * how many files are open. */
	int error;           /* The first failure: an errno; 0: none, */
	uint32_t failed;     /* and of which process. */

	/* Sums of the daemon that is measured: */
	uint64_t threads, rss, files_len;
	bool has_files; /* Of all; else 'files_len' is not the sum. */
	bool is_whole;  /* The same for the others. */
	uint64_t start; /* Of the oldest process, in ticks; 0: not known. */
};

/* Before the processes of a daemon. */
void measure_begin(struct measure *);

/* Reads a process; false if it has ended. */
bool measure_member(struct measure *, struct member *);

/* Reports what the daemon uses, and how it is. */
void measure_report(const struct measure *, struct daemon *, const struct daemon_status *,
		    struct mc_batch *out);
