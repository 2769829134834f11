/* SPDX-License-Identifier: MIT */
/* virt: virtual machines, through libvirt and the kernel. */
#include "virt.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include <libxml/parser.h>

#include <collector/check.h>
#include <collector/private/status.h>

#include "adaptive.h"
#include "agent.h"
#include "calls.h"
#include "chain.h"
#include "cycle.h"
#include "image_space.h"
#include "threshold.h"
#include "watermark.h"

#define HOST_WORDS "name uuid hostname metadata (four at most)"
#define INSTANCE_WORDS "none name uuid metadata (four at most)"

static int fail_word(struct mc_ctx *ctx, const char *option, const char *word, const char *known)
{
	return mc_fail(ctx, 0, "%s: '%s' is not one of: %s", option, word, known);
}

static int read_words(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	char word[64], list[512];

	if (!names_parse(&self->host_format, self->host_words, true, word, sizeof(word)))
		return fail_word(ctx, "HostnameFormat", word, HOST_WORDS);
	if (!names_parse(&self->instance_format, self->instance_words, false, word, sizeof(word)))
		return fail_word(ctx, "PluginInstanceFormat", word, INSTANCE_WORDS);
	if (!names_parse_extra(self->extra_words, &self->extra, word, sizeof(word)))
		return fail_word(ctx, "ExtraStats", word, names_extra_list(list, sizeof(list)));
	if ((self->extra & EXTRA_JOB_COMPLETED) != 0 && (self->extra & EXTRA_JOB_BACKGROUND) != 0)
		return mc_fail(ctx, 0,
			       "ExtraStats: only one of job_stats_completed "
			       "and job_stats_background can be had");
	return 0;
}

/* Each text by itself, so that what is wrong has its place. */
static void check_format(struct mc_ctx *ctx, const struct mc_strings *texts, bool host,
			 const char *known)
{
	struct names_format format = { 0 };
	char word[64] = "";
	bool each = true;

	for (size_t i = 0; i < texts->len; i++) {
		struct mc_strings one = { &texts->items[i], 1 };

		if (names_parse(&format, one, host, word, sizeof(word)))
			continue;
		mc_check_error(ctx, &texts->items[i], "has '%s', which is not one of: %s", word,
			       known);
		each = false;
	}
	if (each && !names_parse(&format, *texts, host, word, sizeof(word)))
		mc_check_error(ctx, texts, "has more than four words");
}

static void check_extra(struct mc_ctx *ctx, const struct mc_strings *texts)
{
	unsigned extra = 0, all = 0;
	char word[64], list[320];

	for (size_t i = 0; i < texts->len; i++) {
		struct mc_strings one = { &texts->items[i], 1 };

		if (!names_parse_extra(one, &extra, word, sizeof(word)))
			mc_check_error(ctx, &texts->items[i], "has '%s', which is not one of: %s",
				       word, names_extra_list(list, sizeof(list)));
		else
			all |= extra;
	}
	if ((all & EXTRA_JOB_COMPLETED) != 0 && (all & EXTRA_JOB_BACKGROUND) != 0)
		mc_check_error(ctx, texts,
			       "can have only one of job_stats_completed and "
			       "job_stats_background");
}

static void check_budget(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	double share;

	if (self->budget_words.len == 0)
		return;
	if (!budget_parse(self->budget_words, &share))
		mc_check_error(ctx, &self->budget_words,
			       "is not a percentage of a core, such as 0.5 %%");
	else if (self->polling == POLLING_ALL || self->source == SOURCE_LIBVIRT)
		mc_check_warn(ctx, &self->budget_words,
			      "has no effect with Poll all or Source libvirt: nothing shows "
			      "which guests do nothing");
}

