/* SPDX-License-Identifier: MIT */
/* The series of ours that a sample of a page becomes, with the name and the labels it has there.
 * The thread that fills the batch. */
#pragma once

#include <collector/serve.h>

#include "page.h"

struct described_target { /* Whose samples they are; part of the options. */
	const char *host; /* NULL: this one. */
	const char *job, *instance;
	bool honor_labels; /* Labels "job" and "instance" of a page go before these two. */
};

enum described_kind {
	DESCRIBED_GAUGE,
	DESCRIBED_COUNT,        /* Whole numbers. */
	DESCRIBED_MILLISECONDS, /* A count of seconds with a fraction. */
	DESCRIBED_NOTHING,      /* The number is that of another series. */
};

struct described {
	struct page_labels labels;
	struct page_role role;
	const char *help;
	uint64_t sum; /* Of the series' text, for those that else would have the same name. */
	bool by_sum;  /* It is in the name, in place of the labels. */
};

/* Finds or makes the series; NULL if it may not be made, or for DESCRIBED_NOTHING. */
struct mc_series *described_series(struct mc_batch *, const struct described_target *,
				   const struct described *, enum described_kind *);

/* Whether 'value' can be one of that kind, which it then is. */
bool described_value(enum described_kind, const struct page_sample *, union mc_value *value);
