/* SPDX-License-Identifier: MIT */
/* Shared by the files of the plugin: its state, and the functions that leave it. */
#pragma once

#include <collector/judge.h>
#include <collector/kit/lock.h>
#include <collector/kit/once.h>
#include <collector/kit/state_file.h>

#include "alert.h"
#include "finder.h"
#include "message.h"
#include "options.h"
#include "shared_states.h"
#include "state_record.h"
#include "watch.h"

struct threshold {
	struct options options;
	struct mc_ctx *ctx;
	size_t rules_len;
	bool reminds;    /* A rule has RemindAfter. */
	mc_time started; /* mc_now() */

	pthread_mutex_t lock;           /* Of threads that commit, too: no I/O. */
	bool keeps MC_GUARDED_BY(lock); /* Alerts are left to old_alerts_check(). */
	struct finder finder MC_GUARDED_BY(lock);
	struct finder named MC_GUARDED_BY(lock); /* <Rule> blocks, where it has none. */
	struct alerts alerts MC_GUARDED_BY(lock);
	size_t watches MC_GUARDED_BY(lock);
	size_t described MC_GUARDED_BY(lock); /* Those with rules of metadata. */
	uint64_t reported MC_GUARDED_BY(lock);
	uint64_t suppressed MC_GUARDED_BY(lock);
	struct mc_buffer records MC_GUARDED_BY(lock);   /* To be appended. */
	struct shared_states told MC_GUARDED_BY(lock);  /* Other collectors are to hear of. */
	bool stopped MC_GUARDED_BY(lock);               /* Only watches are left. */
	struct mc_reading *reading MC_GUARDED_BY(lock); /* During write(), once needed. */

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

/* --- series_rules.c: which rules a series has ------------------------------ */

/* Finds the rules of a series, which has none yet in its slot. */
struct watch *series_rules_begin(struct threshold *, const struct mc_series *, void **slot);

/* The same, or again: its metadata may have changed. */
void series_rules_renew(struct threshold *, struct mc_series *, void **slot);

/* The rules of the configuration for series of that name; NULL: none. */
const struct rules *series_rules_find(struct threshold *, const struct mc_id *);

/* Its alert is over. */
void series_rules_drop_alert(struct threshold *, struct alert *);

/* forget() of struct mc_writer. */
void series_rules_forget(struct mc_ctx *, void *slot);

/* --- states.c: values, and series without them ----------------------- */

/* Its series has had no values for 'silent'. */
void states_set_missing(struct threshold *, struct alert *, mc_time silent);

/* The callbacks of struct mc_writer. */
int states_write(struct mc_ctx *, const struct mc_batch *);
void states_ended(struct mc_ctx *, struct mc_series *, mc_time silent);

/* Reports series that have never come, and those that are still missing.  Thread: run()'s. */
void states_report_absent(struct mc_ctx *);

/* --- notifications.c: notifications ------------------------------------------- */

/* Notifies of the state that a verdict on a sample has come to, or that it flaps. */
void notifications_state(struct threshold *, const struct mc_sample *, const struct verdict *,
			 bool flaps);

/* Notifies that the series of an alert has no values. */
void notifications_missing(struct threshold *, const struct alert *);

/* OKAY, of an alert that ends without a good value: 'why' is a sentence. */
void notifications_end(struct threshold *, const struct alert *, const char *why);

/* --- old_alerts.c: alerts of before the start ------------------------------- */

/* Judges those whose series have not come within Timeout intervals.  Thread: run()'s. */
void old_alerts_check(struct mc_ctx *);

/* Ends those whose series are not here and match; as forgotten() of struct mc_writer. */
void old_alerts_forget(struct mc_ctx *, const char *glob);

/* --- state_file.c: the state file ------------------------------------------ */

/* An alert has changed, or is about to go: 'state' is the one of now. */
void state_file_add(struct threshold *, const struct alert *, enum mc_state state);

/* The same of one that other collectors know: they hear nothing. */
void state_file_add_adopted(struct threshold *, const struct alert *, enum mc_state state);

/* Whether something has been added since state_file_append(). */
bool state_file_waits(const struct threshold *);

/* Writes what has been added, and reports it, without the lock.  write(), ended() and run(). */
void state_file_append(struct threshold *);

/* Makes an alert of what stood before the start, or at another collector; or drops it. */
void state_file_take(struct threshold *, const struct state_record *);

/* Reads what stands; start(). */
void state_file_load(struct mc_ctx *);

/* Makes what was appended safe, or writes all anew; run(). */
void state_file_save(struct mc_ctx *);

/* --- adopt.c: states of other collectors ---------------------------------- */

/* adopt() of struct mc_judge. */
bool adopt_state(struct mc_ctx *, const struct mc_judge_state *);

/* --- queries.c: what people ask --------------------------------------- */

void queries_explain(struct mc_ctx *, const struct mc_series *, struct mc_answer *);
void queries_thresholds(struct mc_ctx *, const struct mc_id *, struct mc_answer *);
void queries_alerts(struct mc_ctx *, struct mc_answer *);
size_t queries_rules(struct mc_ctx *);
