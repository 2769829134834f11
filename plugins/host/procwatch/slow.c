/* SPDX-License-Identifier: MIT */
#include "slow.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/kit/alloc.h>
#include <collector/kit/timed_call.h>
#include <collector/scan.h>

#define TEXT_SIZE 4096

/* The size, or -errno; the text ends with '\0'. */
static ssize_t read_file(const char *path, char *text, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t taken;

	if (fd < 0)
		return -errno;
	taken = read(fd, text, size - 1);
	if (taken < 0)
		taken = -errno;
	else
		text[taken] = '\0';
	close(fd);
	return taken;
}

static int read_commands(void *argument)
{
	struct slow_commands *commands = argument;

	for (size_t i = 0; i < commands->len; i++) {
		char path[300], *text = commands->texts[i];
		ssize_t size;

		snprintf(path, sizeof(path), "%s/%u/cmdline", commands->folder,
			 (unsigned)commands->pids[i]);
		size = read_file(path, text, SLOW_COMMAND_SIZE);
		while (size > 0 && text[size - 1] == '\0')
			size--;
		for (ssize_t c = 0; c < size; c++)
			if (text[c] == '\0')
				text[c] = ' ';
	}
	return 0;
}

struct slow_commands *slow_new_commands(struct mc_ctx *ctx, size_t len)
{
	struct slow_commands *commands = mc_alloc_zero(sizeof(*commands));

	mc_path(ctx, "/proc", commands->folder, sizeof(commands->folder));
	commands->len = len;
	return commands;
}

int slow_read_commands(struct mc_ctx *ctx, mc_time limit, struct slow_commands **commands)
{
	int rc = mc_timed_call(ctx, limit, read_commands, *commands);

	if (rc == -ETIMEDOUT)
		*commands = NULL;
	return rc;
}

struct pss_call {
	char path[300];
	uint64_t kib;
};

static int read_pss(void *argument)
{
	struct pss_call *call = argument;
	char text[TEXT_SIZE];
	ssize_t size = read_file(call->path, text, sizeof(text));

	if (size < 0)
		return (int)size;
	return mc_scan_key(text, "Pss:", &call->kib) && call->kib <= INT64_MAX / 1024 ? 0
										      : -EBADMSG;
}

int slow_read_pss(struct mc_ctx *ctx, uint32_t pid, double *pss)
{
	struct pss_call *call = mc_alloc_zero(sizeof(*call));
	char folder[256];
	int rc;

	snprintf(call->path, sizeof(call->path), "%s/%u/smaps_rollup",
		 mc_path(ctx, "/proc", folder, sizeof(folder)), (unsigned)pid);
	rc = mc_timed_call(ctx, MC_SECOND, read_pss, call);
	if (rc == -ETIMEDOUT)
		return rc;
	if (rc == 0)
		*pss = (double)call->kib * 1024;
	free(call);
	return rc;
}
