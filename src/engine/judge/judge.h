/* SPDX-License-Identifier: MIT */
/* Asks judges about series, and does what they say with the samples of a batch:
 * see include/collector/judge.h.
 *
 * Where there is no judge nothing of this is called.  Else a series that is
 * taken as it is, for everybody, costs a load and a comparison per sample. */
#pragma once

#include <collector/judge.h>

#include "engine/judge/decision.h"
#include "model/batch.h"

struct copies;
struct instance_sets;
struct store;

#define JUDGE_LIST_MAX 32   /* Bits of admit_each and route_each. */
#define JUDGE_ROUTES_MAX 31 /* Flags of a sample, but for the first. */
#define JUDGE_NO_SLOT UINT32_MAX

struct judge_list { /* Who is asked, in this order. */
	struct judge {
		struct mc_ctx *ctx;
		const struct mc_judge *callbacks;
		const _Atomic bool *started; /* Else it is not asked. */
	} items[JUDGE_LIST_MAX];
	unsigned len;
};

struct judges { /* What is kept of their answers.  All zero at first. */
	struct decisions decisions;
	struct instance_sets *instances; /* Whose judges they are. */
	struct store *store;
	_Atomic uint32_t slot;          /* Of a series: the one it is renamed into. */
	_Atomic uint64_t filtered;      /* Samples that were dropped. */
	_Atomic uint64_t described;     /* Changes of metadata. */
	pthread_mutex_t lock;           /* Guards 'routes'. */
	char *routes[JUDGE_ROUTES_MAX]; /* Names of writers. */
	unsigned routes_len;
	bool ending; /* All series are being freed. */
};

/* The store and the slot may be set later, before the first batch. */
void judge_init(struct judges *, struct instance_sets *);
void judge_done(struct judges *);

/* The flag of samples that a writer does not get, which is the same for all
 * writers of that name; 0 if there are none left.  Any thread. */
uint32_t judge_route_of(struct judges *, const char *writer);

/* Before the store takes the batch: drops and renames samples, and says who
 * gets them.  Returns whether judge_samples() is due.  Who commits it. */
bool judge_batch(struct judges *, const struct judge_list *, struct mc_batch *);

/* When the samples have rates: who gets those that are judged one by one, and
 * what some writers get in their place. */
void judge_samples(struct judges *, const struct judge_list *, struct mc_batch *, struct copies *);

/* Who gets what was read from the journal, where it is under the name that it
 * was renamed into.  Any thread. */
void judge_recorded(struct judges *, struct mc_batch *);

/* Whether somebody else tells that the series has fallen silent, or there is
 * nothing to tell: it is dropped, or goes by another name. */
bool judge_is_reported(const struct judges *, const struct mc_series *);

/* The flags of writers that get nothing of the series, as far as judges were
 * asked about it. */
uint32_t judge_excluded(const struct judges *, const struct mc_series *);

/* The series that 'series' is renamed into; itself if it is not. */
struct mc_series *judge_target(const struct judges *, struct mc_series *);

/* Keeps metadata that an instance gives a source of a series; if they have
 * changed, judges are asked again who gets it.  Any thread, beside those that
 * ask. */
void judge_describe(struct mc_batch *, struct mc_series *, unsigned source,
		    const struct mc_metadata *);

/* The slot of a series that is freed: it keeps what it was renamed into. */
void judge_forget(const struct judges *, void *slot);
