/* SPDX-License-Identifier: MIT */
/* The series of a target, by their texts on its page.  The same page comes again and again, so a
 * series is usually the one that followed the one before.  One thread. */
#pragma once

#include <collector/kit/map.h>

#include "described.h"

struct known_series {
	struct mc_map_node node;       /* By its text. */
	struct mc_map_node taken;      /* By its series here, which is no other's. */
	struct known_series *follower; /* The one that followed last; NULL: none. */
	struct mc_series *series;      /* Held; NULL: DESCRIBED_NOTHING. */
	uint64_t round;                /* When it was seen last. */
	uint8_t kind;                  /* enum described_kind */
	uint8_t family_type;           /* enum page_type, of its page when it was found. */
	struct page_text text;
	char bytes[];
};

struct known { /* All zero: none. */
	struct mc_map texts, taken;
	uint64_t round;
	struct known_series *last, *first;
	struct mc_map_node *outdated; /* Not in a map, freed at the end of the page. */
	size_t seen;                  /* Of the present round. */
	struct mc_batch *batch;
	const struct described_target *target;
	const struct page *page;
	const char *why; /* A series of the present round could not be kept; NULL: none. */
	uint64_t refused, shared;
};

/* Begins a page, whose series are made for 'batch'. */
void known_begin(struct known *, struct mc_batch *batch, const struct described_target *,
		 const struct page *);

/* A text that the next sample may have; NULL: not known. */
const struct page_text *known_guess(const struct known *);

/* The series of a sample; NULL if it cannot be kept: see 'why', or if the text is wrong, as *fault
 * says then. */
struct known_series *known_find(struct known *, const struct page_text *text, const char **fault);

/* Forgets those that were not on the page. */
void known_end(struct known *);

/* Forgets all. */
void known_clear(struct known *);
