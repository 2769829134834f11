/* SPDX-License-Identifier: MIT */
/* noisy_neighbour: which other guests make virtual machines wait, or which control groups of this
 * host (proc(5)).  Each resource has files of its own: steal.h is about CPUs, disks_writer.h about
 * disks, links.h about network links, memory.h about memory. */
#include <collector/check.h>
#include <collector/kit/once.h>
#include <collector/plugin.h>
#include <collector/private/recorded.h>
#include <collector/private/status.h>

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include <collector/kit/alloc.h>

#include "counts.h"
#include "disks_writer.h"
#include "groups.h"
#include "guests.h"
#include "links.h"
#include "memory.h"
#include "report.h"
#include "steal.h"

#define SCAN_PERIOD (10 * MC_SECOND) /* For guests; at most with each read. */
#define COUNT_PERIOD (MC_SECOND / 2) /* For what is counted beside the time of virtual CPUs. */
#define LINK_HYSTERESIS 0.05
#define LINK_NAMED 0.25 /* Of the bytes on a link must be those of others. */
#define NAMED_PART 2    /* This part of what is too much must be the fault of others. */

struct noisy_neighbour {
	double max, hysteresis; /* Percent. */
	int64_t hits;
	struct mc_strings resources;
	struct mc_blocks links_options;
	bool guests_are_hosts, counts, crashes;

	bool is_recorded;     /* It counts, and nothing else. */
	unsigned count_parts; /* Reads in which the counters of all guests are read. */
	bool looks_at[RESOURCES_LEN];
	struct guests guests;
	struct groups groups;
	struct steal steal;
	struct links links;
	struct memory memory;
	struct report report;
	struct disks_writer disks;  /* Of the writer. */
	unsigned reads, scan_reads; /* So far, and between two scans. */
	mc_time last;               /* Of mc_now(); 0: no read yet. */
	struct mc_once uncounted, too_many;
};

/* --- Options -------------------------------------------------------------- */

/* RESOURCES_LEN: unknown. */
static enum resource resource_of(const char *name)
{
	enum resource resource = 0;

	while (resource < RESOURCES_LEN && strcasecmp(report_resources[resource], name) != 0)
		resource++;
	return resource;
}

static void noisy_neighbour_check(struct mc_ctx *ctx)
{
	struct noisy_neighbour *self = ctx->self;

	for (size_t i = 0; i < self->resources.len; i++)
		if (resource_of(self->resources.items[i]) == RESOURCES_LEN)
			mc_check_error(ctx, &self->resources.items[i],
				       "is not cpu, disk, link or memory");
}

/* About any series of a guest that suffers.  Thread: any. */
static void explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer)
{
	struct noisy_neighbour *self = ctx->self;

	report_explain(&self->report, series, answer);
	disks_writer_explain(&self->disks, series, answer);
}

static void set_rules(struct noisy_neighbour *self)
{
	for (enum resource resource = 0; resource < RESOURCES_LEN; resource++)
		self->report.rules[resource] = (struct verdict_rule){
			.max = self->max / 100,
			.hysteresis = self->hysteresis / 100,
			.named = self->max / 100 / NAMED_PART,
			.hits = (unsigned)self->hits,
		};
	self->report.rules[RESOURCE_LINK].max = LINKS_FULL;
	self->report.rules[RESOURCE_LINK].hysteresis = LINK_HYSTERESIS;
	self->report.rules[RESOURCE_LINK].named = LINK_NAMED;
	for (size_t i = 0; i < self->resources.len; i++) {
		enum resource resource = resource_of(self->resources.items[i]);

		if (resource < RESOURCES_LEN)
			self->looks_at[resource] = true;
	}
}

