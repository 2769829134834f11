/* SPDX-License-Identifier: MIT */
#include "host_values.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

struct file_system {
	const char *instance; /* Of the series. */
	double used, all;
};

struct host_sums {
	double cpu, idle, wait;      /* Of all states, and two of them. */
	double active, active_len;   /* Where cpu has no states. */
	double memory, memory_used;  /* Bytes. */
	double memory_share;         /* Or per cent, NaN without. */
	double load;                 /* NaN without. */
	double disk;                 /* Per cent of the fullest, where df has that; else NaN. */
	struct file_system *systems; /* HOST_FILE_SYSTEMS_MAX of them, or NULL. */
	unsigned systems_len;
};

static struct host_sums *sums_of(struct host_sums **sums)
{
	if (*sums == NULL) {
		*sums = mc_alloc_zero(sizeof(**sums));
		(*sums)->memory_share = (*sums)->load = (*sums)->disk = NAN;
	}
	return *sums;
}

static void add_cpu(struct host_sums *sums, const char *state, double rate)
{
	if (strcmp(state, "active") == 0) {
		sums->active += rate;
		sums->active_len++;
		return;
	}
	sums->cpu += rate;
	if (strcmp(state, "idle") == 0)
		sums->idle += rate;
	else if (strcmp(state, "wait") == 0)
		sums->wait += rate;
}

static void add_file_system(struct host_sums *sums, const char *instance, const char *state,
			    double bytes)
{
	struct file_system *system = NULL;

	if (sums->systems == NULL)
		sums->systems = mc_alloc_array(HOST_FILE_SYSTEMS_MAX, sizeof(*sums->systems));
	for (unsigned i = 0; i < sums->systems_len && system == NULL; i++)
		if (strcmp(sums->systems[i].instance, instance) == 0)
			system = &sums->systems[i];
	if (system == NULL && sums->systems_len < HOST_FILE_SYSTEMS_MAX) {
		system = &sums->systems[sums->systems_len++];
		*system = (struct file_system){ .instance = instance };
	}
	if (system == NULL)
		return;
	system->all += bytes;
	if (strcmp(state, "used") == 0)
		system->used += bytes;
}

static void add_memory(struct host_sums *sums, const char *state, double bytes)
{
	sums->memory += bytes;
	if (strcmp(state, "used") == 0)
		sums->memory_used += bytes;
}

static void add_share(struct host_sums **sums, const struct mc_series *series, double share)
{
	const char *plugin = mc_plugin(series), *state = mc_type_instance(series);

	if (strcmp(plugin, "cpu") == 0)
		add_cpu(sums_of(sums), state, share);
	else if (strcmp(plugin, "memory") == 0 && strcmp(state, "used") == 0)
		sums_of(sums)->memory_share = share;
}

void host_values_add(struct host_sums **sums, const struct mc_series *series,
		     const struct mc_latest *latest)
{
	const char *type = mc_type(series)->name;
	double rate = latest->rates[0];

	if (latest->missing || isnan(rate))
		return;
	if (strcmp(type, "cpu") == 0 && strcmp(mc_plugin(series), "cpu") == 0)
		add_cpu(sums_of(sums), mc_type_instance(series), rate);
	else if (strcmp(type, "percent") == 0)
		add_share(sums, series, rate);
	else if (strcmp(type, "memory") == 0 && strcmp(mc_plugin(series), "memory") == 0)
		add_memory(sums_of(sums), mc_type_instance(series), rate);
	else if (strcmp(type, "df_complex") == 0)
		add_file_system(sums_of(sums), mc_plugin_instance(series), mc_type_instance(series),
				rate);
	else if (strcmp(type, "percent_bytes") == 0 &&
		 strcmp(mc_type_instance(series), "used") == 0)
		sums_of(sums)->disk = fmax(sums_of(sums)->disk, rate);
	else if (strcmp(type, "load") == 0 && strcmp(mc_plugin(series), "load") == 0)
		sums_of(sums)->load = rate;
}

static double share_of(double part, double all)
{
	return all > 0 ? 100 * part / all : NAN;
}

void host_values_end(struct host_sums *sums, double values[HOST_VALUES_LEN])
{
	for (unsigned i = 0; i < HOST_VALUES_LEN; i++)
		values[i] = NAN;
	if (sums == NULL)
		return;
	values[HOST_CPU] = sums->cpu > 0          ? share_of(sums->cpu - sums->idle, sums->cpu)
			   : sums->active_len > 0 ? sums->active / sums->active_len
						  : NAN;
	values[HOST_WAIT] = share_of(sums->wait, sums->cpu);
	values[HOST_MEMORY] =
		sums->memory > 0 ? share_of(sums->memory_used, sums->memory) : sums->memory_share;
	values[HOST_LOAD] = sums->load;
	values[HOST_DISK] = sums->disk;
	for (unsigned i = 0; i < sums->systems_len; i++)
		values[HOST_DISK] = fmax(values[HOST_DISK],
					 share_of(sums->systems[i].used, sums->systems[i].all));
	free(sums->systems);
	free(sums);
}
