/* SPDX-License-Identifier: MIT */
/* A scrape: all series that have values, by metric. */
#pragma once

#include "conventional.h"
#include "exposition.h"
#include "selector.h"

struct scrape_options {
	/* Only what one of these matches; none: all. */
	struct selector *const *selectors;
	unsigned selectors_len;
	enum exposition_format format;
	/* Series of a longer interval have no time: Prometheus would take them for gone. */
	mc_time staleness_delta;
	/* Ours have OpenTelemetry's names, as far as there are some; NULL: they have not. */
	struct conventional *conventional;
};

/* Adds the whole text.  Thread: any, with a 'conventional' of its own. */
void scrape(struct mc_ctx *, const struct scrape_options *, struct exposition_text *);
