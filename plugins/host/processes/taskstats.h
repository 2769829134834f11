/* SPDX-License-Identifier: MIT */
/* The kernel's answers about the delays of processes, by generic netlink
 * (Documentation/accounting/taskstats.rst, delay-accounting.rst).  Pure
 * functions on one datagram; 'sequence' is that of the question. */
#pragma once

#include <stddef.h>
#include <stdint.h>

/* How long the threads of a process have waited, those that ended as well, in
 * nanoseconds: for a CPU, for disks, for pages from swap space, for memory. */
struct taskstats_delays {
	uint64_t cpu, disk, swap, memory;
};

/* Both return 0; -EAGAIN if it is the answer to another question; the errno of the kernel; or
 * -EBADMSG if it cannot be understood.  Outputs are untouched then. */
int taskstats_family(const void *bytes, size_t size, uint32_t sequence, uint16_t *family);
int taskstats_delays(const void *bytes, size_t size, uint32_t sequence,
		     struct taskstats_delays *delays);
