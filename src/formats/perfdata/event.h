/* SPDX-License-Identifier: MIT */
/* A line of a spool file: the result of a check.  Facts: the file templates of PNP4Nagios 0.6
 * ("bulk mode"), which Icinga's PerfdataWriter uses, too, and the defaults of Nagios 4's
 * (service|host)_perfdata_file_template.  Pure functions. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include <collector/plugin.h>

#define EVENT_OF_HOST "_HOST_" /* The service of a host's own check. */

struct event { /* Its texts lie in the line. */
	mc_time time;
	const char *host, *service;
	const char *data;    /* Performance data; may be "". */
	const char *command; /* ""; "check_disk!20%!10%!/" */
	const char *state;   /* ""; "OK", "DOWN", ... */
	bool soft;           /* Of the type SOFT: it is being checked again. */
};

enum event_fault {
	EVENT_GOOD,
	EVENT_BLANK, /* The line is empty, which is not an error. */
	/* All others are: */
	EVENT_FORM, /* It is not of a known form. */
	EVENT_TIME, /* No time, or none that can be. */
	EVENT_NAME, /* No host, or no service. */
	EVENT_FAULTS,
};

/* Reads a line of 'size' bytes, which ends with '\0' in the place of its newline; it is changed. */
enum event_fault event_read(struct event *, char *line, size_t size);

/* The time of the event that a text begins with, though it may be cut; 0: none. */
mc_time event_first_time(const char *text, size_t size);
