/* SPDX-License-Identifier: MIT */
/* The lines of a log file, in collectd's form.  Pure functions. */
#pragma once

#include <collector/plugin.h>
#include <time.h>

#define LINE_SIZE 4096 /* A longer message is cut. */

/* Writes "[2009-02-14 00:31:30] [warning] text\n" to 'out', which has LINE_SIZE bytes; returns the
 * size without the '\0'.  'time' NULL: no timestamp; 'severity' NULL: none.  Control characters of
 * the text become spaces, so that one message is always one line. */
size_t line_format(char *out, const struct tm *time, const char *severity, const char *text);
