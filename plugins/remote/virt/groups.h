/* SPDX-License-Identifier: MIT */
/* Groups of values that may be read more rarely than the others, since each has
 * its price.  Pure. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <collector/kit/wait.h>
#include <collector/plugin.h>

enum group {
	GROUP_DISKS,
	GROUP_MEMORY,
	GROUP_VCPU,
	GROUP_PERF,
	GROUP_IOTHREAD,
	GROUP_BANDWIDTH,
	GROUP_DIRTYRATE,
	GROUP_DISK_ERR,
	GROUP_JOB_STATS,
	GROUP_FS_INFO,
	GROUPS_LEN
};

/* Their words in the file, in that order; ends with NULL. */
extern const char *const groups_words[];

struct group_rule { /* A block of the file. */
	int group;
	mc_time interval;
};

struct groups {                            /* All zero: each group is due at each read. */
	struct mc_every every[GROUPS_LEN]; /* By the number of the read. */
	mc_time interval[GROUPS_LEN];
	mc_time read;               /* Interval of reads. */
	unsigned times;             /* As in groups_stretch(); 0: 1. */
	unsigned since[GROUPS_LEN]; /* Times that a group was due, but spared. */
};

/* Takes the blocks; an interval is rounded to a multiple of that of reads,
 * and the last block of a group counts. */
void groups_set(struct groups *groups, const struct group_rule *rules, size_t rules_len,
		mc_time read_interval);

/* Whether the group is due at that read. */
bool groups_due(const struct groups *groups, enum group group, uint64_t read);

/* All groups due at that read were read. */
void groups_taken(struct groups *groups, uint64_t read);

/* The bits of enum names_extra that are due at that read. */
unsigned groups_extra(const struct groups *groups, unsigned extra, uint64_t read);

/* Has guests that do nothing be asked for the groups that cost commands to their QEMUs only once in
 * that number of times that these are due, the next time first. */
void groups_stretch(struct groups *groups, unsigned times);

/* Those of the bits due at that read for which these guests are not asked. */
unsigned groups_spared(const struct groups *groups, unsigned due, uint64_t read);

/* The interval of the group, which is that of guests that do nothing; 0: that of reads. */
mc_time groups_interval(const struct groups *groups, enum group group);
