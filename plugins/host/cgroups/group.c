/* SPDX-License-Identifier: MIT */
#include "group.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/scan.h>

#include "formats/pressure_line.h"
#include "parse.h"

#define ABSENT_READS 16 /* Number of reads after which it is looked for again. */

/* --- Series --------------------------------------------------------------- */

enum series {
	CPU_USER,
	CPU_SYSTEM,
	THROTTLED_TIME,
	THROTTLED_LEN,
	MEMORY_USED,
	MEMORY_LIMIT,
	MEMORY_SWAP,
	MEMORY_ANON,
	MEMORY_FILE,
	MEMORY_KERNEL,
	MEMORY_SHMEM,
	MEMORY_SLAB,
	MEMORY_SOCK,
	EVENT_HIGH,
	EVENT_MAX,
	EVENT_OOM,
	EVENT_OOM_KILL,
	THREADS,
	PRESSURE, /* Of cpu, memory and io, some and full each. */
	SERIES_LEN = PRESSURE + 6
};
_Static_assert(SERIES_LEN <= GROUP_SERIES_LEN, "no room for all series");

static const struct {
	const char *type, *instance;
	bool is_level; /* Else it is a total. */
} reports[SERIES_LEN] = {
	[CPU_USER] = { "cpu", "user", false },
	[CPU_SYSTEM] = { "cpu", "system", false },
	[THROTTLED_TIME] = { "total_time_in_ms", "throttled", false },
	[THROTTLED_LEN] = { "total_events", "throttled", false },
	[MEMORY_USED] = { "memory", "used", true },
	[MEMORY_LIMIT] = { "memory", "limit", true },
	[MEMORY_SWAP] = { "memory", "swap", true },
	[MEMORY_ANON] = { "memory", "anon", true },
	[MEMORY_FILE] = { "memory", "file", true },
	[MEMORY_KERNEL] = { "memory", "kernel", true },
	[MEMORY_SHMEM] = { "memory", "shmem", true },
	[MEMORY_SLAB] = { "memory", "slab", true },
	[MEMORY_SOCK] = { "memory", "sock", true },
	[EVENT_HIGH] = { "total_events", "memory_high", false },
	[EVENT_MAX] = { "total_events", "memory_max", false },
	[EVENT_OOM] = { "total_events", "oom", false },
	[EVENT_OOM_KILL] = { "total_events", "oom_kill", false },
	[THREADS] = { "threads", NULL, true },
	[PRESSURE] = { "pressure_stall", "cpu-some", false },
	[PRESSURE + 1] = { "pressure_stall", "cpu-full", false },
	[PRESSURE + 2] = { "pressure_stall", "memory-some", false },
	[PRESSURE + 3] = { "pressure_stall", "memory-full", false },
	[PRESSURE + 4] = { "pressure_stall", "io-some", false },
	[PRESSURE + 5] = { "pressure_stall", "io-full", false },
};

static struct mc_id id_of(const struct group *group, const char *type, const char *instance)
{
	return MC_ID(.host = group->host, .plugin_instance = group->instance, .type = type,
		     .type_instance = instance);
}

static void put(struct group *group, struct mc_batch *out, enum series series, uint64_t number)
{
	struct mc_series **held = &group->held[series];

	if (*held == NULL)
		*held = mc_hold(mc_series(
			out, id_of(group, reports[series].type, reports[series].instance)));
	if (reports[series].is_level)
		mc_gauge(out, *held, (double)number);
	else
		mc_derive(out, *held, (int64_t)number);
}

/* --- Files ---------------------------------------------------------------- */

/* Each takes the text of its file; false if it is not understood. */
typedef bool taker(struct group *, struct group_reads *, struct mc_batch *out, const char *text);

static uint64_t ticks(uint64_t microseconds)
{
	return microseconds / (1000000 / (uint64_t)sysconf(_SC_CLK_TCK));
}

static bool take_cpu(struct group *group, struct group_reads *reads, struct mc_batch *out,
		     const char *text)
{
	struct parse_cpu cpu;

	(void)reads;
	if (!parse_cpu(text, &cpu))
		return false;
	put(group, out, CPU_USER, ticks(cpu.user));
	put(group, out, CPU_SYSTEM, ticks(cpu.system));
	if (cpu.is_limited) {
		put(group, out, THROTTLED_TIME, cpu.throttled / 1000);
		put(group, out, THROTTLED_LEN, cpu.throttled_len);
	}
	return true;
}

