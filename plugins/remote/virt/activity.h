/* SPDX-License-Identifier: MIT */
/* The work of a QEMU as the kernel shows it: whether it can have served a request of its guest to a
 * disk since an earlier look.
 *
 * Every request wakes a thread of QEMU, at the latest to end it, and that takes system calls that
 * the kernel counts in /proc/PID/io: reads of eventfds, if nothing else.  Where that file is not
 * for the collector, the run time of all threads that serve requests shows the same, and also what
 * has to do with no request.  The virtual processors do not serve any. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct mc_kept_files;

enum activity_io { /* Fields of /proc/PID/io. */
		   ACTIVITY_READ_CHARS,
		   ACTIVITY_WRITE_CHARS,
		   ACTIVITY_READ_CALLS,
		   ACTIVITY_WRITE_CALLS,
		   ACTIVITY_READ_BYTES, /* From block devices. */
		   ACTIVITY_WRITE_BYTES,
		   ACTIVITY_CANCELLED_BYTES,
		   ACTIVITY_IO_FIELDS
};

struct activity_sample { /* A look; all zero: nothing is known. */
	bool known;      /* The rest could be read. */
	bool halted;     /* Stopped, dead, or waiting in the kernel: it may not answer. */
	bool has_io;     /* io[] is known, else 'ran' is. */
	uint64_t started;
	uint64_t io[ACTIVITY_IO_FIELDS];
	uint64_t ran; /* Run time (ns) and time slices of threads, in all. */
};

/* A QEMU has its main thread and some iothreads; with more than these nothing is known of it. */
#define ACTIVITY_THREADS_MAX 64

struct activity {     /* All zero: no process. */
	unsigned pid; /* 0: none. */
	uint64_t
		started; /* A process of that number that was started at another time is another. */
	bool io_denied;
	int stat, io, main; /* Descriptors; -1: not open. */
	struct activity_thread {
		unsigned tid;
		int fd;
	} * threads; /* Only of one whose 'io' is denied. */
	size_t threads_len;
};

/* Follows that process from now on.  One that is followed already stays so. */
void activity_begin(struct mc_kept_files *files, struct activity *activity, unsigned pid,
		    uint64_t started);

/* Closes all.  To be called before it is freed. */
void activity_end(struct mc_kept_files *files, struct activity *activity);

/* Looks for new threads.  None begins unless another one runs. */
void activity_list(struct mc_kept_files *files, struct activity *activity);

void activity_look(struct mc_kept_files *files, struct activity *activity,
		   struct activity_sample *sample);

/* CPU time (ns) of the main thread, which serves the monitor. */
bool activity_main(struct mc_kept_files *files, struct activity *activity, uint64_t *ran);

/* --- Pure parts ------------------------------------------------------------ */

/* Whether nothing was served between two looks at one process: false also if that is unknown. */
bool activity_is_idle(const struct activity_sample *before, const struct activity_sample *after);

/* Whether block devices were read or written between them.  Only 'io' shows that. */
bool activity_has_transferred(const struct activity_sample *before,
			      const struct activity_sample *after);

/* Whether what was done between them is no more than the end of an answer: wake-ups, of which each
 * reads or writes eight bytes. */
bool activity_has_only_woken(const struct activity_sample *before,
			     const struct activity_sample *after);

/* From /proc/PID/io. */
bool activity_parse_io(const char *text, uint64_t io[ACTIVITY_IO_FIELDS]);

/* Adds what schedstat of a thread says; false if the kernel does not count, or it never ran. */
bool activity_parse_schedstat(const char *text, uint64_t *ran);

/* Whether a thread of that name may serve requests to disks.  Those of an unknown name may. */
bool activity_serves(const char *name);
