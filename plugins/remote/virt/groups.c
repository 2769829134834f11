/* SPDX-License-Identifier: MIT */
/* groups: reads are counted, so that a slow group keeps the phase of reads. */
#include "groups.h"

#include "names.h"

const char *const groups_words[] = {
	"disks",     "memory",   "vcpu",      "perf",    "iothread", "memory_bandwidth",
	"dirtyrate", "disk_err", "job_stats", "fs_info", NULL,
};

/* The flags of ExtraStats for each. */
static const unsigned extras[GROUPS_LEN] = {
	[GROUP_DISKS] = EXTRA_DISK | EXTRA_DISK_ALLOCATION | EXTRA_DISK_CAPACITY |
			EXTRA_DISK_PHYSICAL | EXTRA_DISK_LATENCY | EXTRA_HISTOGRAM,
	[GROUP_MEMORY] = EXTRA_MEMORY,
	[GROUP_VCPU] = EXTRA_VCPU | EXTRA_VCPU_DELAY,
	[GROUP_PERF] = EXTRA_PERF,
	[GROUP_IOTHREAD] = EXTRA_IOTHREAD,
	[GROUP_BANDWIDTH] = EXTRA_BANDWIDTH,
	[GROUP_DIRTYRATE] = EXTRA_DIRTYRATE,
	[GROUP_DISK_ERR] = EXTRA_DISK_ERR,
	[GROUP_JOB_STATS] = EXTRA_JOB_COMPLETED | EXTRA_JOB_BACKGROUND,
	[GROUP_FS_INFO] = EXTRA_FS_INFO,
};

void groups_set(struct groups *groups, const struct group_rule *rules, size_t rules_len,
		mc_time read_interval)
{
	groups->read = read_interval;
	for (size_t i = 0; i < rules_len; i++) {
		mc_time interval = rules[i].interval;
		mc_time every = (interval + read_interval / 2) / read_interval;

		if (every < 1)
			every = 1;
		groups->every[rules[i].group].period = every;
		groups->interval[rules[i].group] = every > 1 ? every * read_interval : 0;
	}
}

/* Groups that cost commands, besides disks, which have their own rule. */
static bool has_price(enum group group)
{
	return group != GROUP_DISKS && group != GROUP_PERF && group != GROUP_BANDWIDTH;
}

void groups_stretch(struct groups *groups, unsigned times)
{
	if (times == groups->times)
		return;
	groups->times = times;
	for (unsigned i = 0; i < GROUPS_LEN; i++)
		groups->since[i] = times;
}

static bool is_spared(const struct groups *groups, enum group group, uint64_t read)
{
	return groups->times > 1 && has_price(group) && groups_due(groups, group, read) &&
	       groups->since[group] + 1 < groups->times;
}

unsigned groups_spared(const struct groups *groups, unsigned due, uint64_t read)
{
	unsigned spared = 0;

	for (unsigned i = 0; i < GROUPS_LEN; i++)
		if (is_spared(groups, i, read))
			spared |= extras[i];
	return due & spared;
}

bool groups_due(const struct groups *groups, enum group group, uint64_t read)
{
	return mc_every_due(&groups->every[group], (mc_time)read);
}

void groups_taken(struct groups *groups, uint64_t read)
{
	for (unsigned i = 0; i < GROUPS_LEN; i++) {
		if (!groups_due(groups, i, read))
			continue;
		groups->since[i] = is_spared(groups, i, read) ? groups->since[i] + 1 : 0;
		mc_every_done(&groups->every[i], (mc_time)read);
	}
}

unsigned groups_extra(const struct groups *groups, unsigned extra, uint64_t read)
{
	for (unsigned i = 0; i < GROUPS_LEN; i++)
		if (!groups_due(groups, i, read))
			extra &= ~extras[i];
	return extra;
}

mc_time groups_interval(const struct groups *groups, enum group group)
{
	mc_time interval = groups->interval[group];

	if (groups->times <= 1 || !has_price(group))
		return interval;
	return (interval > 0 ? interval : groups->read) * groups->times;
}
