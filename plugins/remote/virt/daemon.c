/* SPDX-License-Identifier: MIT */
/* daemon: finds the one process of this machine that is libvirtd or virtqemud.  With several,
 * nothing is reported: the one that answers is unknown. */
#include "daemon.h"

#include <dirent.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <collector/kit/number.h>

#include "virt.h"

/* Cycles between two searches that found none. */
#define SEARCH_EVERY 60

static mc_time now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return time.tv_sec * MC_SECOND + time.tv_nsec;
}

static bool is_daemon(struct mc_ctx *ctx, unsigned pid)
{
	char name[32];

	return kernel_read_name(ctx, pid, name, sizeof(name)) &&
	       (strcmp(name, "libvirtd") == 0 || strcmp(name, "virtqemud") == 0);
}

static unsigned search(struct mc_ctx *ctx)
{
	char path[256];
	DIR *proc = opendir(mc_path(ctx, "/proc", path, sizeof(path)));
	unsigned found = 0, times = 0;
	struct dirent *entry;

	if (proc == NULL)
		return 0;
	while ((entry = readdir(proc)) != NULL) {
		uint64_t pid;

		if (mc_number_unsigned(entry->d_name, 10, INT_MAX, &pid) &&
		    is_daemon(ctx, (unsigned)pid)) {
			found = (unsigned)pid;
			times++;
		}
	}
	closedir(proc);
	return times == 1 ? found : 0;
}

void daemon_begin(struct mc_ctx *ctx, struct daemon_cost *cost)
{
	struct virt *self = ctx->self;
	struct kernel_cpu cpu;

	*cost = (struct daemon_cost){ .begun = now() };
	if (!self->local)
		return;
	if (self->daemon_pid != 0 && !is_daemon(ctx, self->daemon_pid))
		self->daemon_pid = 0;
	if (self->daemon_pid == 0 && self->cycle % SEARCH_EVERY <= 1)
		self->daemon_pid = search(ctx);
	if (self->daemon_pid != 0 &&
	    kernel_read_cpu(ctx, &(struct kernel_map){ .pid = self->daemon_pid }, &cpu)) {
		cost->pid = self->daemon_pid;
		cost->cpu = (mc_time)cpu.total;
	}
}

void daemon_end(struct mc_ctx *ctx, const struct daemon_cost *cost, struct mc_batch *out)
{
	struct virt *self = ctx->self;
	struct kernel_cpu cpu;

	mc_put_gauge(out, (double)(now() - cost->begun) / MC_SECOND,
		     .plugin_instance = self->series_instance, .type = "duration",
		     .type_instance = "bulk");
	if (cost->pid == 0 || !kernel_read_cpu(ctx, &(struct kernel_map){ .pid = cost->pid }, &cpu))
		return;
	mc_put_gauge(out, (double)((mc_time)cpu.total - cost->cpu) / MC_SECOND,
		     .plugin_instance = self->series_instance, .type = "virt_induced_cpu");
}
