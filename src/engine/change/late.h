/* SPDX-License-Identifier: MIT */
/* Samples that come after newer ones of their series: mc_admit_late_sample().  The store has no
 * place for them, as it has the last value of each series.  They go to the writers that take the
 * past, in batches of their own, as copies do (engine/judge/copies.h). */
#pragma once

struct copies;
struct engine;
struct instance_set;
struct mc_batch;

/* Makes copies of the late samples of a batch, and counts each as late, or as rejected if no writer
 * takes it.  Thread: the committer's. */
void late_take(struct engine *, const struct instance_set *, struct mc_batch *, struct copies *);