static int noisy_neighbour_start(struct mc_ctx *ctx)
{
	struct noisy_neighbour *self = ctx->self;
	char full[4096];

	self->is_recorded = mc_is_recorded(ctx);
	self->count_parts =
		ctx->interval < COUNT_PERIOD ? (unsigned)(COUNT_PERIOD / ctx->interval) : 1;
	self->guests.files.folder = -1;
	self->guests.files.kept_max = mc_kept_limit();
	self->guests.still_turns = self->is_recorded ? self->count_parts : 1;
	self->guests.watches_ends = self->crashes && !self->is_recorded;
	self->guests.is_real = strcmp(mc_path(ctx, "/proc", full, sizeof(full)), "/proc") == 0;
	if (self->is_recorded)
		self->guests.files.kept_max /= 2; /* The other one has some, too. */
	self->scan_reads =
		ctx->interval < SCAN_PERIOD ? (unsigned)(SCAN_PERIOD / ctx->interval) : 1;
	report_init(&self->report, ctx, self->guests_are_hosts);
	set_rules(self);
	groups_init(&self->groups);
	steal_init(&self->steal, &self->report, &self->guests, &self->groups);
	links_init(&self->links, &self->report, &self->guests, self->links_options.items,
		   self->links_options.len);
	memory_init(&self->memory, &self->report, &self->guests, &self->groups);
	if (self->is_recorded)
		return 0;
	if (self->looks_at[RESOURCE_DISK])
		disks_writer_start(&self->disks, ctx, (unsigned)self->hits, self->guests_are_hosts);
	mc_explain_with(ctx, explain);
	return 0;
}

/* --- A read --------------------------------------------------------------- */