static void virt_check(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	const struct watermark_rule *watermarks = self->watermarks.items;

	check_format(ctx, &self->host_words, true, HOST_WORDS);
	check_format(ctx, &self->instance_words, false, INSTANCE_WORDS);
	check_extra(ctx, &self->extra_words);
	check_budget(ctx);
	if (self->connection != NULL && strstr(self->connection, ":/") == NULL)
		mc_check_warn(ctx, &self->connection,
			      "is not a URI such as qemu:///system, and "
			      "probably not an alias of libvirt.conf");
	for (size_t i = 0; i < self->watermarks.len; i++)
		if (watermarks[i].free == 0 && watermarks[i].percent == 0 &&
		    watermarks[i].response == 0)
			mc_check_error(ctx, &watermarks[i].free,
				       "is missing: give at least one of Free, "
				       "Percent and ResponseTime");
	if (self->extends.len > 0 && self->watermarks.len == 0)
		mc_check_error(ctx, &self->extends, "has no effect without a Watermark");
	extend_check(ctx, &self->extends);
	/* Where libvirt asks polkit, that lets the group in. */
	if (self->watermarks.len > 0 && mc_check_host(ctx))
		mc_check_member(ctx, &self->watermarks, "libvirt");
}

static bool has_part(const struct names_format *format, enum names_part part)
{
	for (unsigned i = 0; i < format->len; i++)
		if (format->parts[i] == part)
			return true;
	return false;
}

/* Thread: any. */
static void explain(struct mc_ctx *ctx, const struct mc_series *series, struct mc_answer *answer)
{
	adaptive_explain(ctx, series, answer);
	chain_explain(ctx, series, answer);
}

static int virt_start(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	const char *dot = strchr(ctx->name, '.');
	int rc;

	pthread_mutex_init(&self->lock, NULL);
	self->files.folder = -1;
	rc = read_words(ctx);
	if (rc < 0)
		return rc;
	names_clean(ctx->host, self->hostname, sizeof(self->hostname));
	names_clean(dot != NULL ? dot + 1 : "", self->series_instance,
		    sizeof(self->series_instance));
	self->has_metadata = has_part(&self->host_format, NAMES_METADATA) ||
			     has_part(&self->instance_format, NAMES_METADATA);
	if (self->latency_histogram && self->report_disks)
		self->extra |= EXTRA_HISTOGRAM;
	self->local =
		self->connection == NULL || strstr(self->connection, "qemu:///system") != NULL;
	if (self->budget_words.len > 0 && !budget_parse(self->budget_words, &self->budget.share))
		return mc_fail(ctx, 0, "Budget is not a percentage of a core, such as 0.5 %%");
	groups_set(&self->groups, self->group_rules.items, self->group_rules.len, ctx->interval);
	self->events.writes = self->watermarks.len > 0;
	if (self->guest_agent)
		self->agents = agent_new(self->connection);
	if (self->time_to_full)
		self->image_spaces = image_space_new();
	adaptive_start(ctx);
	mc_explain_with(ctx, explain);
	xmlInitParser();
	rc = extend_new(ctx, &self->extends, (size_t)self->extend_limit, watermark_extended,
			&self->extender);
	return rc < 0 ? rc : events_start(ctx);
}

static int virt_run(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;
	int rc = extend_begin(self->extender);

	if (rc < 0)
		return mc_fail(ctx, -rc, "cannot begin to extend disks");
	rc = events_run(ctx);
	extend_end(self->extender);
	return rc;
}

static void virt_stop(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	events_stop(ctx);
	extend_free(self->extender);
	for (unsigned i = 0; i < VIRT_LINKS_MAX; i++)
		connection_free(ctx, self->links[i]);
	for (unsigned i = 0; i < VIRT_EACH_LINKS_MAX; i++)
		connection_free(ctx, self->each_links[i]);
	for (unsigned i = 0; i < VIRT_PROBE_LINKS_MAX; i++)
		connection_free(ctx, self->probe_links[i]);
	agent_free(self->agents);
	for (struct guest *at = NULL; (at = guests_next(&self->guests, at)) != NULL;) {
		agent_forget(at);
		chain_forget(ctx, at);
		storages_forget(ctx, at);
	}
	storages_done(ctx);
	image_space_free(self->image_spaces);
	guests_done(&self->guests, &self->files);
	adaptive_stop(ctx);
	decode_done(&self->decode);
	kernel_done(&self->host_nics);
	blocks_done(&self->host_disks);
	pthread_mutex_destroy(&self->lock);
}

