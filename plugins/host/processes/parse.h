/* SPDX-License-Identifier: MIT */
/* Parses the kernel's files of one process, /proc/PID/status, io, cgroup and statm (proc(5),
 * Documentation/filesystems/proc.rst).  Pure functions on a text that ends with '\0'; they return
 * false, and leave 'out' alone, if the text is cut, garbled or has a number that is too large.
 * Fields that newer kernels add are skipped. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/scan.h>

#include "kit/base/process_stat.h"

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

bool parse_status(const char *text, struct parse_status *out);
bool parse_switches(const char *text, struct parse_switches *out);
bool parse_io(const char *text, struct parse_io *out);

/* The path in the only line of /proc/PID/cgroup that begins with "0::". */
bool parse_cgroup(const char *text, struct mc_word *path);

/* The resident pages of /proc/PID/statm. */
bool parse_resident(const char *text, uint64_t *pages);
