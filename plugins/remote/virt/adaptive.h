/* SPDX-License-Identifier: MIT */
/* Poll "adaptive": guests that did no I/O are not asked for their disks, whose counters are those
 * of the last answer.  activity.h has how that is known, choice.h which guests are asked. */
#pragma once

#include <collector/judge.h>

#include "virt.h"

void adaptive_start(struct mc_ctx *ctx);
void adaptive_stop(struct mc_ctx *ctx);

/* The guest was described: follows its process, which may be another one. */
void adaptive_follow(struct mc_ctx *ctx, struct guest *guest);

/* Chooses the guests that are asked for their disks in this read, if any are. */
void adaptive_choose(struct mc_ctx *ctx, bool disks_asked);

/* Keeps the disks in self->decode, if they are an answer of the guest, or, if it was not asked,
 * puts those that are kept there.  'silent': it did not answer. */
void adaptive_take(struct mc_ctx *ctx, struct guest *guest, bool silent);

/* Answers whether the guest of a series was asked for it, and why.  Thread: any. */
void adaptive_explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer);

/* After all answers.  With ReportStats, puts how many guests were asked. */
void adaptive_settle(struct mc_ctx *ctx, struct mc_batch *out);
