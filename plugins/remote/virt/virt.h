/* SPDX-License-Identifier: MIT */
/* The state of the plugin, for its files. */
#pragma once

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include <collector/kit/once.h>
#include <collector/plugin.h>

#include "agent.h"
#include "blocks.h"
#include "connection.h"
#include "cost.h"
#include "decode.h"
#include "events.h"
#include "extend.h"
#include "groups.h"
#include "guests.h"
#include "kernel.h"
#include "kit/base/kept_file.h"
#include "names.h"
#include "storages.h"

enum virt_source { SOURCE_AUTO, SOURCE_LIBVIRT, SOURCE_DEVICE };
enum virt_polling { POLLING_ADAPTIVE, POLLING_ALL };
enum virt_disk_format { DISK_TARGET, DISK_SOURCE };
enum virt_nic_format { NIC_NAME, NIC_ADDRESS, NIC_NUMBER };

/* Calls that may hang at a time; libvirtd has 20 workers for all its clients. */
#define VIRT_LINKS_MAX 4
#define VIRT_EACH_LINKS_MAX 4
#define VIRT_PROBE_LINKS_MAX 4

struct virt {
	/* Options. */
	const char *connection, *metadata_ns, *metadata_xpath;
	mc_time refresh;
	struct mc_select *domains, *disks, *nics;
	bool ignore, disk_basename, persistent_notifications;
	bool report_disks, report_nics, report_stats, domain_check, latency_histogram;
	int disk_format, nic_format, source, polling;
	struct mc_strings host_words, instance_words, extra_words;
	int64_t instances;
	struct mc_strings budget_words;
	struct mc_blocks watermarks; /* struct watermark_rule */
	struct mc_blocks extends;    /* struct extend_rule */
	int64_t extend_limit;
	struct mc_blocks group_rules; /* struct group_rule */
	bool guest_agent, time_to_full;
	bool report_storages;
	int64_t storage_limit;
	mc_time agent_interval;

	/* Worked out from them; constant after start(). */
	struct names_format host_format, instance_format;
	unsigned extra;    /* Bits of enum names_extra. */
	bool local;        /* The guests are on this machine. */
	bool has_metadata; /* The names need it. */
	char hostname[NAMES_SIZE];
	char series_instance[NAMES_SIZE]; /* Of series about the plugin. */

	/* Of the reader. */
	struct link *links[VIRT_LINKS_MAX]; /* For statistics. */
	/* For calls about one guest at a time: another one if they hang. */
	struct link *each_links[VIRT_EACH_LINKS_MAX];
	struct link *probe_links[VIRT_PROBE_LINKS_MAX];
	unsigned each_refusals; /* Of them, in a row. */
	mc_time refused;        /* When it was logged that a guest has no histograms. */
	size_t each_first;      /* Guest to begin with, of those there are. */
	mc_time dialed;         /* When it was first tried to connect them. */
	mc_time described;      /* When descriptions were last read. */
	uint64_t cycle;         /* Number of this read, */
	mc_time begun;          /* and when it began. */
	struct groups groups;   /* Which of them are due when. */
	unsigned due;           /* Of 'extra', what this read is to report. */
	bool disks_due;         /* And disks. */
	unsigned spared;        /* Of 'due', what guests that do nothing are not asked for; */
	unsigned spared_groups; /* and the same for libvirt. */
	struct budget budget;
	_Atomic unsigned stretched; /* budget_plan().groups, for other threads. */
	struct cost cost;
	unsigned host_cpus;          /* 0: not known yet. */
	mc_time usual;               /* Largest duration of a call for all guests. */
	unsigned stuck_len;          /* Guests that do not answer: stuck; */
	unsigned held_len;           /* those that calls for all leave out: held. */
	char away[LINK_REASON_SIZE]; /* Why libvirt does not answer; "": it
				      * did. */
	struct decode decode;
	struct storages storages;
	struct mc_once storages_full;
	struct kernel_nics host_nics;
	struct blocks host_disks;   /* With SOURCE_DEVICE. */
	unsigned daemon_pid;        /* Of libvirtd; 0: not found. */
	struct mc_kept_files files; /* Below /proc, of guests' processes. */
	uint64_t disk_reads;        /* Reads in which disks were due. */

	struct events events;
	struct extender *extender;         /* NULL: none. */
	struct agents *agents;             /* NULL: they are not asked. */
	struct image_spaces *image_spaces; /* The reader's; NULL: TimeToFull is not wanted. */

	pthread_mutex_t lock; /* Guards, for threads other than the reader's,
				 the table and the names in it. */
	struct mc_map guests; /* Changed by the reader only. */
};

/* Puts a sample of the guest's series of that type, at the interval
 * guest->slow; "" as an instance: none. */
void virt_put_gauge(struct mc_batch *out, const struct guest *guest, const char *type,
		    const char *instance, double value);

/* The same of a type of two values. */
void virt_put_gauges(struct mc_batch *out, const struct guest *guest, const char *type,
		     const char *instance, const double pair[2]);
