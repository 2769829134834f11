/* SPDX-License-Identifier: MIT */
/* adaptive: three looks at each guest that is asked.
 *
 *   before it is asked  shows whether it did I/O since its last answer
 *   after its answer    the next look shows I/O from here on
 *   after all answers   QEMU goes to sleep only after its answer, which wakes
 *                       some of its threads once more: that alone is no I/O
 *
 * I/O between an answer and the look after it is not shown by either, so a guest that is asked
 * because of I/O is asked once more, until an answer is as the one before; and in turn after some
 * time. */
#include "adaptive.h"

#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/hash.h>
#include <collector/writer.h>

static bool begins(const char *type, const char *const *begins, size_t len)
{
	for (size_t i = 0; i < len; i++)
		if (strncmp(type, begins[i], strlen(begins[i])) == 0)
			return true;
	return false;
}

static bool is_of_disk(const char *type)
{
	static const char *const types[] = { "disk_", "total_requests", "total_time_in_ms",
					     "virt_disk_" };

	return strcmp(type, "disk_error") != 0 &&
	       begins(type, types, sizeof(types) / sizeof(types[0]));
}

/* Types of the groups that Budget may have read less often. */
static bool is_stretched(const char *type)
{
	static const char *const types[] = { "memory",    "swap_io",    "ps_pagefaults",
					     "virt_vcpu", "disk_error", "job_stats" };

	return begins(type, types, sizeof(types) / sizeof(types[0]));
}

static void explain_guest(struct virt *self, struct guest *guest, const char *type,
			  struct mc_answer *answer)
{
	enum choice_reason reason = atomic_load(&guest->poll.reason);
	unsigned stretched = atomic_load(&self->stretched);

	if (is_of_disk(type))
		mc_explain(answer, "%s", choice_text(reason));
	else if (is_stretched(type) && choice_omits(reason) && stretched > 1)
		mc_explain(answer, "beyond Budget: asked once in %u times while it does nothing",
			   stretched);
}

void adaptive_explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer)
{
	struct virt *self = ctx->self;
	const char *host = mc_host(series), *instance = mc_plugin_instance(series);

	if (self->files.folder < 0 || strcmp(mc_plugin(series), "virt") != 0)
		return;
	pthread_mutex_lock(&self->lock);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (strcmp(at->host, host) == 0 && strcmp(at->instance, instance) == 0)
			explain_guest(self, at, mc_type(series)->name, answer);
	pthread_mutex_unlock(&self->lock);
}

void adaptive_start(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	char path[256];

	if (self->polling == POLLING_ALL || !self->local || self->source == SOURCE_LIBVIRT)
		return;
	self->files.folder =
		open(mc_path(ctx, "/proc", path, sizeof(path)), O_PATH | O_DIRECTORY | O_CLOEXEC);
	self->files.kept_max = mc_kept_limit();
}

void adaptive_stop(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	if (self->files.folder >= 0)
		close(self->files.folder);
	self->files.folder = -1;
}

void adaptive_follow(struct mc_ctx *ctx, struct guest *guest)
{
	struct virt *self = ctx->self;

	if (self->files.folder >= 0)
		activity_begin(&self->files, &guest->poll.activity, guest->map.pid,
			       guest->map.started);
}

static enum choice_reason choose(struct virt *self, struct guest *guest)
{
	const struct budget_plan plan = budget_plan(&self->budget);
	struct guest_poll *poll = &guest->poll;

	activity_look(&self->files, &poll->activity, &poll->before);
	return choice_decide(&(struct choice_facts){
		.answered = poll->answered,
		.visible = poll->before.known,
		.idle = activity_is_idle(&poll->after, &poll->before),
		.halted = poll->before.halted,
		.changed = !guest->described,
		.wanted = poll->wanted,
		.stuck = guest->stuck || guest->silent > 0,
		.restless = poll->restless,
		.turn = choice_turn(
			mc_hash_bytes(mc_hash_start(), guest->uuid, sizeof(guest->uuid)),
			self->disk_reads, plan.check),
		.reads = poll->reads,
		.check = plan.check,
		.unseen = plan.unseen,
		.distrust = poll->distrust,
	});
}

static void ask_all(struct virt *self)
{
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;)
		if (choice_omits(at->poll.reason))
			atomic_store(&at->poll.reason, CHOICE_TOGETHER);
}

void adaptive_choose(struct mc_ctx *ctx, bool disks_asked)
{
	struct virt *self = ctx->self;
	size_t quiet = 0, running = 0;

	if (self->files.folder < 0)
		return;
	self->disk_reads += disks_asked;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;) {
		/* If disks are not asked for, all are asked. */
		enum choice_reason reason = disks_asked ? choose(self, at) : CHOICE_NEW;

		atomic_store(&at->poll.reason, reason);
		quiet += choice_omits(reason);
		running += at->state == VIR_DOMAIN_RUNNING;
	}
	if (!choice_is_worth(quiet, running))
		ask_all(self);
}

/* An answer in turn, or the kernel's word would have been taken for it. */
static void check_rule(struct mc_ctx *ctx, struct guest *guest)
{
	struct guest_poll *poll = &guest->poll;

	if (poll->distrust > 0)
		poll->distrust--;
	if (poll->reason != CHOICE_CHECKED || !poll->restless)
		return;
	if (poll->distrust == 0)
		mc_log(ctx, MC_NOTE,
		       "guest '%s' did I/O that the kernel did not show: it is asked in each of "
		       "the next %d reads",
		       guest->name, CHOICE_DISTRUST);
	poll->distrust = CHOICE_DISTRUST;
}

void adaptive_take(struct mc_ctx *ctx, struct guest *guest, bool silent)
{
	struct virt *self = ctx->self;
	struct guest_poll *poll = &guest->poll;

	if (self->files.folder < 0 || !self->disks_due)
		return;
	if (choice_omits(poll->reason)) {
		counters_show(&poll->counters, &self->decode.disks);
		poll->reads++;
		return;
	}
	poll->after = (struct activity_sample){ 0 };
	if (silent || guest->state != VIR_DOMAIN_RUNNING)
		return;
	poll->answered = true;
	poll->reads = 0;
	poll->wanted = false;
	poll->restless = counters_keep(&poll->counters, &self->decode.disks);
	check_rule(ctx, guest);
	activity_list(&self->files, &poll->activity);
	activity_look(&self->files, &poll->activity, &poll->after);
	if (activity_has_transferred(&poll->before, &poll->after))
		poll->restless = true;
}

static void put_count(struct mc_ctx *ctx, struct mc_batch *out, const char *what, unsigned count)
{
	const struct virt *self = ctx->self;

	mc_put_gauge(out, count, .plugin_instance = self->series_instance, .type = "count",
		     .type_instance = what);
}

void adaptive_settle(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct virt *self = ctx->self;
	unsigned asked = 0, omitted = 0;

	if (self->files.folder < 0 || !self->disks_due)
		return;
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;) {
		struct activity_sample now;

		if (choice_omits(at->poll.reason))
			omitted++;
		else
			asked += at->selected && at->state == VIR_DOMAIN_RUNNING;
		if (at->poll.reads > 0 || !at->poll.after.known)
			continue;
		activity_look(&self->files, &at->poll.activity, &now);
		if (activity_has_only_woken(&at->poll.after, &now))
			at->poll.after = now;
	}
	if (!self->report_stats)
		return;
	put_count(ctx, out, "guests_asked", asked);
	put_count(ctx, out, "guests_not_asked", omitted);
}
