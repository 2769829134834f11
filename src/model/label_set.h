/* SPDX-License-Identifier: MIT */
/* Labels of metrics as they are kept: sorted by name, in one piece of memory.  Pure functions. */
#pragma once

#include <collector/metric.h>

struct mc_quota;

struct label_shared { /* The head of a thing that is kept once: see engine/store/metric.c. */
	struct mc_quota *quota; /* Charged with it; NULL: none. */
	uint64_t number;        /* In the file of the catalogue, whose thread alone looks here. */
	uint32_t size;          /* In bytes, of all. */
	uint32_t references, past_references; /* The latter by series that have ended. */
	uint32_t query : 31, matches : 1;     /* Of the search that looked here last. */
};

struct label_set { /* Does not change, except its count of references. */
	struct label_shared shared;
	unsigned len;
	struct mc_metric_label items[];
};

/* A copy, to be freed with free().  *cut is set to true if labels were left out, which is what
 * collector/metric.h says of those that are too large or too many. */
struct label_set *label_set_copy(const struct mc_metric_labels *, bool *cut);

/* An order of copies. */
int label_set_compare(const struct label_set *, const struct label_set *);

static inline struct mc_metric_labels label_set_view(const struct label_set *set)
{
	return (struct mc_metric_labels){ set->items, set->len };
}
