/* SPDX-License-Identifier: MIT */
/* STATUS as it is shown: by status once, by top again and again. */
#pragma once

#include "ctl/answer/record.h"
#include "ctl/print/json.h"

#define OVERVIEW_MAX 65536 /* More records are ignored. */

struct overview {    /* All zero is an empty one. */
	double time; /* When it was asked for: seconds since 1970. */
	struct answer answer;
	struct record *records;
	size_t len;
};

/* Takes over the answer. */
void overview_init(struct overview *, struct answer *, double time);
void overview_done(struct overview *);

/* The next record about 'about' after 'previous'; the first after NULL. */
const struct record *overview_next(const struct overview *, const char *about,
				   const struct record *previous);

/* The record of the collector itself, or an empty one. */
const struct record *overview_collector(const struct overview *);

/* All records about 'about' as a list of maps under 'key'. */
void overview_json(const struct overview *, struct mc_json *, const char *key, const char *about);