static bool take_cpuacct(struct group *group, struct group_reads *reads, struct mc_batch *out,
			 const char *text)
{
	struct parse_cpuacct cpu;

	(void)reads;
	if (!parse_cpuacct(text, &cpu))
		return false;
	put(group, out, CPU_USER, cpu.user);
	put(group, out, CPU_SYSTEM, cpu.system);
	return true;
}

static bool take_level(struct group *group, struct mc_batch *out, enum series series,
		       const char *text)
{
	uint64_t number;
	bool is_limit;

	if (!parse_limit(text, &number, &is_limit))
		return false;
	if (is_limit)
		put(group, out, series, number);
	return true;
}

static bool take_memory(struct group *group, struct group_reads *reads, struct mc_batch *out,
			const char *text)
{
	(void)reads;
	return take_level(group, out, MEMORY_USED, text);
}

static bool take_limit(struct group *group, struct group_reads *reads, struct mc_batch *out,
		       const char *text)
{
	(void)reads;
	return take_level(group, out, MEMORY_LIMIT, text);
}

static bool take_swap(struct group *group, struct group_reads *reads, struct mc_batch *out,
		      const char *text)
{
	(void)reads;
	return take_level(group, out, MEMORY_SWAP, text);
}

static bool take_threads(struct group *group, struct group_reads *reads, struct mc_batch *out,
			 const char *text)
{
	(void)reads;
	return take_level(group, out, THREADS, text);
}

static bool take_events(struct group *group, struct group_reads *reads, struct mc_batch *out,
			const char *text)
{
	struct parse_events events;

	(void)reads;
	if (!parse_events(text, &events))
		return false;
	put(group, out, EVENT_HIGH, events.high);
	put(group, out, EVENT_MAX, events.max);
	put(group, out, EVENT_OOM, events.oom);
	put(group, out, EVENT_OOM_KILL, events.oom_kill);
	return true;
}

/* Which keys there are depends on the kernel. */
static bool take_memory_stat(struct group *group, struct group_reads *reads, struct mc_batch *out,
			     const char *text)
{
	bool found = false;

	(void)reads;
	for (unsigned i = MEMORY_ANON; i <= MEMORY_SOCK; i++) {
		uint64_t number;

		if (!mc_scan_key(text, reports[i].instance, &number))
			continue;
		if (number > INT64_MAX)
			return false;
		put(group, out, i, number);
		found = true;
	}
	return found;
}

static void put_device(struct group *group, struct group_reads *reads, struct mc_batch *out,
		       const struct parse_device *device)
{
	union mc_value octets[] = {
		{ .derive = (int64_t)device->read },
		{ .derive = (int64_t)device->written },
	};
	union mc_value ops[] = {
		{ .derive = (int64_t)device->reads },
		{ .derive = (int64_t)device->writes },
	};
	char buffer[DEVICES_NAME_SIZE];
	const char *name = devices_name(&reads->devices, device->major, device->minor, buffer);

	mc_put(out, mc_series(out, id_of(group, "disk_octets", name)), octets, 2);
	mc_put(out, mc_series(out, id_of(group, "disk_ops", name)), ops, 2);
}

/* A file without a line: nothing was read or written yet. */
static bool take_io(struct group *group, struct group_reads *reads, struct mc_batch *out,
		    const char *text)
{
	bool understood = true;
	unsigned len = 0;

	if (*text == '\0')
		return true;
	do {
		struct parse_device device;
		bool has_numbers;

		if (!parse_device(text, &device, &has_numbers))
			understood = false;
		else if (has_numbers && ++len > GROUP_DEVICES_MAX)
			return false;
		else if (has_numbers)
			put_device(group, reads, out, &device);
	} while (mc_scan_line(&text));
	return understood;
}

static bool take_pressure(struct group *group, struct mc_batch *out, unsigned first,
			  const char *text)
{
	bool understood = true;

	do {
		struct mc_pressure_line line;

		if (mc_pressure_line(text, &line))
			put(group, out, first + (line.level[0] == 'f'), line.total);
		else
			understood = false;
	} while (mc_scan_line(&text));
	return understood;
}

static bool take_cpu_pressure(struct group *group, struct group_reads *reads, struct mc_batch *out,
			      const char *text)
{
	(void)reads;
	return take_pressure(group, out, PRESSURE, text);
}

