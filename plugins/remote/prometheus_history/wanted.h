/* SPDX-License-Identifier: MIT */
/* Series as Prometheus has them after write_prometheus or remote_write: a name and labels for each
 * source, and the part of a query that asks for all of one name.  One thread. */
#pragma once

#include <collector/control.h>
#include <collector/history.h>
#include <collector/kit/buffer.h>

#include "formats/prometheus/labelling.h"
#include "formats/prometheus/naming.h"

#include "matrix.h"

enum wanted_kind { WANTED_AVERAGES, WANTED_MAXIMA, WANTED_MINIMA, WANTED_KINDS };

struct wanted_part { /* Of a query: all of one name. */
	char name[NAMING_SIZE];
	bool counter;     /* Its rate is wanted. */
	mc_time interval; /* The longest. */
};

struct wanted_output { /* A source of a series. */
	struct mc_history *history;
	const char *series;
	unsigned source, part;
	double factor; /* By which a value there is multiplied. */
	/* Those that a series there must have; "": it must not. */
	struct labelling labels;
	bool exact;                   /* It must not have others. */
	double *points[WANTED_KINDS]; /* Of each point; NaN: unknown. */
};

struct wanted {
	struct wanted_part *parts;
	size_t parts_len, parts_room;
	struct wanted_output *outputs;
	size_t len, room;
	const struct mc_strings *external; /* Name, value...: labels of all series. */
};

/* Adds the sources of a series.  Its name must outlive the struct. */
void wanted_add(struct wanted *, struct mc_ctx *, struct mc_reading *,
		const struct mc_fetch_item *);
void wanted_free(struct wanted *);

/* The label with the number of the part, in answers. */
#define WANTED_PART "collector_part"

/* Writes the query for all, in steps of 'step'. */
void wanted_query(const struct wanted *, mc_time step, enum wanted_kind, struct mc_buffer *out);

/* Ends a selector that begins so, "{a=\"b\"", with these labels and '}'. */
void wanted_match(struct mc_buffer *out, const char *begin, const struct mc_strings *external);

/* The first output whose series that is; NULL: none. */
struct wanted_output *wanted_find(const struct wanted *, const struct matrix_labels *);
