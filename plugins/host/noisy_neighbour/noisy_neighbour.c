/* SPDX-License-Identifier: MIT */
/* noisy_neighbour: which other guests make virtual machines wait for a CPU, or which control groups
 * of this host (Documentation/scheduler/sched-stats.rst, proc(5)).
 *
 * Each read takes the wait of each virtual CPU.  Only where one has to wait, where they run is
 * looked at, and how busy the CPUs and the control groups are: until none has waited for a while.
 */
#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/private/recorded.h>
#include <collector/private/status.h>
#include <collector/writer.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "blame.h"
#include "counts.h"
#include "cpus.h"
#include "groups.h"
#include "guests.h"
#include "report.h"
#include "sentences.h"

#define SCAN_PERIOD (10 * MC_SECOND) /* For guests; at most with each read. */
#define COUNT_PERIOD (MC_SECOND / 2) /* For what is counted beside the time of virtual CPUs. */
#define LOOKS 10                     /* Reads after the last wait in which it looks closer. */
#define VICTIMS_MAX 64               /* Guests of a read for which somebody is looked for. */
#define LOOK_PART 5                  /* It begins at this part of what is too much. */

struct noisy_neighbour {
	double max, hysteresis; /* Percent. */
	int64_t hits;
	bool guests_are_hosts, counts;

	bool is_recorded;     /* It counts, and nothing else. */
	unsigned count_parts; /* Reads in which the counters of all guests are read. */
	struct verdict_rule rule;
	struct guests guests;
	struct groups groups;
	struct cpus *cpus;
	unsigned reads, scan_reads; /* So far, and between two scans. */
	mc_time last;               /* Of mc_now(); 0: no read yet. */
	unsigned looks;             /* Left. */
	bool has_looked;
	struct mc_once uncounted, too_many;
	struct sentences sentences;
	bool has_sentences;
};

/* About any series of a guest that waits.  Thread: any. */
static void explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer)
{
	struct noisy_neighbour *self = ctx->self;
	char *text = sentences_find(&self->sentences, mc_host(series),
				    self->guests_are_hosts ? "" : mc_plugin_instance(series));

	if (text != NULL)
		mc_explain(answer, "%s", text);
	free(text);
}

static int noisy_neighbour_start(struct mc_ctx *ctx)
{
	struct noisy_neighbour *self = ctx->self;

	self->rule = (struct verdict_rule){ self->max / 100, self->hysteresis / 100,
					    (unsigned)self->hits };
	self->is_recorded = mc_is_recorded(ctx);
	self->count_parts =
		ctx->interval < COUNT_PERIOD ? (unsigned)(COUNT_PERIOD / ctx->interval) : 1;
	self->guests.files.folder = -1;
	self->guests.files.kept_max = mc_kept_limit();
	if (self->is_recorded)
		self->guests.files.kept_max /= 2; /* The other one has some, too. */
	self->cpus = mc_alloc_zero(sizeof(*self->cpus));
	self->scan_reads =
		ctx->interval < SCAN_PERIOD ? (unsigned)(SCAN_PERIOD / ctx->interval) : 1;
	sentences_init(&self->sentences);
	self->has_sentences = true;
	if (!self->is_recorded)
		mc_explain_with(ctx, explain);
	self->groups.files.folder = -1;
	self->groups.files.kept_max = mc_kept_limit() / 4;
	return 0;
}

