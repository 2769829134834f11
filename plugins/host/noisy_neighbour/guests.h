/* SPDX-License-Identifier: MIT */
/* The guests of this machine and their virtual CPUs: how long each ran and waited between two
 * reads, where it was, and where it may be. */
#pragma once

#include <collector/plugin.h>

#include "kit/base/kept_file.h"
#include "kit/base/pids.h"
#include "kit/base/qemu.h"

#include "blame.h"
#include "ends.h"
#include "growth.h"

#define GUESTS_MAX 4096
#define GUESTS_THREADS_MAX 16384 /* Of all; more are not looked at, and counted. */
#define GUESTS_PATH_SIZE 40      /* "PID/task/TID/schedstat". */
#define GUESTS_GROUP_SIZE 256

struct vcpu {
	uint32_t tid;
	unsigned number;
	bool has_ended;
	bool has_before;
	bool was_read;              /* At the last read. */
	unsigned still;             /* Reads in a row that found no change. */
	uint64_t run, wait;         /* ns, at the last read. */
	double run_part, wait_part; /* Of the interval. */
	int seen[2];                /* As blame_thread has it. */
	bool has_allowed;
	uint64_t allowed[BLAME_WORDS];
	int schedstat, stat;         /* Descriptors, or -1. */
	struct mc_series *held;      /* Of its counters; NULL: not asked for yet. */
	char path[GUESTS_PATH_SIZE]; /* Of schedstat; a shorter one is that of stat. */
};

struct guest_counts {      /* Of its process, beside its virtual CPUs. */
	int schedstat, io; /* Descriptors, or -1; of its main thread, and of all. */
	bool has_time, has_io;
	unsigned still;         /* As of a virtual CPU. */
	uint64_t run, wait;     /* ns */
	uint64_t read, written; /* Bytes. */
	struct mc_series *held_time, *held_io;
};

struct guest_memory {
	struct growth growth; /* Resident. */
	bool has_faults, has_stalled;
	uint64_t all_faults; /* Major ones of its process, ... */
	double faults;       /* ... and how many a second. */
	uint64_t stalled;    /* us that its control group waited. */
};

struct guest {
	uint32_t pid;
	uint64_t start; /* In ticks since boot: another process of that pid has another one. */
	char name[MC_QEMU_NAME_SIZE];
	bool is_second;                /* Another guest has its name: it is not reported. */
	char group[GUESTS_GROUP_SIZE]; /* Of its process; "": unknown. */
	struct vcpu *vcpus;
	size_t vcpus_len;
	uint64_t links; /* Of its folder of threads when they were listed: how many there are. */
	size_t first;   /* Number of its first thread in the view. */
	int process;    /* A descriptor of its process, or -1. */
	struct guest_counts counts;
	struct guest_memory memory;
};

struct guests {
	struct mc_kept_files files; /* Its folder is /proc, during a read. */
	struct guest *items;        /* By pid. */
	size_t len, vcpus_len;
	size_t skipped;                   /* Virtual CPUs beyond the limit. */
	struct mc_pids pids, last, known; /* There now, and at the two scans before. */
	struct mc_qemu_threads threads;
	unsigned scans, reads;
	unsigned still_turns; /* A counter that has not changed for a while is read at one of that
			       * number of reads; 1: at each. */

	bool watches_ends; /* How those end is looked at, ... */
	bool is_real;      /* ... also by descriptors: the processes are those of this kernel. */
	bool has_ended;    /* The virtual CPUs of one have, at the last read: scan now. */
	struct ends ends;
};

/* Finds guests and virtual CPUs that have come, and forgets those that have gone; 'version' is that
 * of the control groups.  0 or -errno. */
int guests_scan(struct guests *, unsigned version);

/* Reads how long each virtual CPU ran and waited; 'time' is that since the last read, in ns, or 0.
 * Returns how many were read or left out; 0 if the kernel does not count. */
size_t guests_read(struct guests *, double time);

/* Reads the rest of what the kernel counts of every guest; of 'parts' of them the one whose turn it
 * is, as that costs more than the time of a thread. */
void guests_count(struct guests *, unsigned turn, unsigned parts);

/* Reads where each virtual CPU is now, of those that ran or waited, and where each may be: once, or
 * with 'anew' again. */
void guests_look(struct guests *, bool anew);

/* The virtual CPU that waited longest, or NULL. */
const struct vcpu *guests_worst(const struct guest *guest);

void guests_done(struct guests *);
