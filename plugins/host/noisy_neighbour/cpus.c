/* SPDX-License-Identifier: MIT */
#include "cpus.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/scan.h>

#include "parse.h"

#define TEXT_SIZE (1 << 18) /* Lines of CPUs are the first ones. */

static ssize_t read_text(struct cpus *cpus, const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t size = -1, got;

	if (fd < 0)
		return -errno;
	if (cpus->text == NULL)
		cpus->text = mc_alloc(TEXT_SIZE);
	for (size = 0; size < TEXT_SIZE - 1; size += got) {
		got = read(fd, cpus->text + size, (size_t)(TEXT_SIZE - 1 - size));
		if (got <= 0)
			break;
	}
	close(fd);
	cpus->text[size] = '\0';
	return size;
}

static void take(struct cpus *cpus, const struct parse_cpu *now)
{
	uint64_t busy = now->busy - cpus->before[now->number].busy,
		 idle = now->idle - cpus->before[now->number].idle;

	/* iowait may go back by a bit. */
	if (now->idle < cpus->before[now->number].idle)
		idle = 0;
	if (now->busy < cpus->before[now->number].busy)
		busy = 0;
	cpus->items[now->number].busy = busy + idle > 0 ? (double)busy / (double)(busy + idle) : 0;
	cpus->before[now->number].busy = now->busy;
	cpus->before[now->number].idle = now->idle;
	if (cpus->len <= now->number)
		cpus->len = now->number + 1;
}

int cpus_read(struct cpus *cpus, const char *path)
{
	ssize_t size = read_text(cpus, path);
	const char *at = cpus->text;
	bool had_before = cpus->has_before;
	struct parse_cpu cpu;

	if (size < 0)
		return (int)size;
	for (size_t i = 0; i < BLAME_CPUS_MAX; i++)
		cpus->items[i].busy = -1;
	cpus->len = 0;
	do
		if (parse_cpu(at, &cpu) && cpu.number < BLAME_CPUS_MAX)
			take(cpus, &cpu);
	while (mc_scan_line(&at));
	cpus->has_before = cpus->len > 0;
	if (cpus->len == 0)
		return -EBADMSG;
	return had_before;
}

void cpus_read_cores(struct cpus *cpus, const char *folder)
{
	for (unsigned i = 0; i < cpus->len; i++) {
		struct mc_kept_files own = { .folder = -1 };
		char path[MC_KEPT_PATH_SIZE];
		const char *at = own.text;
		uint64_t first;

		snprintf(path, sizeof(path), "%s/cpu%u/topology/thread_siblings_list", folder, i);
		/* The first of its hyperthreads names the core. */
		if (mc_kept_read_once(&own, path) <= 0 || !mc_scan_u64(&at, &first) || first > i)
			first = i;
		cpus->items[i].core = (unsigned)first;
	}
}

void cpus_forget(struct cpus *cpus)
{
	cpus->has_before = false;
}

void cpus_done(struct cpus *cpus)
{
	free(cpus->text);
	cpus->text = NULL;
}
