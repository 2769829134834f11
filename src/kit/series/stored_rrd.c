/* SPDX-License-Identifier: MIT */
/* Series of RRD files: their heads say when they were updated last.  The time at which a file was
 * made, which is that of its first value, is known to some file systems. */
#include <fcntl.h>
#include <limits.h>
#include <linux/stat.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "kit/series/stored_tree.h"

struct shown {
	mc_stored_show *show;
	void *argument;
};

static bool read_head(int fd, struct mc_rrd_head *head, struct statx *status)
{
	uint8_t data[MC_RRD_HEAD_SIZE];
	ssize_t size = -1;

	/* musl has no statx() before 1.2.5. */
	if (syscall(SYS_statx, fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_BTIME, status) == 0 &&
	    S_ISREG(status->stx_mode))
		size = pread(fd, data, sizeof(data), 0);
	return size > 0 && mc_rrd_head(data, (size_t)size, head);
}

bool mc_stored_rrd_read(int fd, struct mc_rrd_head *head, struct mc_stored *stored)
{
	struct statx status;
	bool good;

	if (fd < 0)
		return false;
	good = read_head(fd, head, &status);
	close(fd);
	if (!good)
		return false;
	stored->first = stored->last = head->last * MC_SECOND;
	stored->interval = head->step * MC_SECOND;
	if ((status.stx_mask & STATX_BTIME) != 0 && status.stx_btime.tv_sec < head->last)
		stored->first = status.stx_btime.tv_sec * MC_SECOND;
	return true;
}

bool mc_stored_rrd_name(const char *file, size_t *size)
{
	const char *ending = strrchr(file, '.');

	if (ending == NULL || strcmp(ending, ".rrd") != 0)
		return false;
	*size = (size_t)(ending - file);
	return true;
}

static bool show_file(void *argument, const struct mc_stored_file *file)
{
	struct shown *shown = argument;
	char name[PATH_MAX];
	struct mc_rrd_head head;
	struct mc_stored stored = { .name = name };
	size_t size;

	if (!mc_stored_rrd_name(file->file, &size) ||
	    !mc_stored_rrd_read(openat(file->folder, file->file, MC_STORED_OPEN), &head, &stored))
		return true;
	snprintf(name, sizeof(name), "%s/%.*s", file->prefix, (int)size, file->file);
	return shown->show(shown->argument, &stored);
}

void mc_stored_rrd(struct mc_ctx *ctx, const char *folder, mc_stored_show *show, void *argument)
{
	struct shown shown = { .show = show, .argument = argument };

	mc_stored_tree(ctx, folder, &(struct mc_stored_walk){ 2, 2, show_file, &shown });
}
