/* SPDX-License-Identifier: MIT */
#include "steal.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "blame.h"

#define VICTIMS_MAX 64 /* Guests of a read for which somebody is looked for. */
#define LOOK_PART 5    /* It begins at this part of what is too much. */
#define WAIT_SIZE 64   /* "waits 38 % of the time for CPU 3" */

void steal_init(struct steal *steal, struct report *report, struct guests *guests,
		struct groups *groups)
{
	steal->report = report;
	steal->guests = guests;
	steal->groups = groups;
	steal->cpus = mc_alloc_zero(sizeof(*steal->cpus));
}

void steal_done(struct steal *steal)
{
	if (steal->cpus != NULL)
		cpus_done(steal->cpus);
	free(steal->cpus);
}

static int read_cpus(struct steal *steal, struct mc_ctx *ctx)
{
	char full[4096];
	int rc = cpus_read(steal->cpus, mc_path(ctx, "/proc/stat", full, sizeof(full)));

	if (rc == -EBADMSG)
		return mc_fail(ctx, 0, "cannot understand '/proc/stat'");
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot read '/proc/stat'");
	return rc;
}

/* --- A closer look -------------------------------------------------------- */

static void fill_thread(struct blame_thread *thread, unsigned guest, const struct vcpu *vcpu)
{
	static const uint64_t nowhere[BLAME_WORDS] = { 0 };

	*thread = (struct blame_thread){
		.guest = guest,
		.run = vcpu->run_part,
		.wait = vcpu->wait_part,
		.allowed = vcpu->has_allowed ? vcpu->allowed : nowhere,
		.seen = { vcpu->seen[0], vcpu->seen[1] },
	};
}

/* Freed by the caller. */
static struct blame_thread *fill_threads(struct guests *guests, size_t *len)
{
	struct blame_thread *threads = mc_alloc_array(guests->vcpus_len, sizeof(*threads));

	*len = 0;
	for (size_t i = 0; i < guests->len; i++) {
		struct guest *guest = &guests->items[i];

		guest->first = *len;
		for (size_t j = 0; j < guest->vcpus_len; j++)
			fill_thread(&threads[(*len)++], (unsigned)i, &guest->vcpus[j]);
	}
	return threads;
}

static double wait_of(const struct guest *guest)
{
	const struct vcpu *worst = guests_worst(guest);

	return worst != NULL && !guest->is_second ? worst->wait_part : 0;
}

static int compare(const void *a, const void *b)
{
	const double *left = a, *right = b;

	return *left > *right ? -1 : *left < *right;
}

/* The wait from which on somebody is looked for: the rule's, or that of the guests that wait
 * longest. */
static double least_wait(const struct report *report, const struct guests *guests)
{
	double least = report_least(report, RESOURCE_CPU);
	double *waits = mc_alloc_array(guests->len, sizeof(*waits));
	size_t len = 0;

	for (size_t i = 0; i < guests->len; i++)
		if (wait_of(&guests->items[i]) > least)
			waits[len++] = wait_of(&guests->items[i]);
	if (len > VICTIMS_MAX) {
		qsort(waits, len, sizeof(*waits), compare);
		least = waits[VICTIMS_MAX];
	}
	free(waits);
	return least;
}

static void take_shares(const struct steal *steal, const struct blame_answer *answer,
			struct finding *finding)
{
	for (size_t i = 0; i < answer->shares_len; i++) {
		const struct blame_share *share = &answer->shares[i];

		finding->culprits[finding->culprits_len++] = (struct culprit){
			.kind = share->is_group ? CULPRIT_GROUP : CULPRIT_GUEST,
			.name = share->is_group ? steal->groups->items[share->who].path
						: steal->guests->items[share->who].name,
			.part = share->part,
		};
	}
}

static void take_guest(const struct steal *steal, struct blame *blame, const struct guest *guest,
		       struct mc_batch *out)
{
	struct blame_answer answer;
	char text[WAIT_SIZE];
	struct finding finding = {
		.resource = RESOURCE_CPU,
		.guest = guest->name,
		.text = text,
		.part = wait_of(guest),
	};
	int size =
		snprintf(text, sizeof(text), "waits %.0f %% of the time for ", 100 * finding.part);

	blame_wait(blame, guest->first + (size_t)(guests_worst(guest) - guest->vcpus), &answer);
	if (answer.cpu >= 0)
		snprintf(text + size, sizeof(text) - (size_t)size, "CPU %d", answer.cpu);
	else
		snprintf(text + size, sizeof(text) - (size_t)size, "a CPU");
	take_shares(steal, &answer, &finding);
	report_take(steal->report, &finding, out);
}

static void look(const struct steal *steal, struct mc_batch *out)
{
	struct guests *guests = steal->guests;
	double least = least_wait(steal->report, guests);
	struct blame_view view = {
		.groups = steal->groups->used,
		.groups_len = steal->groups->len,
		.cpus = steal->cpus->items,
		.cpus_len = steal->cpus->len,
		.guests_len = guests->len,
	};
	struct blame_thread *threads = fill_threads(guests, &view.threads_len);
	struct blame *blame;

	view.threads = threads;
	blame = blame_new(&view);
	for (size_t i = 0; i < guests->len; i++)
		if (wait_of(&guests->items[i]) > least)
			take_guest(steal, blame, &guests->items[i], out);
	blame_free(blame);
	free(threads);
}

/* The longest wait. */
static double worst_wait(const struct guests *guests)
{
	double worst = 0;

	for (size_t i = 0; i < guests->len; i++) {
		const struct vcpu *vcpu = guests_worst(&guests->items[i]);

		if (vcpu != NULL && vcpu->wait_part > worst)
			worst = vcpu->wait_part;
	}
	return worst;
}

/* Begins to look, or goes on.  1 if all is known that a blame needs. */
static int look_around(struct steal *steal, double time, bool anew)
{
	struct mc_ctx *ctx = steal->report->ctx;
	char full[4096];
	int rc = read_cpus(steal, ctx);

	if (rc < 0)
		return rc;
	anew = anew || !steal->look.has_begun;
	if (anew)
		cpus_read_cores(steal->cpus,
				mc_path(ctx, "/sys/devices/system/cpu", full, sizeof(full)));
	guests_look(steal->guests, anew);
	groups_read(steal->groups, ctx, steal->guests, time);
	steal->look.has_begun = true;
	return rc;
}

static void stop_looking(struct steal *steal)
{
	if (!steal->look.has_begun)
		return;
	steal->look.has_begun = false;
	cpus_forget(steal->cpus);
	groups_forget(steal->groups);
}

int steal_read(struct steal *steal, double time, bool anew, struct mc_batch *out)
{
	double contended = steal->report->rules[RESOURCE_CPU].max / LOOK_PART;
	int rc = 0;

	if (look_take(&steal->look, worst_wait(steal->guests) >= contended)) {
		rc = look_around(steal, time, anew);
		if (rc == 1)
			look(steal, out);
	} else {
		stop_looking(steal);
	}
	report_end(steal->report, RESOURCE_CPU, out);
	return rc < 0 ? rc : 0;
}
