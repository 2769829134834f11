/* SPDX-License-Identifier: MIT */
/* Series of RRD files: their heads say when they were updated last.  The time at which a file was
 * made, which is that of its first value, is known to some file systems. */
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "formats/rrd/rrd_head.h"
#include "kit/series/stored_tree.h"

struct shown {
	mc_stored_show *show;
	void *argument;
	uint8_t head[MC_RRD_HEAD_SIZE];
};

static bool read_head(struct shown *shown, const struct mc_stored_file *file,
		      struct mc_rrd_head *head, struct statx *status)
{
	int fd = openat(file->folder, file->file,
			O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	ssize_t size = -1;

	if (fd < 0)
		return false;
	if (statx(fd, "", AT_EMPTY_PATH, STATX_TYPE | STATX_BTIME, status) == 0 &&
	    S_ISREG(status->stx_mode))
		size = pread(fd, shown->head, sizeof(shown->head), 0);
	close(fd);
	return size > 0 && mc_rrd_head(shown->head, (size_t)size, head);
}

static bool show_file(void *argument, const struct mc_stored_file *file)
{
	struct shown *shown = argument;
	const char *ending = strrchr(file->file, '.');
	char name[PATH_MAX];
	struct statx status;
	struct mc_rrd_head head;
	struct mc_stored stored = { .name = name };

	if (ending == NULL || strcmp(ending, ".rrd") != 0 ||
	    !read_head(shown, file, &head, &status))
		return true;
	snprintf(name, sizeof(name), "%s/%.*s", file->prefix, (int)(ending - file->file),
		 file->file);
	stored.first = stored.last = head.last * MC_SECOND;
	stored.interval = head.step * MC_SECOND;
	if ((status.stx_mask & STATX_BTIME) != 0 && status.stx_btime.tv_sec < head.last)
		stored.first = status.stx_btime.tv_sec * MC_SECOND;
	return shown->show(shown->argument, &stored);
}

void mc_stored_rrd(struct mc_ctx *ctx, const char *folder, mc_stored_show *show, void *argument)
{
	struct shown shown = { .show = show, .argument = argument };

	mc_stored_tree(ctx, folder, show_file, &shown);
}
