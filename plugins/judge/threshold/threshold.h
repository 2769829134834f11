/* SPDX-License-Identifier: MIT */
/* What the files of the plugin share: its state, and the ways out of it. */
#pragma once

#include <collector/judge.h>
#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/kit/state_file.h>

#include "alert.h"
#include "finder.h"
#include "options.h"
#include "text.h"
#include "watch.h"

struct threshold {
	struct options options;
	struct mc_ctx *ctx;
	size_t rules_len;
	bool reminds;    /* A rule has RemindAfter. */
	mc_time started; /* mc_now() */
	bool keeps;      /* Alerts are left to keeping_judge(); run(). */

	pthread_mutex_t lock; /* Of threads that commit, too: no I/O. */
	struct finder finder MC_GUARDED_BY(lock);
	struct alerts alerts MC_GUARDED_BY(lock);
	size_t watches MC_GUARDED_BY(lock);
	size_t described MC_GUARDED_BY(lock); /* Those with rules of metadata. */
	uint64_t told MC_GUARDED_BY(lock);
	uint64_t suppressed MC_GUARDED_BY(lock);
	struct mc_buffer records MC_GUARDED_BY(lock); /* To be appended. */
	bool stopped MC_GUARDED_BY(lock);             /* Only watches are left. */

	/* Held while records are appended, so that they stay in order, and
	 * taken before the other one. */
	pthread_mutex_t file_lock;
	struct mc_state_file file MC_GUARDED_BY(file_lock);
	struct mc_buffer appending MC_GUARDED_BY(file_lock);

	struct mc_once unwritable; /* Only run(). */
};

/* The slot of a series that has no rules. */
extern const struct watch threshold_no_rules;

/* The parts of its name; they live as long as the series. */
static inline struct mc_id threshold_id(const struct mc_series *series)
{
	return (struct mc_id){ mc_host(series), mc_plugin(series), mc_plugin_instance(series),
			       mc_type(series)->name, mc_type_instance(series) };
}

/* --- watching.c: which rules a series has ------------------------------ */

/* Finds the rules of a series, which has none yet in its slot. */
struct watch *watching_begin(struct threshold *, const struct mc_series *, void **slot);

/* Likewise, or again: its metadata may have changed. */
void watching_renew(struct threshold *, struct mc_series *, void **slot);

/* Its alert is over. */
void watching_drop_alert(struct threshold *, struct alert *);

/* forget() of struct mc_writer. */
void watching_forget(struct mc_ctx *, void *slot);

/* --- judging.c: values, and series without them ----------------------- */

/* Its series has had no values for 'silent'. */
void judging_set_missing(struct threshold *, struct alert *, mc_time silent);

/* The callbacks of struct mc_writer. */
int judging_write(struct mc_ctx *, const struct mc_batch *);
void judging_ended(struct mc_ctx *, struct mc_series *, mc_time silent);

/* Tells of series that have never come, and of those that are still missing.
 * run(). */
void judging_tell_absent(struct mc_ctx *);

/* --- telling.c: notifications ------------------------------------------- */

/* Of the state that a verdict on a sample has come to, or that it flaps. */
void telling_state(struct threshold *, const struct mc_sample *, const struct verdict *,
		   bool flaps);

/* Of an alert: its series has no values. */
void telling_missing(struct threshold *, const struct alert *);

/* OKAY, of an alert that ends without a good value: 'why' is a sentence. */
void telling_end(struct threshold *, const struct alert *, const char *why);

/* --- keeping.c: alerts of before the start ------------------------------- */

/* Judges those whose series have not come within Timeout intervals.  run(). */
void keeping_judge(struct mc_ctx *);

/* --- saving.c: the state file ------------------------------------------ */

/* An alert has changed, or is about to go: 'state' is the one of now. */
void saving_add(struct threshold *, const struct alert *, enum mc_state state);

/* Writes what has been added, without the lock.  write(), ended() and run(). */
void saving_append(struct threshold *);

/* Reads what stands; start(). */
void saving_load(struct mc_ctx *);

/* Makes what was appended safe, or writes all anew; run(). */
void saving_save(struct mc_ctx *);

/* --- answering.c: what people ask --------------------------------------- */

void answering_explain(struct mc_ctx *, const struct mc_series *, struct mc_answer *);
void answering_thresholds(struct mc_ctx *, const struct mc_id *, struct mc_answer *);
void answering_alerts(struct mc_ctx *, struct mc_answer *);
