/* SPDX-License-Identifier: MIT */
/* What the files of the plugin share: its state, and the ways out of it. */
#ifndef THRESHOLD_THRESHOLD_H
#define THRESHOLD_THRESHOLD_H

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

	pthread_mutex_t lock;
	struct finder finder MC_GUARDED_BY(lock);
	struct alerts alerts MC_GUARDED_BY(lock);
	size_t watches MC_GUARDED_BY(lock);
	uint64_t told MC_GUARDED_BY(lock);
	uint64_t suppressed MC_GUARDED_BY(lock);
	struct mc_state_file file MC_GUARDED_BY(lock);
	struct mc_buffer records MC_GUARDED_BY(lock); /* To be appended. */
	bool stopped MC_GUARDED_BY(lock); /* Only watches are left. */

	struct mc_once unwritable; /* Only run(). */
};

/* The slot of a series that has no rules. */
extern const struct watch threshold_no_rules;

/* The parts of its name; they live as long as the series. */
struct mc_id threshold_id(const struct mc_series *);

/* --- judging.c: values, and series without them ----------------------- */

/* Finds the rules of a series, once. */
struct watch *judging_watch(struct threshold *, const struct mc_series *,
			    void **slot);

/* The callbacks of struct mc_writer. */
int judging_write(struct mc_ctx *, const struct mc_batch *);
void judging_ended(struct mc_ctx *, struct mc_series *, mc_time silent);
void judging_forget(struct mc_ctx *, void *slot);

/* Tells of series that have never come, and of those that are still missing.
 * run(). */
void judging_tell_absent(struct mc_ctx *);

/* --- saving.c: the state file ------------------------------------------ */

/* An alert has changed, or is about to go: 'state' is the one of now. */
void saving_add(struct threshold *, const struct alert *, enum mc_state state);
void saving_append(struct threshold *);

/* Reads what stands; start(). */
void saving_load(struct mc_ctx *);

/* Makes what was appended safe, or writes all anew; run(). */
void saving_save(struct mc_ctx *);

/* --- answering.c: what people ask --------------------------------------- */

void answering_explain(struct mc_ctx *, const struct mc_series *,
		       struct mc_answer *);
void answering_thresholds(struct mc_ctx *, const struct mc_id *,
			  struct mc_answer *);
void answering_alerts(struct mc_ctx *, struct mc_answer *);

#endif
