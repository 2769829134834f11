/* SPDX-License-Identifier: MIT */
/* What the kernel says of one process, in /proc/PID/stat, status and io
 * (proc(5), Documentation/filesystems/proc.rst).  Pure functions on a text that
 * ends with '\0'; they return false, and leave 'out' alone, if the text is cut,
 * garbled or has a number that is too large.  What newer kernels add behind or
 * between is passed over. */
#ifndef PROCESSES_PARSE_H
#define PROCESSES_PARSE_H

#include <stdbool.h>
#include <stdint.h>

#include <collector/scan.h>

struct parse_stat {
	struct mc_word name; /* In the text; any bytes, also ')' and blanks. */
	char state;          /* 'R', 'S', 'D', 'Z', 'T' and others. */
	bool kernel;         /* A thread of the kernel, which has no memory. */
	uint64_t minor_faults, major_faults;
	uint64_t user_ticks, system_ticks;
	uint64_t threads;
	uint64_t start; /* In ticks since boot. */
	uint64_t vm;    /* In bytes. */
	uint64_t rss;   /* In pages. */
	uint64_t stack; /* Where it begins, which changes with each execve();
			 * 0 for who may not see it. */
};

struct parse_status { /* In bytes. */
	bool memory;  /* False for a thread of the kernel: all are 0. */
	uint64_t data, stack, code, libraries;
};

struct parse_switches { /* Of one thread. */
	uint64_t voluntary, involuntary;
};

struct parse_io {
	uint64_t bytes_read, bytes_written; /* By system calls. */
	uint64_t reads, writes;             /* System calls. */
	uint64_t disk_read, disk_written;   /* Bytes. */
};

bool parse_stat(const char *text, struct parse_stat *out);
bool parse_status(const char *text, struct parse_status *out);
bool parse_switches(const char *text, struct parse_switches *out);
bool parse_io(const char *text, struct parse_io *out);

#endif