static bool take_memory_pressure(struct group *group, struct group_reads *reads,
				 struct mc_batch *out, const char *text)
{
	(void)reads;
	return take_pressure(group, out, PRESSURE + 2, text);
}

static bool take_io_pressure(struct group *group, struct group_reads *reads, struct mc_batch *out,
			     const char *text)
{
	(void)reads;
	return take_pressure(group, out, PRESSURE + 4, text);
}

static const struct file {
	const char *name;
	taker *take;
	unsigned version;
	bool may_be_empty, of_pressure, of_memory_stat;
} files[] = {
	{ "cpuacct.stat", take_cpuacct, 1, false, false, false },
	{ "cpu.stat", take_cpu, 2, false, false, false },
	{ "memory.current", take_memory, 2, false, false, false },
	{ "memory.max", take_limit, 2, false, false, false },
	{ "memory.swap.current", take_swap, 2, false, false, false },
	{ "memory.events", take_events, 2, false, false, false },
	{ "pids.current", take_threads, 2, false, false, false },
	{ "io.stat", take_io, 2, true, false, false },
	{ "cpu.pressure", take_cpu_pressure, 2, false, true, false },
	{ "memory.pressure", take_memory_pressure, 2, false, true, false },
	{ "io.pressure", take_io_pressure, 2, false, true, false },
	{ "memory.stat", take_memory_stat, 2, false, false, true },
};
#define FILES_LEN (sizeof(files) / sizeof(*files))
_Static_assert(FILES_LEN <= GROUP_FILES_LEN, "no room for all files");

/* --- A read --------------------------------------------------------------- */

static void fail(struct group_reads *reads, int errnum, const char *path)
{
	if (reads->failed++ > 0)
		return;
	reads->error = errnum;
	snprintf(reads->failed_path, sizeof(reads->failed_path), "%s", path);
}

static bool is_wanted(const struct group_reads *reads, const struct file *file)
{
	return file->version == reads->version && (!file->of_pressure || reads->pressure) &&
	       (!file->of_memory_stat || reads->memory_stat);
}

/* -ENODEV is of a group that has been removed, -EOPNOTSUPP of pressure that the
 * kernel does not account. */
static void read_file(struct group *group, struct group_reads *reads, struct mc_batch *out,
		      unsigned index)
{
	const struct file *file = &files[index];
	char path[MC_KEPT_PATH_SIZE];
	ssize_t size;

	if (snprintf(path, sizeof(path), "%s/%s", group->path, file->name) >= (int)sizeof(path)) {
		fail(reads, ENAMETOOLONG, group->path);
		return;
	}
	size = mc_kept_read(&reads->files, path, &group->fds[index]);
	if (size == -ENOENT || size == -EOPNOTSUPP) {
		group->absent |= 1U << index;
		return;
	}
	if (size == -ENODEV)
		return;
	if (size < 0)
		fail(reads, (int)-size, path);
	else if ((size == 0 && !file->may_be_empty) || size == MC_KEPT_TEXT_SIZE ||
		 strlen(reads->files.text) != (size_t)size ||
		 !file->take(group, reads, out, reads->files.text))
		fail(reads, 0, path);
}

void group_read(struct group *group, struct group_reads *reads, struct mc_batch *out)
{
	if (reads->reads % ABSENT_READS == 0)
		group->absent = 0;
	for (unsigned i = 0; i < FILES_LEN; i++)
		if (is_wanted(reads, &files[i]) && !(group->absent >> i & 1))
			read_file(group, reads, out, i);
}

/* --- Life ----------------------------------------------------------------- */

struct group *group_new(const char *path)
{
	struct group *group = mc_alloc_zero(sizeof(*group));

	group->path = mc_alloc_copy(path);
	group->node.key = group->path;
	group->node.key_size = strlen(group->path);
	for (unsigned i = 0; i < GROUP_FILES_LEN; i++)
		group->fds[i] = -1;
	return group;
}

void group_release_series(struct group *group)
{
	for (unsigned i = 0; i < GROUP_SERIES_LEN; i++) {
		mc_release(group->held[i]);
		group->held[i] = NULL;
	}
}

void group_free(struct group *group, struct group_reads *reads)
{
	for (unsigned i = 0; i < GROUP_FILES_LEN; i++)
		mc_kept_close(&reads->files, &group->fds[i]);
	group_release_series(group);
	free(group->path);
	free(group->host);
	free(group->instance);
	free((void *)group->name.key);
	free(group);
}
