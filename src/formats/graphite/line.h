/* SPDX-License-Identifier: MIT */
/* Lines of Graphite's plaintext protocol, "PATH VALUE TIME", and of OpenTSDB's,
 * "put METRIC TIME VALUE TAG=VALUE...".
 *
 * Facts: the documentation of Graphite, "Feeding In Your Data", and of
 * OpenTSDB, "put"; carbon-c-relay, collectd and Icinga 2 as senders.  Pure. */
#pragma once

#include <collector/kit/buffer.h>

#include "formats/names/point.h"

enum line_fault {
	LINE_GOOD,
	LINE_EMPTY,   /* Nothing, or what asks for no value. */
	LINE_FORM,    /* Words too many, too few or too long. */
	LINE_VALUE,   /* The value is not a number. */
	LINE_UNKNOWN, /* It is NaN. */
	LINE_TIME,    /* The time is invalid. */
};

#define LINE_SIZE_MAX 4096 /* Bytes. */

/* Reads a line, without its newline.  The path of '*point' lies in it. */
enum line_fault line_read_plain(const char *line, size_t size, struct mc_point *point);

/* The same; the path is made in 'path'. */
enum line_fault line_read_put(const char *line, size_t size, struct mc_buffer *path,
			      struct mc_point *point);

/* The value and the time of a point, as texts. */
enum line_fault line_read_value(const char *text, size_t size, struct mc_point *point);
enum line_fault line_read_time(const char *text, size_t size, mc_time *time);
