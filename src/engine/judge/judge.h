/* SPDX-License-Identifier: MIT */
/* Asks judges about series, and applies their answers to the samples of a batch: see
 * include/collector/judge.h.
 *
 * Not called without judges.  A series that is taken as it is, for all writers, costs a comparison
 * per sample, where the store has its memory at hand. */
#pragma once

#include <collector/judge.h>
#include <collector/metric.h>

#include "engine/judge/decision.h"
#include "model/batch.h"

struct alerts;
struct copies;
struct instance_sets;
struct store;

#define JUDGE_LIST_MAX 32   /* Bits of admit_each and route_each. */
#define JUDGE_ROUTES_MAX 31 /* Flags of a sample, but for the first. */
#define JUDGE_NO_SLOT UINT32_MAX

struct judge_list { /* The judges, in the order of calls. */
	struct judge {
		struct mc_ctx *ctx;
		const struct mc_judge *callbacks;
		const _Atomic bool *started; /* Else it is not asked. */
	} items[JUDGE_LIST_MAX];
	unsigned len;
};

struct judges { /* Cached answers.  All zero at first. */
	struct decisions decisions;
	struct instance_sets *instances; /* Whose judges they are. */
	struct store *store;
	struct alerts *alerts;          /* States, acknowledgements and silences. */
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

/* The flag of samples that a writer does not get, which is the same for all writers of that name;
 * 0 if none is left.  Thread: any. */
uint32_t judge_route_of(struct judges *, const char *writer);

/* Before the store takes what follows 'before' (NULL: all) of the batch: drops and renames samples,
 * and decides which writers get them.  Those before it are plain.  Returns whether judge_samples()
 * is due.  Thread: the committer's. */
bool judge_batch(struct judges *, const struct judge_list *, struct mc_batch *,
		 struct mc_sample *before);

/* When the samples have rates: decides which writers get those that are judged one by one, and
 * their replacements. */
void judge_samples(struct judges *, const struct judge_list *, struct mc_batch *, struct copies *);

/* Decides which writers get samples read from the journal, where they are under their new names.
 * Thread: any. */
void judge_recorded(struct judges *, struct mc_batch *);

/* By how many rules they judge values; NULL: without judges.  Thread: any that keeps the list. */
size_t judge_count_rules(const struct judge_list *);

/* Whether the "missing" notification of a series is not ours to send: a judge reports it, or the
 * series is dropped, or has another name. */
bool judge_is_reported(const struct judges *, const struct mc_series *);

/* The flags of writers that get nothing of the series, as far as judges were asked about it. */
uint32_t judge_excluded(const struct judges *, const struct mc_series *);

/* The series that 'series' is renamed into; itself if it is not. */
struct mc_series *judge_target(const struct judges *, struct mc_series *);

/* Keeps metadata that an instance gives a source of a series; if they have changed, judges are
 * asked again which writers get it.  Thread: any, beside those that ask. */
void judge_describe(struct mc_batch *, struct mc_series *, unsigned source,
		    const struct mc_metadata *);

/* The same for the metric that its sender calls it. */
void judge_set_metric(struct mc_batch *, struct mc_series *, const struct mc_metric *);

/* The slot of a series that is freed: it keeps what it was renamed into. */
void judge_forget(const struct judges *, void *slot);
