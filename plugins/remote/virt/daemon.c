/* SPDX-License-Identifier: MIT */
/* daemon: finds the one process of this machine that is libvirtd or virtqemud.  With several,
 * nothing is reported: the one that answers is unknown. */
#include "daemon.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/number.h>

#include "virt.h"

/* Cycles between two searches that found none. */
#define SEARCH_EVERY 60

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

unsigned daemon_find(struct mc_ctx *ctx)
{
	struct virt *self = ctx->self;

	if (!self->local)
		return 0;
	if (self->daemon_pid != 0 && !is_daemon(ctx, self->daemon_pid))
		self->daemon_pid = 0;
	if (self->daemon_pid == 0 && self->cycle % SEARCH_EVERY <= 1)
		self->daemon_pid = search(ctx);
	return self->daemon_pid;
}
