/* SPDX-License-Identifier: MIT */
/* Parses the kernel's files of one control group (Documentation/admin-guide/ cgroup-v2.rst,
 * cgroup-v1/cpuacct.rst).  Pure functions on a text that ends with '\0'; they return false, and
 * leave 'out' alone, if the text is cut, garbled or has a number that is too large.  Keys that
 * newer kernels add are passed over. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct parse_cpu {
	uint64_t user, system;  /* Microseconds. */
	bool is_limited;        /* It has periods; else the rest is 0. */
	uint64_t throttled_len; /* Periods in which it was stopped. */
	uint64_t throttled;     /* Microseconds that it was stopped. */
};

struct parse_cpuacct { /* Of version 1, in ticks. */
	uint64_t user, system;
};

struct parse_events { /* How often its memory was short. */
	uint64_t high, max, oom, oom_kill;
};

struct parse_device { /* A line of io.stat. */
	unsigned major, minor;
	uint64_t read, written; /* Bytes. */
	uint64_t reads, writes; /* Requests. */
};

/* cpu.stat, cpuacct.stat and memory.events. */
bool parse_cpu(const char *text, struct parse_cpu *out);
bool parse_cpuacct(const char *text, struct parse_cpuacct *out);
bool parse_events(const char *text, struct parse_events *out);

/* One number, or "max": then '*is_limit' is false. */
bool parse_limit(const char *text, uint64_t *number, bool *is_limit);

/* The line of io.stat at 'at'.  '*has_numbers' is false if it has none, as of a
 * device that was not used. */
bool parse_device(const char *at, struct parse_device *out, bool *has_numbers);

/* The first line of /proc/mounts for the control groups that are to be read: those of version 1
 * that account CPU time, as collectd does, else those of version 2.  False without one, or if its
 * path does not fit. */
bool parse_mounts(const char *text, char *path, size_t size, unsigned *version);
