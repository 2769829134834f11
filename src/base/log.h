/* SPDX-License-Identifier: MIT */
/* The log: one line at a time, to standard error until another sink takes it.  A line is cut at
 * 1,000 bytes, control characters become '?'.  Those of one class are limited (base/line_limit.h),
 * but for MC_DEBUG.  Thread: any. */
#pragma once

#include <stdarg.h>

#include <collector/plugin.h>

void log_line(enum mc_level, const char *fmt, ...) MC_PRINTF(2, 3);
void log_va(enum mc_level, const char *source, const char *fmt, va_list);

/* The same without a limit: for lists that have an end. */
void log_all(enum mc_level, const char *fmt, ...) MC_PRINTF(2, 3);

/* Says what was left out, if it is time; to be called now and then. */
void log_tell_left_out(void);

#define log_error(...) log_line(MC_ERROR, __VA_ARGS__)
#define log_warn(...) log_line(MC_WARN, __VA_ARGS__)
#define log_note(...) log_line(MC_NOTE, __VA_ARGS__)
#define log_info(...) log_line(MC_INFO, __VA_ARGS__)
#define log_debug(...) log_line(MC_DEBUG, __VA_ARGS__)

/* "error", "warning", "notification", "info", "debug". */
const char *log_level_name(enum mc_level);

/* Sends every line to 'write' as well; at most LOG_TARGETS_MAX of them.  Returns 0 or -ENOSPC.  A
 * target must not log. */
#define LOG_TARGETS_MAX 8
int log_add_target(void (*write)(void *argument, enum mc_level, const char *), void *argument);
void log_remove_target(void *argument);

/* Least important level that goes to standard error; -1: nothing does.  The
 * first sets MC_NOTE as the default.  Lines carry the journal's priority
 * prefix (sd-daemon(3)) if standard error is the journal. */
void log_to_stderr(int level);

/* Whether standard error is the journal. */
bool log_is_journal(void);
