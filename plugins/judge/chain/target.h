/* SPDX-License-Identifier: MIT */
/* A <Target>, and what each kind of it has to know. */
#pragma once

#include "options.h"
#include "subject.h"

enum target_result {
	TARGET_CONTINUE,
	TARGET_STOP,
	TARGET_RETURN,
	TARGET_FAILED, /* Nothing was done: it goes on. */
};

struct target { /* All zero at first. */
	const struct target_kind *kind;
	const struct target_block *block;
	void *state;
	const struct chain *chain; /* Target of jump; may be NULL. */
	uint32_t writers;          /* Of write: bits of flow->writers. */
	unsigned number;           /* Of scale. */
};

struct target_kind {                /* A constant.  Callbacks but apply() may be NULL. */
	const char *const *options; /* That it has; ends with NULL. */
	bool changes;               /* Names or values. */
	bool jumps;                 /* Goes through target->chain: see flow.c. */
	bool writes;
	bool splits; /* See split.h. */
	bool keeps;  /* Something of each series, by target->number. */

	/* Says what is wrong with its options: see <collector/check.h>. */
	void (*check)(struct mc_ctx *, const struct target_block *);

	/* As of a match. */
	void *(*open)(const struct target_block *);
	void (*close)(void *state);

	/* Thread: any. */
	enum target_result (*apply)(const struct target *, struct subject *);
};

/* By the index of options_targets. */
const struct target_kind *target_kind(int kind);

/* False if it cannot be prepared.  'shared' counts it.  target_close() in any case. */
bool target_open(struct target *, const struct target_block *, struct shared *);
void target_close(struct target *);
