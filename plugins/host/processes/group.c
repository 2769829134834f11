/* SPDX-License-Identifier: MIT */
/* The sums of a group of processes. */
#include "group.h"

#include <string.h>
#include <unistd.h>

enum kind {
	LEVEL, /* Of gauges. */
	TOTAL, /* Of counters. */
	SHARE, /* Of the time since the last report, of a counter in ns. */
};

static const struct {
	const char *type, *instance;
	unsigned len;        /* Of numbers. */
	unsigned numbers[2]; /* Counters or gauges. */
	enum kind kind;
	bool optional; /* Only from when a process has shown it. */
} reports[] = {
	{ "ps_vm", NULL, 1, { GROUP_VM }, LEVEL, false },
	{ "ps_rss", NULL, 1, { GROUP_RSS }, LEVEL, false },
	{ "ps_data", NULL, 1, { GROUP_DATA }, LEVEL, false },
	{ "ps_code", NULL, 1, { GROUP_CODE }, LEVEL, false },
	{ "ps_stacksize", NULL, 1, { GROUP_STACK }, LEVEL, false },
	{ "ps_cputime", NULL, 2, { GROUP_USER_TICKS, GROUP_SYSTEM_TICKS }, TOTAL, false },
	{ "ps_count", NULL, 2, { GROUP_PROCESSES, GROUP_THREADS }, LEVEL, false },
	{ "ps_pagefaults", NULL, 2, { GROUP_MINOR_FAULTS, GROUP_MAJOR_FAULTS }, TOTAL, false },
	{ "io_octets", NULL, 2, { GROUP_BYTES_READ, GROUP_BYTES_WRITTEN }, TOTAL, true },
	{ "io_ops", NULL, 2, { GROUP_READS, GROUP_WRITES }, TOTAL, true },
	{ "disk_octets", NULL, 2, { GROUP_DISK_READ, GROUP_DISK_WRITTEN }, TOTAL, true },
	{ "file_handles", NULL, 1, { GROUP_FILES }, LEVEL, true },
	{ "file_handles", "mapped", 1, { GROUP_MAPS }, LEVEL, true },
	{ "contextswitch", "voluntary", 1, { GROUP_VOLUNTARY }, TOTAL, true },
	{ "contextswitch", "involuntary", 1, { GROUP_INVOLUNTARY }, TOTAL, true },
	{ "delay_rate", "delay-cpu", 1, { GROUP_DELAY_CPU }, SHARE, true },
	{ "delay_rate", "delay-blkio", 1, { GROUP_DELAY_DISK }, SHARE, true },
	{ "delay_rate", "delay-swapin", 1, { GROUP_DELAY_SWAP }, SHARE, true },
	{ "delay_rate", "delay-freepages", 1, { GROUP_DELAY_MEMORY }, SHARE, true },
};
#define REPORTS_LEN (sizeof(reports) / sizeof(*reports))
_Static_assert(REPORTS_LEN <= GROUP_SERIES_LEN, "no room for all series");

bool group_selects(const struct group *group, struct mc_word name, struct mc_word command)
{
	if (group->regex != NULL)
		return mc_regex_match(group->regex, command.text, command.size) > 0;
	return strncmp(group->name, name.text, name.size) == 0 && group->name[name.size] == '\0';
}

void group_begin(struct group *group)
{
	memset(group->sum.gauges, 0, sizeof(group->sum.gauges));
	group->sum.gauges_of = 0;
	group->spoilt = 0;
}

void group_spoil(struct group *group, unsigned gauges)
{
	group->spoilt |= gauges;
}

void group_add(struct group *group, const struct group_sample *sample)
{
	struct group_sample *sum = &group->sum;

	for (unsigned i = 0; i < GROUP_COUNTERS_LEN; i++)
		if (sample->known >> i & 1)
			sum->counters[i] += sample->counters[i];
	for (unsigned i = 0; i < GROUP_GAUGES_LEN; i++)
		if (sample->gauges_of >> i & 1)
			sum->gauges[i] += sample->gauges[i];
	sum->known |= sample->known;
	sum->gauges_of |= sample->gauges_of;
}

/* CPU time is reported in microseconds. */
static int64_t counter_of(const struct group *group, unsigned counter)
{
	uint64_t sum = group->sum.counters[counter];

	if (counter == GROUP_USER_TICKS || counter == GROUP_SYSTEM_TICKS)
		sum *= 1000000 / (uint64_t)sysconf(_SC_CLK_TCK);
	return (int64_t)sum;
}

static union mc_value value_of(const struct group *group, mc_time now, enum kind kind,
			       unsigned number)
{
	union mc_value value;

	if (kind == LEVEL)
		value.gauge = group->sum.gauges[number];
	else if (kind == TOTAL)
		value.derive = counter_of(group, number);
	else
		value.gauge = (double)(group->sum.counters[number] - group->before[number]) /
			      (double)(now - group->reported);
	return value;
}

/* Whether what the report needs has been shown by all who should. */
static bool is_known(const struct group *group, mc_time now, unsigned report)
{
	unsigned bit = 1U << reports[report].numbers[0];
	enum kind kind = reports[report].kind;
	unsigned known = kind == LEVEL ? group->sum.gauges_of : group->sum.known;

	if (reports[report].optional && !(known & bit))
		return false;
	if (kind == SHARE)
		return group->reported != 0 && now > group->reported;
	return kind != LEVEL || !(group->spoilt & bit);
}

void group_report(struct group *group, mc_time now, struct mc_batch *out)
{
	for (unsigned i = 0; i < REPORTS_LEN; i++) {
		struct mc_id id = MC_ID(.plugin_instance = group->name, .type = reports[i].type,
					.type_instance = reports[i].instance);
		union mc_value values[2];

		if (!is_known(group, now, i))
			continue;
		for (unsigned n = 0; n < reports[i].len; n++)
			values[n] = value_of(group, now, reports[i].kind, reports[i].numbers[n]);
		if (group->held[i] == NULL)
			group->held[i] = mc_hold(mc_series(out, id));
		mc_put(out, group->held[i], values, reports[i].len);
	}
	memcpy(group->before, group->sum.counters, sizeof(group->before));
	group->reported = now;
}

void group_done(struct group *group)
{
	for (unsigned i = 0; i < GROUP_SERIES_LEN; i++)
		mc_release(group->held[i]);
	mc_regex_free(group->regex);
}
