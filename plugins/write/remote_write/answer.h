/* SPDX-License-Identifier: MIT */
/* The meaning of a receiver's answer.  Pure functions.
 *
 * Sources: prometheus.io/docs/specs, "Remote-Write 1.0" and "2.0", for statuses and headers; the
 * answers of Prometheus 2.42 and 3.16, VictoriaMetrics 1.79 and Mimir.  A 400 does not say how much
 * was stored, and a 5xx may be final. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "formats/remote_write/remote_write.h"

#define ANSWER_WRITTEN "X-Prometheus-Remote-Write-Samples-Written"

enum answer {
	ANSWER_TAKEN,
	ANSWER_LATER,   /* The same again. */
	ANSWER_REFUSED, /* At least one sample is bad. */
	ANSWER_OLDER,   /* It takes version 1.0 alone. */
};

struct answer_reply {
	long status;         /* 0: no answer. */
	const char *body;    /* With a '\0' after it. */
	const char *written; /* The header ANSWER_WRITTEN; "": it is not there. */
};

enum answer answer_read(enum remote_write_version, const struct answer_reply *);

/* The number of samples that were written; false if the header is not a number. */
bool answer_written(const char *header, uint64_t *samples);