static void complain(struct mc_ctx *ctx, size_t read)
{
	struct noisy_neighbour *self = ctx->self;

	/* Of guests that have just ended nothing can be read, either. */
	if (read == 0 && self->guests.vcpus_len > 0 && !self->guests.has_ended)
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

/* Guests that have ended are not reported any more. */
static void forget_ended(struct noisy_neighbour *self, struct mc_batch *out)
{
	const char **names = mc_alloc_array(self->guests.len, sizeof(*names));

	for (size_t i = 0; i < self->guests.len; i++)
		names[i] = self->guests.items[i].name;
	report_forget_others(&self->report, names, self->guests.len, out);
	free(names);
}

static int scan(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct noisy_neighbour *self = ctx->self;
	int rc;

	if (self->groups.version == 0)
		groups_find_mount(&self->groups, ctx);
	rc = guests_scan(&self->guests, self->groups.version);
	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot list '/proc'");
	if (!self->is_recorded && (self->looks_at[RESOURCE_CPU] || self->looks_at[RESOURCE_MEMORY]))
		groups_scan(&self->groups, ctx);
	ends_report(ctx, &self->guests.ends, self->guests_are_hosts);
	forget_ended(self, out);
	return 0;
}

static void read_threads(struct mc_ctx *ctx, double time)
{
	struct noisy_neighbour *self = ctx->self;
	size_t read = guests_read(&self->guests, time);

	if (!self->is_recorded)
		complain(ctx, read);
}

static int take(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct noisy_neighbour *self = ctx->self;
	bool counts = self->is_recorded || self->counts;
	mc_time now = mc_now();
	double time = self->last != 0 ? (double)(now - self->last) : 0;
	bool anew = self->reads++ % self->scan_reads == 0 || self->guests.has_ended;
	int rc = anew ? scan(ctx, out) : 0;

	if (rc < 0)
		return rc;
	if (counts || self->looks_at[RESOURCE_CPU])
		read_threads(ctx, time);
	if (counts) {
		guests_count(&self->guests, self->reads, self->count_parts);
		counts_put(&self->guests, self->guests_are_hosts, out);
	}
	if (self->is_recorded)
		return 0;
	self->last = now;
	if (self->looks_at[RESOURCE_LINK])
		links_read(&self->links, time, anew, out);
	if (self->looks_at[RESOURCE_MEMORY])
		memory_read(&self->memory, time, anew, out);
	if (self->looks_at[RESOURCE_CPU])
		rc = steal_read(&self->steal, time, anew, out);
	return rc;
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

	memory_done(&self->memory);
	guests_done(&self->guests);
	steal_done(&self->steal);
	groups_done(&self->groups);
	links_done(&self->links);
	report_done(&self->report);
	disks_writer_stop(&self->disks);
}

/* --- The writer ----------------------------------------------------------- */

static int noisy_neighbour_write(struct mc_ctx *ctx, const struct mc_batch *batch)
{
	struct noisy_neighbour *self = ctx->self;

	disks_writer_write(&self->disks, ctx, batch);
	return 0;
}

static void noisy_neighbour_ended(struct mc_ctx *ctx, struct mc_series *series, mc_time silent)
{
	struct noisy_neighbour *self = ctx->self;

	if (silent > 0)
		disks_writer_ended(&self->disks, ctx, series);
}

/* Also after stop(). */
static void noisy_neighbour_forget(struct mc_ctx *ctx, void *slot)
{
	struct noisy_neighbour *self = ctx->self;

	disks_writer_forget(&self->disks, slot);
}

static const struct mc_option link_options[] = {
	{ .name = "",
	  MC_OPT_STRING(struct uplink_option, name),
	  .required = true,
	  .help = "Name of the network device.",
	  .sample = "eth0" },
	{ .name = "Speed",
	  MC_OPT_NUMBER(struct uplink_option, speed),
	  .min = 0.001,
	  .max = 1e7,
	  .default_value = "1000",
	  .help = "Its speed in each direction, in Mbit/s." },
	{ 0 },
};

static const struct mc_block link_block = { sizeof(struct uplink_option), link_options };

static const struct mc_option options[] = {
	{ .name = "WarningMax",
	  MC_OPT_NUMBER(struct noisy_neighbour, max),
	  .min = 1,
	  .max = 100,
	  .default_value = "5",
	  .help = "Percent of the time that a guest may wait before anybody is named." },
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
	{ .name = "Resources",
	  MC_OPT_STRINGS(struct noisy_neighbour, resources),
	  .default_value = "cpu disk link memory",
	  .help = "Resources for which guests wait or that they share; others are not looked "
		  "at." },
	{ .name = "Link",
	  MC_OPT_BLOCKS(struct noisy_neighbour, links_options),
	  .help = "A network link whose speed the kernel does not know, or that is limited "
		  "elsewhere.",
	  .block = &link_block },
	{ .name = "DiskLatencyMin",
	  MC_OPT_NUMBER(struct noisy_neighbour, disks.latency_min),
	  .min = 0.01,
	  .max = 1e6,
	  .default_value = "10",
	  .help = "Milliseconds that requests to a disk must take before anybody is named." },
	{ .name = "DiskLatencyFactor",
	  MC_OPT_NUMBER(struct noisy_neighbour, disks.factor),
	  .min = 1.5,
	  .max = 1000,
	  .default_value = "4",
	  .help = "Times the disk's own slow mean that its requests must take before anybody is "
		  "named." },
	{ .name = "DiskLimit",
	  MC_OPT_INT(struct noisy_neighbour, disks.disks_max),
	  .min = 1,
	  .max = 1e7,
	  .default_value = "100000",
	  .help = "Largest number of disks of guests that are looked at." },
	{ .name = "GuestHostname",
	  MC_OPT_BOOL(struct noisy_neighbour, guests_are_hosts),
	  .default_value = "true",
	  .help = "Reports a virtual machine with its name as host, as virt does." },
	{ .name = "Counters",
	  MC_OPT_BOOL(struct noisy_neighbour, counts),
	  .default_value = "false",
	  .help = "Reports how long each virtual CPU ran and waited, and what its QEMU read and "
		  "wrote. The recorder gets that in any case." },
	{ .name = "Crashes",
	  MC_OPT_BOOL(struct noisy_neighbour, crashes),
	  .default_value = "true",
	  .help = "Sends a notification when the QEMU of a guest is ended by a signal, or fails." },
	{ 0 },
};

MC_PLUGIN(noisy_neighbour) = {
	MC_NAMED(noisy_neighbour),
	.help = "Names the guests and control groups that keep a virtual machine waiting.",
	.self_size = sizeof(struct noisy_neighbour),
	.options = options,
	.types = (const char *const[]){ "disk_octets", "disk_wait_from", "link_share_of",
					"memory_wait_from", "steal_from", "virt_thread_time",
					NULL },
	.check = noisy_neighbour_check,
	.start = noisy_neighbour_start,
	.read = noisy_neighbour_read,
	.writer = &(const struct mc_writer){ .on_request = true,
					     .write = noisy_neighbour_write,
					     .ended = noisy_neighbour_ended,
					     .forget = noisy_neighbour_forget },
	.stop = noisy_neighbour_stop,
};
