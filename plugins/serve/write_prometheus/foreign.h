/* SPDX-License-Identifier: MIT */
/* The metrics of others in a scrape: those with a name of their sender's, as Prometheus would have
 * them from OTLP.  One thread. */
#pragma once

#include "point.h"
#include "scrape.h"

struct foreign_last { /* Where the sample before went. */
	struct exposition_text *text;
	const char *help;
	enum mc_metric_kind kind;
};

struct foreign {
	const struct scrape_options *options;
	/* The text of our own family of that name, to add to, or NULL. */
	struct exposition_text *(*own)(void *argument, const char *name);
	void *argument;

	struct points points;
	/* Points of ours under OpenTelemetry's names, in their order: of simple shapes, and with
	 * their texts. */
	struct point *const *ours;
	size_t ours_len;
	struct mc_map families; /* By name. */
	struct mc_map claims;   /* Of names. */
	struct foreign_last last;
};

/* When all points are there: makes their samples.  Those of a name that a family of ours has are
 * added to it. */
void foreign_sort(struct foreign *);

/* After that: whether a metric of ours or of others has that name. */
bool foreign_is_taken(const struct foreign *, const char *name);

/* Adds the text of the families that only others have. */
void foreign_print(const struct foreign *, struct exposition_text *);

/* Frees all. */
void foreign_done(struct foreign *);