static int read_cpus(struct mc_ctx *ctx)
{
	struct noisy_neighbour *self = ctx->self;
	char full[4096];
	int rc = cpus_read(self->cpus, mc_path(ctx, "/proc/stat", full, sizeof(full)));

	if (rc == -EBADMSG)
		return mc_fail(ctx, 0, "cannot understand '/proc/stat'");
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot read '/proc/stat'");
	cpus_read_cores(self->cpus, mc_path(ctx, "/sys/devices/system/cpu", full, sizeof(full)));
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
static double least_wait(const struct noisy_neighbour *self)
{
	double least = self->rule.max - self->rule.hysteresis;
	double *waits = mc_alloc_array(self->guests.len, sizeof(*waits));
	size_t len = 0;

	for (size_t i = 0; i < self->guests.len; i++)
		if (wait_of(&self->guests.items[i]) > least)
			waits[len++] = wait_of(&self->guests.items[i]);
	if (len > VICTIMS_MAX) {
		qsort(waits, len, sizeof(*waits), compare);
		least = waits[VICTIMS_MAX];
	}
	free(waits);
	return least;
}

static void report_blame(const struct report *report, struct blame *blame, struct mc_batch *out)
{
	double least = least_wait(report->ctx->self);

	for (size_t i = 0; i < report->guests->len; i++) {
		struct guest *guest = &report->guests->items[i];
		struct blame_answer answer;

		if (guest->is_second)
			continue;
		if (wait_of(guest) <= least) {
			report_guest(report, guest, NULL, out);
			continue;
		}
		blame_wait(blame, guest->first + (size_t)(guests_worst(guest) - guest->vcpus),
			   &answer);
		report_guest(report, guest, &answer, out);
	}
}

static void look(const struct report *report, struct mc_batch *out)
{
	struct noisy_neighbour *self = report->ctx->self;
	struct blame_view view = {
		.groups = self->groups.used,
		.groups_len = self->groups.len,
		.cpus = self->cpus->items,
		.cpus_len = self->cpus->len,
		.guests_len = self->guests.len,
	};
	struct blame_thread *threads = fill_threads(&self->guests, &view.threads_len);
	struct blame *blame;

	view.threads = threads;
	blame = blame_new(&view);
	report_blame(report, blame, out);
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

/* Whether it looks closer now. */
static bool is_contended(struct noisy_neighbour *self)
{
	if (worst_wait(&self->guests) >= self->rule.max / LOOK_PART)
		self->looks = LOOKS;
	else if (self->looks > 0)
		self->looks--;
	return self->looks > 0;
}

/* Begins to look, or goes on.  1 if all is known that a blame needs. */
static int look_around(struct mc_ctx *ctx, double time, bool anew)
{
	struct noisy_neighbour *self = ctx->self;
	int rc = read_cpus(ctx);

	if (rc < 0)
		return rc;
	anew = anew || !self->has_looked;
	guests_look(&self->guests, anew);
	if (anew)
		groups_scan(&self->groups, ctx);
	groups_read(&self->groups, ctx, &self->guests, time);
	self->has_looked = true;
	return rc;
}

static void stop_looking(struct noisy_neighbour *self)
{
	if (!self->has_looked)
		return;
	self->has_looked = false;
	cpus_forget(self->cpus);
	groups_forget(&self->groups);
}

/* --- A read --------------------------------------------------------------- */

static void complain(struct mc_ctx *ctx, size_t read)
{
	struct noisy_neighbour *self = ctx->self;

	if (read == 0 && self->guests.vcpus_len > 0)
		mc_complain(ctx, &self->uncounted, 0,
			    "the kernel does not count how long threads wait: it needs "
			    "CONFIG_SCHEDSTATS, or to be booted with delayacct");
	else if (read > 0)
		mc_works(ctx, &self->uncounted, "the kernel counts how long threads wait");
	if (self->guests.skipped > 0)
		mc_complain(ctx, &self->too_many, 0,
			    "there are too many virtual CPUs: %d are the limit",
			    GUESTS_THREADS_MAX);
	else
		mc_works(ctx, &self->too_many, "there are fewer virtual CPUs again");
}

static int take(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct noisy_neighbour *self = ctx->self;
	const struct report report = { ctx,         &self->guests,    &self->groups,
				       &self->rule, &self->sentences, self->guests_are_hosts };
	mc_time now = mc_now();
	double time = self->last != 0 ? (double)(now - self->last) : 0;
	bool anew = self->reads++ % self->scan_reads == 0;
	size_t read;
	int rc = 0;

	if (anew && self->groups.version == 0)
		groups_find_mount(&self->groups, ctx);
	if (anew && (rc = guests_scan(&self->guests, self->groups.version)) < 0)
		return mc_fail(ctx, -rc, "cannot list '/proc'");
	read = guests_read(&self->guests, time);
	if (!self->is_recorded)
		complain(ctx, read);
	if (self->is_recorded || self->counts) {
		guests_count(&self->guests, self->reads, self->count_parts);
		counts_put(&self->guests, self->guests_are_hosts, out);
	}
	if (self->is_recorded)
		return 0;
	sentences_clear(&self->sentences);
	self->last = now;
	if (is_contended(self)) {
		rc = look_around(ctx, time, anew);
		if (rc == 1) {
			look(&report, out);
			return 0;
		}
	} else {
		stop_looking(self);
	}
	for (size_t i = 0; i < self->guests.len; i++)
		if (!self->guests.items[i].is_second)
			report_guest(&report, &self->guests.items[i], NULL, out);
	return rc < 0 ? rc : 0;
}

static int noisy_neighbour_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct noisy_neighbour *self = ctx->self;
	char full[4096];
	int rc;

	self->guests.files.folder =
		open(mc_path(ctx, "/proc", full, sizeof(full)), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (self->guests.files.folder < 0)
		return mc_fail(ctx, errno, "cannot open '/proc'");
	rc = take(ctx, out);
	close(self->guests.files.folder);
	self->guests.files.folder = -1;
	return rc;
}

static void noisy_neighbour_stop(struct mc_ctx *ctx)
{
	struct noisy_neighbour *self = ctx->self;

	guests_done(&self->guests);
	groups_done(&self->groups);
	if (self->cpus != NULL)
		cpus_done(self->cpus);
	free(self->cpus);
	if (self->has_sentences)
		sentences_done(&self->sentences);
}

static const struct mc_option options[] = {
	{ .name = "WarningMax",
	  MC_OPT_NUMBER(struct noisy_neighbour, max),
	  .min = 1,
	  .max = 100,
	  .default_value = "5",
	  .help = "Percent of the time that a virtual CPU may wait before anybody is named." },
	{ .name = "Hysteresis",
	  MC_OPT_NUMBER(struct noisy_neighbour, hysteresis),
	  .min = 0,
	  .max = 100,
	  .default_value = "1",
	  .help = "By how much the wait must fall below WarningMax to be over, in percent." },
	{ .name = "Hits",
	  MC_OPT_INT(struct noisy_neighbour, hits),
	  .min = 1,
	  .max = 1000,
	  .default_value = "2",
	  .help = "Reads in a row after which a notification is sent." },
	{ .name = "GuestHostname",
	  MC_OPT_BOOL(struct noisy_neighbour, guests_are_hosts),
	  .default_value = "true",
	  .help = "Reports a virtual machine with its name as host, as virt does." },
	{ .name = "Counters",
	  MC_OPT_BOOL(struct noisy_neighbour, counts),
	  .default_value = "false",
	  .help = "Reports how long each virtual CPU ran and waited, and what its QEMU read and "
		  "wrote. The recorder gets that in any case." },
	{ 0 },
};

MC_PLUGIN(noisy_neighbour) = {
	MC_NAMED(noisy_neighbour),
	.help = "Names the guests and control groups that keep a virtual machine waiting for a "
		"CPU.",
	.self_size = sizeof(struct noisy_neighbour),
	.options = options,
	.types = (const char *const[]){ "disk_octets", "steal_from", "virt_thread_time", NULL },
	.start = noisy_neighbour_start,
	.read = noisy_neighbour_read,
	.stop = noisy_neighbour_stop,
};
