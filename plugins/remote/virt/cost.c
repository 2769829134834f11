/* SPDX-License-Identifier: MIT */
/* cost: what the main thread of a QEMU does during a read is our command, and requests of its guest
 * to disks; in a quarter of the QEMUs it is hardly more than the command. */
#include "cost.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include <collector/private/alerts.h>

#include "daemon.h"
#include "links.h"
#include "virt.h"

static mc_time now_by(clockid_t clock)
{
	struct timespec time;

	clock_gettime(clock, &time);
	return time.tv_sec * MC_SECOND + time.tv_nsec;
}

static bool measures(const struct virt *self)
{
	return self->report_stats || self->budget.share > 0;
}

static bool read_daemon(struct mc_ctx *ctx, unsigned pid, mc_time *cpu)
{
	struct kernel_cpu read;

	if (pid == 0 || !kernel_read_cpu(ctx, &(struct kernel_map){ .pid = pid }, &read))
		return false;
	*cpu = (mc_time)read.total;
	return true;
}

static mc_time own_time(const struct virt *self)
{
	return now_by(CLOCK_THREAD_CPUTIME_ID) + links_cpu(self);
}

void cost_begin(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	struct cost *cost = &self->cost;

	if (!measures(self))
		return;
	cost->collector = own_time(self);
	cost->pid = daemon_find(ctx);
	if (!read_daemon(ctx, cost->pid, &cost->daemon))
		cost->pid = 0;
}

/* --- QEMUs ------------------------------------------------------------------ */

static bool is_asked(const struct guest *guest)
{
	return guest->selected && guest->state == VIR_DOMAIN_RUNNING &&
	       !choice_omits(guest->poll.reason);
}

void cost_ask(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	size_t len = 0;

	if (!measures(self))
		return;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;) {
		at->poll.measured = len < COST_GUESTS_MAX && is_asked(at) &&
				    activity_main(&self->files, &at->poll.activity, &at->poll.main);
		len += at->poll.measured;
	}
	self->cost.begun = now_by(CLOCK_MONOTONIC);
}

void cost_answered(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;
	struct cost *cost = &self->cost;

	if (self->report_stats)
		mc_put_gauge(out, (double)(now_by(CLOCK_MONOTONIC) - cost->begun) / MC_SECOND,
			     .plugin_instance = self->series_instance, .type = "duration",
			     .type_instance = "bulk");
	cost->guests_len = 0;
	if (!measures(self))
		return;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;) {
		uint64_t main;

		if (at->poll.measured && cost->guests_len < COST_GUESTS_MAX &&
		    activity_main(&self->files, &at->poll.activity, &main) && main >= at->poll.main)
			cost->guests[cost->guests_len++] = main - at->poll.main;
	}
}

static int compare_times(const void *a, const void *b)
{
	uint64_t first = *(const uint64_t *)a, second = *(const uint64_t *)b;

	return (first > second) - (first < second);
}

static mc_time guests_time(struct virt *self)
{
	struct cost *cost = &self->cost;
	mc_time asked = 0;

	if (cost->guests_len == 0)
		return 0;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		asked += is_asked(at);
	qsort(cost->guests, cost->guests_len, sizeof(cost->guests[0]), compare_times);
	return (mc_time)cost->guests[cost->guests_len / 4] * asked;
}

/* --- Budget ----------------------------------------------------------------- */

static void put_cost(struct mc_ctx *ctx, struct mc_batch *out, const char *of, mc_time cpu)
{
	const struct virt *self = ctx->self;

	mc_put_gauge(out, (double)cpu / MC_SECOND, .plugin_instance = self->series_instance,
		     .type = "virt_induced_cpu", .type_instance = of);
}

static void report(struct mc_ctx *ctx, struct mc_batch *out, const struct budget_cost *cost)
{
	struct virt *self = ctx->self;
	unsigned spared = 0;

	if (self->cost.pid != 0)
		put_cost(ctx, out, "", cost->daemon);
	put_cost(ctx, out, "collector", cost->collector);
	if (self->cost.guests_len > 0)
		put_cost(ctx, out, "guests", cost->guests);
	if (self->budget.share == 0)
		return;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		spared += at->poll.reason == CHOICE_SPARED ||
			  (self->spared != 0 && choice_omits(at->poll.reason));
	mc_put_gauge(out, spared, .plugin_instance = self->series_instance, .type = "count",
		     .type_instance = "guests_spared");
}

/* Alert for as long as all that can be left out is, and that does not do. */
static void stand(struct mc_ctx *ctx, bool exhausted)
{
	const struct virt *self = ctx->self;
	char reason[160];

	snprintf(reason, sizeof(reason),
		 "asking the guests costs %.2f %% of a core, and Budget is %.2g %%",
		 100 * self->budget.used, 100 * self->budget.share);
	mc_stand(ctx, &(struct mc_standing){
			      .id = { .plugin_instance = self->series_instance,
				      .type = "virt_induced_cpu",
				      .type_instance = "budget" },
			      .severity = exhausted ? MC_WARNING : MC_OKAY,
			      .reason = reason,
			      .advice = "Read some groups less often by Group blocks, or allow "
					"more by Budget." });
}

static void apply(struct mc_ctx *ctx, enum budget_event event)
{
	struct virt *self = ctx->self;
	const struct budget *budget = &self->budget;
	double used = 100 * budget->used, share = 100 * budget->share;

	if (event == BUDGET_BEGINS)
		mc_log(ctx, MC_NOTE,
		       "asking the guests costs %.2f %% of a core, Budget is %.2g %%: those that "
		       "do nothing are asked less often",
		       used, share);
	if (event == BUDGET_ENDS)
		mc_log(ctx, MC_NOTE,
		       "asking the guests costs %.2f %% of a core, Budget is %.2g %%: all are "
		       "asked as often as before",
		       used, share);
	stand(ctx, event == BUDGET_EXHAUSTED);
	atomic_store(&self->stretched, budget_plan(budget).groups);
	groups_stretch(&self->groups, budget_plan(budget).groups);
}

void cost_end(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;
	struct budget_cost cost = { 0 };
	mc_time daemon;

	if (!measures(self))
		return;
	if (read_daemon(ctx, self->cost.pid, &daemon))
		cost.daemon = daemon - self->cost.daemon;
	cost.guests = guests_time(self);
	cost.collector = own_time(self) - self->cost.collector;
	if (self->report_stats)
		report(ctx, out, &cost);
	if (self->budget.share > 0)
		apply(ctx, budget_take(&self->budget, &cost, ctx->interval));
}
