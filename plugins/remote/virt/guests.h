/* SPDX-License-Identifier: MIT */
/* State of each guest between reads, by UUID. */
#pragma once

#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <libvirt/libvirt.h>

#include <collector/kit/map.h>
#include <collector/kit/once.h>

#include "activity.h"
#include "agent.h"
#include "choice.h"
#include "counters.h"
#include "describe.h"
#include "guest_limits.h"
#include "hold.h"
#include "kernel.h"
#include "latency.h"
#include "names.h"
#include "percentiles.h"
#include "storages.h"

#define GUESTS_NAME_SIZE                                                                           \
	256 /* A name of a disk begins with a guest's, cut to                                      \
	     * that, where options select it. */

#define GUESTS_DISK_SIZE 64 /* Of "vda". */

#define GUESTS_PATH_SIZE 512 /* Longer ones are cut, and not extended. */

struct guest_watermark { /* Of a disk with a watermark. */
	char disk[GUESTS_DISK_SIZE];
	bool seen;           /* Read before. */
	struct mc_once once; /* That it could not be set. */
	uint64_t allocation; /* When it was last read, */
	mc_time looked;      /* and when that was. */
	uint64_t size;       /* Of the disk, when the threshold was set; 0: it is to
			      * be set anew. */
	double rate;         /* Bytes per second; NaN: not known yet. */
	/* Guarded by the plugin's lock: */
	uint64_t threshold;          /* In bytes; 0: none. */
	bool crossed;                /* And that was reported. */
	bool paused;                 /* A block job works on it. */
	uint64_t reported;           /* By a read; its event may yet come; 0: none. */
	uint64_t heard;              /* Of the last event; 0: none. */
	uint64_t last_size;          /* Of the last read. */
	char path[GUESTS_PATH_SIZE]; /* The same; "": unknown. */
};

/* Whether its disks are asked for: of the reader, but for the reason. */
struct guest_poll {
	_Atomic(enum choice_reason) reason; /* In this read; CHOICE_NEW before the first. */
	struct activity activity;
	struct activity_sample before, after; /* Looks before it was asked last, and after. */
	struct counters counters;             /* Of its last answer. */
	bool answered;                        /* It has. */
	bool restless;                        /* That was another than the one before. */
	bool wanted;                          /* By a watermark. */
	unsigned reads, distrust;             /* As in struct choice_facts. */
	bool measured; /* 'main' is the CPU time (ns) of its QEMU's main thread, before it is */
	uint64_t main; /* asked. */
};

struct chain;

struct guest {
	struct mc_map_node node; /* By UUID. */
	unsigned char uuid[VIR_UUID_BUFLEN];
	char uuid_text[VIR_UUID_STRING_BUFLEN];

	/* By guests_rename(). */
	const char *name;            /* As libvirt says it.  Where all four begin. */
	const char *metadata;        /* For the names; "": none. */
	const char *host, *instance; /* Parts of the names of its series. */

	bool selected;  /* By the option Domain. */
	bool described; /* The fields below are known, up to date. */
	bool persistent;
	struct describe xml;
	struct limits limits; /* With limits of ExtraStats. */
	struct kernel_map map;
	bool on_devices;     /* All its disks are block devices of this host. */
	unsigned char *pins; /* vcpus_len maps of pins_size bytes each. */
	unsigned vcpus_len, pins_size;

	/* Bytes that it has now; also set by events. */
	_Atomic uint64_t memory;

	mc_time slow; /* Interval of what is being put; 0: that of reads. */

	bool by_kernel;    /* The last read had it from there. */
	uint64_t cpu_time; /* When it was last read, ns; 0: not yet. */
	mc_time cpu_read;  /* When that was. */
	uint64_t seen;     /* Number of the last read that saw it. */
	int state, reason; /* Of that read; -1: none yet. */
	bool ran;          /* Here, since it was first seen. */
	bool migrated;     /* Its process was started for a guest that came. */
	char generation[KERNEL_GENERATION_SIZE]; /* That process; "": unknown. */
	_Atomic mc_time moves_until;             /* By events of a move; 0: never. */
	unsigned silent;       /* Reads in a row to which its QEMU did not answer. */
	bool stuck;            /* That was reported. */
	struct hold held;      /* By libvirt: all calls about it hang. */
	struct hold each_held; /* Calls that are about it alone do. */
	bool missed;           /* By the reply to this read, until now. */
	struct guest_poll poll;
	struct latencies latencies;
	struct percentiles percentiles;
	struct storages_disks storages;
	struct guest_agent agent;
	struct chain *chain;                /* When its disks are full; NULL: nobody asks. */
	struct guest_watermark *watermarks; /* Of disks with watermarks. */
	size_t watermarks_len;
};

/* NULL if there is no such guest. */
struct guest *guests_find(const struct mc_map *guests, const unsigned char uuid[VIR_UUID_BUFLEN]);

/* The same, made if it is new: then all but its UUID is zero, or "". */
struct guest *guests_get(struct mc_map *guests, const unsigned char uuid[VIR_UUID_BUFLEN]);

/* Keeps other copies of these four, which may be what it has. */
void guests_rename(struct guest *guest, const char *name, const char *metadata, const char *host,
		   const char *instance);

/* The guest after 'guest', or the first after NULL; NULL at the end. */
struct guest *guests_next(const struct mc_map *guests, const struct guest *guest);

/* Forgets every guest that was not seen by read number 'seen'. */
void guests_sweep(struct mc_map *guests, struct mc_kept_files *files, uint64_t seen);

/* Forgets all. */
void guests_done(struct mc_map *guests, struct mc_kept_files *files);