static const struct mc_option watermark_options[] = {
	{ .name = "Domain",
	  MC_OPT_STRING(struct watermark_rule, guests),
	  .default_value = "*",
	  .help = "Glob for the names of guests." },
	{ .name = "Disk",
	  MC_OPT_STRING(struct watermark_rule, disks),
	  .default_value = "*",
	  .help = "Glob for the names of disks, as guests see them." },
	{ .name = "Free",
	  MC_OPT_INT(struct watermark_rule, free),
	  .help = "Notifies when fewer bytes than this are left.",
	  .min = 1,
	  .max = 1e18,
	  .sample = "536870912" },
	{ .name = "Percent",
	  MC_OPT_NUMBER(struct watermark_rule, percent),
	  .help = "Notifies when more than this percentage of the disk is "
		  "written to.",
	  .min = 0.001,
	  .max = 99.999,
	  .sample = "80" },
	{ .name = "ResponseTime",
	  MC_OPT_TIME(struct watermark_rule, response),
	  .help = "Notifies this many seconds before the disk is full, at the "
		  "rate at which it fills.",
	  .max = 1e6,
	  .sample = "60" },
	{ 0 }
};

static const struct mc_block watermark_block = {
	.size = sizeof(struct watermark_rule),
	.options = watermark_options,
};

static const struct mc_option group_options[] = {
	{ .name = "",
	  MC_OPT_WORD(struct group_rule, group),
	  .help = "Name of the group.",
	  .words = groups_words,
	  .required = true,
	  .sample = "memory" },
	{ .name = "Interval",
	  MC_OPT_TIME(struct group_rule, interval),
	  .help = "Seconds between two reads of the group; not less than the "
		  "interval of the plugin.",
	  .min = 0.001,
	  .max = 1e6,
	  .required = true,
	  .sample = "60" },
	{ 0 }
};

static const struct mc_block group_block = {
	.size = sizeof(struct group_rule),
	.options = group_options,
};

