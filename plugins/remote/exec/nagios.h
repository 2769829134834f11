/* SPDX-License-Identifier: MIT */
/* What a check plugin of Nagios prints.  Facts: Monitoring Plugins Development
 * Guidelines, "Plugin Output for Nagios" and "Performance data".  Pure
 * functions. */
#ifndef EXEC_NAGIOS_H
#define EXEC_NAGIOS_H

#include <stdbool.h>
#include <stddef.h>

#define NAGIOS_LABEL_SIZE 128
#define NAGIOS_TEXT_SIZE 512

struct nagios_output {               /* All zero before the first line. */
	char text[NAGIOS_TEXT_SIZE]; /* The first line; cut. */
	bool begun;
	bool only_data; /* Behind the '|' of a later line. */
};

/* Takes a line.  The performance data in it, or NULL. */
const char *nagios_line(struct nagios_output *, const char *line);

struct nagios_item {
	char label[NAGIOS_LABEL_SIZE];
	double value;     /* In seconds, bytes, percent, or as it is. */
	const char *type; /* "duration", "bytes", "percent", "derive", "gauge"
			   */
};

enum nagios_found {
	NAGIOS_END,
	NAGIOS_ITEM,
	NAGIOS_UNKNOWN, /* The check does not know the value. */
	NAGIOS_BAD,     /* It cannot be understood, and is passed over. */
};

/* Takes the next item of performance data; '*at' goes behind it. */
enum nagios_found nagios_next(const char **at, struct nagios_item *);

#endif
