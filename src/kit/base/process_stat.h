/* SPDX-License-Identifier: MIT */
/* kit/base/process_stat.h - what the kernel says of one process in /proc/PID/stat (proc(5),
 * Documentation/filesystems/proc.rst), in libkit. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/scan.h>

struct mc_process_stat {
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

/* Reads a text that ends with '\0'; false, and 'out' is left alone, if it is cut, garbled or has a
 * number that is too large.  Fields that newer kernels append are skipped.  Pure. */
bool mc_process_stat(const char *text, struct mc_process_stat *out);
