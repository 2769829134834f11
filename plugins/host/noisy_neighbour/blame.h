/* SPDX-License-Identifier: MIT */
/* Who ran where a virtual CPU waited: a pure function of what the kernel counts in an interval.
 *
 * A thread that may run on one CPU has run there.  Others are placed: first where they were seen
 * and, less, wherever they may run; then so that no CPU was busier than the kernel says, while each
 * thread has its run time (iterative proportional fitting; Deming and Stephan, 1940).  The busy
 * time of a CPU that no thread has is that of the host, whose control groups share it by the time
 * they used.
 *
 * A wait is shared among those who ran on that CPU, by their time; time on another hyperthread of
 * its core counts as half.  A wait while the CPU idles is one for a limit of the thread's own, and
 * nobody's fault.
 *
 * Times are parts of the interval: 1 is all of it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define BLAME_CPUS_MAX 1024 /* Others are not looked at. */
#define BLAME_WORDS (BLAME_CPUS_MAX / 64)
#define BLAME_CELLS_MAX (1u << 19) /* Threads times CPUs; then a thread is where it was seen. */
#define BLAME_SHARES_MAX 3

struct blame_thread {
	unsigned guest; /* Threads of one guest do not steal from each other. */
	double run, wait;
	const uint64_t *allowed; /* A bit for each CPU, BLAME_WORDS. */
	int seen[2];             /* Where it was when the interval began and ended; -1: unknown. */
};

struct blame_group { /* A control group, without the threads. */
	double run;
	int guest; /* It is the rest of a guest, such as its I/O threads; below 0: it is not. */
};

struct blame_cpu {
	double busy;   /* Below 0: it is offline. */
	unsigned core; /* CPUs with the same one are hyperthreads. */
};

struct blame_view {
	const struct blame_thread *threads;
	size_t threads_len;
	const struct blame_group *groups;
	size_t groups_len;
	const struct blame_cpu *cpus;
	size_t cpus_len; /* At most BLAME_CPUS_MAX. */
	size_t guests_len;
};

struct blame_share {
	bool is_group;
	unsigned who; /* Number of the guest or group. */
	double part;
};

struct blame_answer {
	int cpu;    /* Where it waited; -1: on several. */
	double own; /* Because of other threads of its guest. */
	size_t shares_len;
	struct blame_share shares[BLAME_SHARES_MAX]; /* The largest ones, in order. */
};

/* Places all threads.  The view must live as long.  Freed by blame_free(). */
struct blame *blame_new(const struct blame_view *view);
void blame_free(struct blame *blame);

/* Shares the wait of a thread. */
void blame_wait(struct blame *blame, size_t thread, struct blame_answer *answer);
