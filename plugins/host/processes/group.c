/* SPDX-License-Identifier: MIT */
/* The sums of a group of processes. */
#include "group.h"

#include <string.h>
#include <unistd.h>

static const struct {
	const char *type, *instance;
	unsigned len;        /* Of numbers. */
	unsigned numbers[2]; /* Counters or gauges. */
	bool counts;         /* Counters. */
	bool optional;       /* Only from when a process has shown it. */
} reports[] = {
	{ "ps_vm", NULL, 1, { GROUP_VM }, false, false },
	{ "ps_rss", NULL, 1, { GROUP_RSS }, false, false },
	{ "ps_data", NULL, 1, { GROUP_DATA }, false, false },
	{ "ps_code", NULL, 1, { GROUP_CODE }, false, false },
	{ "ps_stacksize", NULL, 1, { GROUP_STACK }, false, false },
	{ "ps_cputime",
	  NULL,
	  2,
	  { GROUP_USER_TICKS, GROUP_SYSTEM_TICKS },
	  true,
	  false },
	{ "ps_count",
	  NULL,
	  2,
	  { GROUP_PROCESSES, GROUP_THREADS },
	  false,
	  false },
	{ "ps_pagefaults",
	  NULL,
	  2,
	  { GROUP_MINOR_FAULTS, GROUP_MAJOR_FAULTS },
	  true,
	  false },
	{ "io_octets",
	  NULL,
	  2,
	  { GROUP_BYTES_READ, GROUP_BYTES_WRITTEN },
	  true,
	  true },
	{ "io_ops", NULL, 2, { GROUP_READS, GROUP_WRITES }, true, true },
	{ "disk_octets",
	  NULL,
	  2,
	  { GROUP_DISK_READ, GROUP_DISK_WRITTEN },
	  true,
	  true },
	{ "file_handles", NULL, 1, { GROUP_FILES }, false, true },
	{ "file_handles", "mapped", 1, { GROUP_MAPS }, false, true },
	{ "contextswitch", "voluntary", 1, { GROUP_VOLUNTARY }, true, true },
	{ "contextswitch",
	  "involuntary",
	  1,
	  { GROUP_INVOLUNTARY },
	  true,
	  true },
};
#define REPORTS_LEN (sizeof(reports) / sizeof(*reports))
_Static_assert(REPORTS_LEN <= GROUP_SERIES_LEN, "no room for all series");

bool group_selects(const struct group *group, struct mc_word name,
		   struct mc_word command)
{
	if (group->regex != NULL)
		return mc_regex_match(group->regex, command.text,
				      command.size) > 0;
	return strncmp(group->name, name.text, name.size) == 0 &&
	       group->name[name.size] == '\0';
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

void group_report(struct group *group, struct mc_batch *out)
{
	for (unsigned i = 0; i < REPORTS_LEN; i++) {
		struct mc_id id = MC_ID(.plugin_instance = group->name,
					.type = reports[i].type,
					.type_instance = reports[i].instance);
		const unsigned *numbers = reports[i].numbers;
		unsigned known = reports[i].counts ? group->sum.known
						   : group->sum.gauges_of;
		union mc_value values[2];

		if (reports[i].optional && !(known >> numbers[0] & 1))
			continue;
		if (!reports[i].counts && (group->spoilt >> numbers[0] & 1))
			continue;
		for (unsigned n = 0; n < reports[i].len; n++)
			if (reports[i].counts)
				values[n].derive =
					counter_of(group, numbers[n]);
			else
				values[n].gauge = group->sum.gauges[numbers[n]];
		if (group->held[i] == NULL)
			group->held[i] = mc_hold(mc_series(out, id));
		mc_put(out, group->held[i], values, reports[i].len);
	}
}

void group_done(struct group *group)
{
	for (unsigned i = 0; i < GROUP_SERIES_LEN; i++)
		mc_release(group->held[i]);
	mc_regex_free(group->regex);
}
