/* SPDX-License-Identifier: MIT */
/* The last line of a process that crashes: the signal, the plugin and the thread; the process then
 * ends as it would have without. */
#pragma once

#include <signal.h>
#include <stdbool.h>

/* Has SIGSEGV, SIGBUS, SIGILL, SIGFPE and SIGABRT write a line to standard error, with a priority
 * in front if that is the journal (sd-daemon(3)), and with 'syslog' to /dev/log as well.  Former
 * handlers, such as a sanitizer's, run after that.  Once, by the main thread. */
void crash_watch(bool stderr_is_journal, bool syslog);

/* A stack to make the line on, for the thread that calls it, whose own may be used up; it takes no
 * memory before.  NULL if out of memory.  Closed by the same thread, at its end; NULL is fine
 * there. */
void *crash_stack_open(void);
void crash_stack_close(void *);

/* Takes these signals out of a set that a thread is to block: the kernel kills a process that
 * crashes with one of them blocked, without a report. */
void crash_leave_open(sigset_t *);

/* Whose code the calling thread runs from now on, the name of an instance, until it says NULL.  The
 * text must stay until then.  Returns what it was before. */
const char *crash_set_plugin(const char *name);
