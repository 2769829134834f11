/* SPDX-License-Identifier: MIT */
/* A value with a name and labels of its own, as a program prints it with Format metrics: a line of
 * JSON.
 *
 *   {"metric": "queue.depth", "value": 5, "labels": {"queue": "mail"}, "unit": "messages",
 *    "kind": "gauge", "help": "Messages that wait.", "time": 1700000000.5}
 *
 * Only the first two must be there.  A label or another key that cannot be kept is left out; the
 * value counts.  Does not log; one thread. */
#pragma once

#include <collector/metric.h>

#define METRIC_LINE_DIGITS 64
#define METRIC_LINE_PLACE 64

struct metric_line {              /* All zero before the first line. */
	const char *metric;       /* "queue.depth" */
	const char *unit, *help;  /* "": not given. */
	enum mc_metric_kind kind; /* A gauge, counter, or up-down counter. */
	double number;
	char digits[METRIC_LINE_DIGITS]; /* The same, as it stands; "" of a truth value. */
	mc_time time;                    /* 0: not given. */
	struct mc_metric_label labels[MC_METRIC_LABELS_MAX]; /* Sorted by name. */
	size_t labels_len;
	const char *left_out;          /* Why something is left out, or NULL. */
	char place[METRIC_LINE_PLACE]; /* The key of that, cut. */

	char *texts; /* The function's own. */
	size_t texts_size;
};

/* Reads a line; its texts live until the next one.  NULL, or why there is no value in it. */
const char *metric_line_read(struct metric_line *, const char *text, size_t size);

/* The type instance of its series, "queue.depth,queue=mail"; a longer one has a sum of the whole
 * at its end. */
#define METRIC_LINE_INSTANCE 128
void metric_line_instance(const struct metric_line *, char out[METRIC_LINE_INSTANCE]);

void metric_line_done(struct metric_line *);
