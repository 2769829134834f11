/* SPDX-License-Identifier: MIT */
/* A <Match>, and what each kind of it has to know. */
#pragma once

#include "options.h"
#include "subject.h"

struct trial;

enum match_result {
	MATCH_NO,
	MATCH_YES,
	MATCH_FAILED, /* Undecided: as if it did not match. */
};

struct match_kind {                 /* A constant.  Callbacks but look() may be NULL. */
	const char *const *options; /* That it has; ends with NULL. */
	bool by_name;               /* look() needs no sample, and is asked once. */

	/* Says what is wrong with its options: see <collector/check.h>. */
	void (*check)(struct mc_ctx *, const struct match_block *);

	/* Its prepared form, from options that check() has found right; freed by close().  NULL on
	 * failure. */
	void *(*open)(const struct match_block *);
	void (*close)(void *state);

	/* Thread: any. */
	enum match_result (*look)(const struct match_block *, void *state, const struct subject *);

	/* The same for samples of a trial, a bit each: returns those that match; others than
	 * 'those' do not count.  Thread: any. */
	uint64_t (*look_at_all)(const struct match_block *, const struct trial *, uint64_t those);
};

/* By the index of options_matches. */
const struct match_kind *match_kind(int kind);

struct match {
	const struct match_kind *kind;
	const struct match_block *block;
	void *state;
	unsigned number; /* Of its verdict on a name. */
};

/* False if it cannot be prepared.  'shared' counts it.  match_close() in any case. */
bool match_open(struct match *, const struct match_block *, struct shared *);
void match_close(struct match *);

/* Its answer that holds for all samples of that name; of one that looks at samples an assumed
 * one. */
enum match_result match_look_at_name(const struct match *, struct subject *);

static inline enum match_result match_look(const struct match *match, struct subject *subject)
{
	if (!match->kind->by_name && subject->sample != NULL)
		return match->kind->look(match->block, match->state, subject);
	return match_look_at_name(match, subject);
}