static const struct mc_option options[] = {
	{ .name = "Connection",
	  MC_OPT_STRING(struct virt, connection),
	  .help = "URI of the hypervisor; without it, libvirt's default.",
	  .sample = "qemu:///system" },
	{ .name = "RefreshInterval",
	  MC_OPT_TIME(struct virt, refresh),
	  .default_value = "60",
	  .help = "Seconds after which descriptions of guests are read again "
		  "if the hypervisor sends no events; 0: never.",
	  .max = 1e9 },
	{ .name = "Domain",
	  MC_OPT_SELECT(struct virt, domains),
	  .lenient = true,
	  .help = "Selects guests by name or /regex/." },
	{ .name = "BlockDevice",
	  MC_OPT_SELECT(struct virt, disks),
	  .lenient = true,
	  .help = "Selects disks by GUEST:DISK, with the disk's name in "
		  "BlockDeviceFormat, or by a /regex/ that matches it." },
	{ .name = "BlockDeviceFormat",
	  MC_OPT_WORD(struct virt, disk_format),
	  .default_value = "target",
	  .help = "Names a disk as the guest sees it, or by its image.",
	  .words = (const char *const[]){ "target", "source", NULL } },
	{ .name = "BlockDeviceFormatBasename",
	  MC_OPT_BOOL(struct virt, disk_basename),
	  .default_value = "false",
	  .help = "Leaves out the folders of an image's path." },
	{ .name = "InterfaceDevice",
	  MC_OPT_SELECT(struct virt, nics),
	  .lenient = true,
	  .help = "Selects interfaces by GUEST:INTERFACE, with the name in "
		  "InterfaceFormat, or by a /regex/ that matches it." },
	{ .name = "InterfaceFormat",
	  MC_OPT_WORD(struct virt, nic_format),
	  .default_value = "name",
	  .help = "Names an interface by the host's device, by its MAC "
		  "address, "
		  "or by its place among the guest's interfaces.",
	  .words = (const char *const[]){ "name", "address", "number", NULL } },
	{ .name = "IgnoreSelected",
	  MC_OPT_BOOL(struct virt, ignore),
	  .default_value = "false",
	  .help = "Reports all guests, disks and interfaces but the selected "
		  "ones." },
	{ .name = "HostnameFormat",
	  MC_OPT_STRINGS(struct virt, host_words),
	  .default_value = "name",
	  .help = "Words that make the host part of names, joined by colons: "
		  "name, uuid, hostname, metadata." },
	{ .name = "HostnameMetadataNS",
	  MC_OPT_STRING(struct virt, metadata_ns),
	  .default_value = "http://openstack.org/xmlns/libvirt/nova/1.0",
	  .help = "XML namespace of the metadata that names come from." },
	{ .name = "HostnameMetadataXPath",
	  MC_OPT_STRING(struct virt, metadata_xpath),
	  .default_value = "/"
			   "instance/name/text()",
	  .help = "XPath of a text or an attribute in that metadata." },
	{ .name = "PluginInstanceFormat",
	  MC_OPT_STRINGS(struct virt, instance_words),
	  .default_value = "none",
	  .help = "Words that make the plugin instance, joined by colons: "
		  "none, name, uuid, metadata." },
	{ .name = "ExtraStats",
	  MC_OPT_STRINGS(struct virt, extra_words),
	  .help = "Reports more about each guest: disk, pcpu, memory, vcpu and "
		  "other words, which the manual lists.",
	  .sample = "disk pcpu" },
	{ .name = "LatencyHistogram",
	  MC_OPT_BOOL(struct virt, latency_histogram),
	  .default_value = "false",
	  .help = "Reports the median and the 99th percentile of the time that requests to a disk "
		  "take, which QEMU counts; taints guests and needs a read-write connection." },
	{ .name = "ReportStorages",
	  MC_OPT_BOOL(struct virt, report_storages),
	  .default_value = "false",
	  .help = "Reports how long requests to each storage take, and how many there are, over "
		  "all "
		  "guests." },
	{ .name = "StorageLimit",
	  MC_OPT_INT(struct virt, storage_limit),
	  .default_value = "64",
	  .help = "Largest number of storages that are reported.",
	  .min = 1,
	  .max = 100000 },
	{ .name = "GuestAgent",
	  MC_OPT_BOOL(struct virt, guest_agent),
	  .default_value = "false",
	  .help = "Asks the agents in guests for file systems, users, load, system and addresses; "
		  "needs a read-write connection." },
	{ .name = "GuestAgentInterval",
	  MC_OPT_TIME(struct virt, agent_interval),
	  .default_value = "60",
	  .help = "Seconds between two questions to the agent of a guest; those that do not answer "
		  "are asked less often.",
	  .min = 1,
	  .max = 86400 },
	{ .name = "TimeToFull",
	  MC_OPT_BOOL(struct virt, time_to_full),
	  .default_value = "false",
	  .help = "Reports when each disk is full, by the first of all that holds it: file systems "
		  "in the guest, the disk, its device, the file system with its image." },
	{ .name = "PersistentNotification",
	  MC_OPT_BOOL(struct virt, persistent_notifications),
	  .default_value = "false",
	  .help = "Sends a notification with the state of each persistent "
		  "guest at each read, instead of one when a guest changes." },
	{ .name = "ReportBlockDevices",
	  MC_OPT_BOOL(struct virt, report_disks),
	  .default_value = "true",
	  .help = "Reports disks." },
	{ .name = "ReportNetworkInterfaces",
	  MC_OPT_BOOL(struct virt, report_nics),
	  .default_value = "true",
	  .help = "Reports interfaces." },
	{ .name = "Source",
	  MC_OPT_WORD(struct virt, source),
	  .default_value = "auto",
	  .help = "Reads CPU time and interfaces of guests on this machine from the kernel, "
		  "or everything from libvirt.",
	  .words = (const char *const[]){ "auto", "libvirt", "device", NULL } },
	{ .name = "Poll",
	  MC_OPT_WORD(struct virt, polling),
	  .default_value = "adaptive",
	  .help = "Asks for the disks of guests on this machine only if the kernel shows that they "
		  "may have done I/O, or of all guests in each read.",
	  .words = (const char *const[]){ "adaptive", "all", NULL } },
	{ .name = "Budget",
	  MC_OPT_STRINGS(struct virt, budget_words),
	  .help = "Percentage of one core that asking may cost the collector, libvirt and the "
		  "guests' QEMUs together; beyond it guests that do nothing are asked less often.",
	  .sample = "0.5 %" },
	{ .name = "Group",
	  MC_OPT_BLOCKS(struct virt, group_rules),
	  .help = "Reads a group of values less often than the others.",
	  .block = &group_block },
	{ .name = "Watermark",
	  MC_OPT_BLOCKS(struct virt, watermarks),
	  .help = "Notifies when a disk is written to beyond the lowest of "
		  "these limits; needs a read-write connection.",
	  .block = &watermark_block },
	{ .name = "Extend",
	  MC_OPT_BLOCKS(struct virt, extends),
	  .help = "Has a program extend disks that were written to beyond a Watermark.",
	  .block = &extend_block },
	{ .name = "ExtendLimit",
	  MC_OPT_INT(struct virt, extend_limit),
	  .default_value = "4",
	  .help = "Largest number of programs of Extend that run at a time.",
	  .min = 1,
	  .max = 256 },
	{ .name = "Instances",
	  MC_OPT_INT(struct virt, instances),
	  .default_value = "1",
	  .help = "Accepted; one bulk call serves all guests.",
	  .min = 1,
	  .max = 128 },
	{ .name = "DomainCheck",
	  MC_OPT_BOOL(struct virt, domain_check),
	  .default_value = "true",
	  .help = "Accepted; guests that do not answer are always left out." },
	{ .name = "ReportStats",
	  MC_OPT_BOOL(struct virt, report_stats),
	  .default_value = "false",
	  .help = "Reports how long the calls took, and what they cost libvirt's daemon." },
	{ 0 }
};

