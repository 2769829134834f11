/* SPDX-License-Identifier: MIT */
/* Parses what the kernel says of threads, CPUs and control groups: proc(5),
 * Documentation/scheduler/sched-stats.rst, cgroups(7).  Pure functions on a text that ends with
 * '\0'; they return false, and leave the output alone, if it is cut or garbled. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parse_schedstat {
	uint64_t run, wait; /* ns on a CPU, and on its queue. */
	uint64_t slices;    /* All are 0 where the kernel does not count. */
};

struct parse_cpu { /* Ticks. */
	unsigned number;
	uint64_t busy, idle;
};

/* /proc/PID/task/TID/schedstat. */
bool parse_schedstat(const char *text, struct parse_schedstat *out);

/* Bytes that a process had read from and written to storage, of /proc/PID/io. */
bool parse_io(const char *text, uint64_t *read, uint64_t *written);

/* The CPU where it was last, of /proc/PID/task/TID/stat. */
bool parse_last_cpu(const char *text, unsigned *cpu);

/* The exit status of a process that waits for its parent, as wait(2) has it, of /proc/PID/stat. */
bool parse_exit_code(const char *text, int *status);

/* The CPUs where it may run, of /proc/PID/task/TID/status: a bit for each in 'words'.  CPUs beyond
 * are left out. */
bool parse_allowed(const char *text, uint64_t *words, size_t words_len);

/* The line at 'at' of /proc/stat; false if it is not that of one CPU. */
bool parse_cpu(const char *at, struct parse_cpu *out);

/* The CPU time of a group in ns: cpuacct.usage of version 1, cpu.stat of version 2. */
bool parse_usage(const char *text, unsigned version, uint64_t *usage);

/* The group of a process in its hierarchy that counts CPU time, without the first '/', of
 * /proc/PID/cgroup.  False, too, if it does not fit. */
bool parse_group(const char *text, unsigned version, char *out, size_t size);

/* The name of the network device that a descriptor of /dev/net/tun is of, of /proc/PID/fdinfo/FD;
 * none without one, or of one with a '/'. */
bool parse_iff(const char *text, char *out, size_t size);

/* The network device in a path such as "../../devices/virtual/net/macvtap0/tap12". */
bool parse_net_path(const char *path, char *out, size_t size);

/* The number in a file that has nothing else. */
bool parse_count(const char *text, uint64_t *count);

/* Bytes of a process that are in swap, of /proc/PID/status. */
bool parse_swapped(const char *text, uint64_t *bytes);

/* us in which some task waited, of /proc/pressure/memory or memory.pressure. */
bool parse_pressure(const char *text, uint64_t *stalled);

/* Bytes that a group of version 2 cannot give back at once, anonymous and shared ones, of
 * memory.stat. */
bool parse_group_memory(const char *text, uint64_t *bytes);
