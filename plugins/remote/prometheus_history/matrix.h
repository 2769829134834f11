/* SPDX-License-Identifier: MIT */
/* Answers of Prometheus' HTTP API: the matrix of /api/v1/query_range, and the sets of labels of
 * /api/v1/series.  Reads the text once and keeps one set of labels.  Pure.
 *
 * Sources: Prometheus' manual, "HTTP API"; answers of Prometheus 2.42 and VictoriaMetrics 1.79. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#define MATRIX_LABELS_MAX 128 /* Of a series; one with more of them is left out. */
#define MATRIX_WHY 192

struct matrix_label {
	char *name, *value;
};

struct matrix_labels {
	struct matrix_label items[MATRIX_LABELS_MAX];
	size_t len;
};

/* The value of a label; "" if it is not there, as Prometheus has it. */
const char *matrix_label(const struct matrix_labels *, const char *name);

struct matrix_calls {
	/* The labels of a series; false: its points are not wanted. */
	bool (*series)(void *argument, const struct matrix_labels *labels);
	/* A point of that series; 'time' is in seconds since 1970.  NULL: they are not wanted. */
	void (*point)(void *argument, double time, double value);
};

/* Reads an answer.  True: it is one, of a query that succeeded; else 'why' has the server's reason,
 * or says that it is no such answer. */
bool matrix_read(const void *text, size_t size, const struct matrix_calls *, void *argument,
		 char why[MATRIX_WHY]);