MC_PLUGIN(virt) = {
	MC_NAMED(virt),
	.help = "Reads virtual machines through libvirt.",
	.self_size = sizeof(struct virt),
	.options = options,
	.types = (const char *const[]){ "count",
					"cpu_affinity",
					"df_complex",
					"disk_allocation",
					"disk_capacity",
					"disk_error",
					"disk_latency",
					"disk_octets",
					"disk_ops",
					"disk_physical",
					"disk_time",
					"domain_state",
					"duration",
					"if_dropped",
					"if_errors",
					"if_octets",
					"if_packets",
					"job_stats",
					"latency",
					"load",
					"memory",
					"percent",
					"percent_bytes",
					"perf",
					"ps_cputime",
					"ps_pagefaults",
					"swap_io",
					"total_requests",
					"total_time_in_ms",
					"users",
					"virt_count",
					"virt_cpu_limit",
					"virt_cpu_shares",
					"virt_cpu_total",
					"virt_disk_fill_rate",
					"virt_disk_headroom",
					"virt_disk_octets_limit",
					"virt_disk_ops_limit",
					"virt_disk_time_to_full",
					"virt_induced_cpu",
					"virt_limit_used",
					"virt_numa_affinity",
					"virt_responsive",
					"virt_time_to_full",
					"virt_value",
					"virt_vcpu",
					"virt_vcpu_delay",
					NULL },
	.check = virt_check,
	.start = virt_start,
	.read = cycle_read,
	.run = virt_run,
	.stop = virt_stop,
};
