/* SPDX-License-Identifier: GPL-2.0-or-later */
/* rrdgraph - draws histories by librrd, for other plugins that show them. */
#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <rrd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <collector/graph.h>
#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "command.h"
#include "file.h"

struct rrdgraph {
	char folder[64]; /* "": none. */
	bool started;
	/* Drawing of librrd is for one thread at a time.  This is no lock of
	 * data: nothing else ever waits for it. */
	pthread_mutex_t turn;
};

static int start(struct mc_ctx *ctx)
{
	struct rrdgraph *self = ctx->self;
	int rc = file_folder_new(self->folder, sizeof(self->folder));

	if (rc < 0) {
		self->folder[0] = '\0';
		return mc_fail(ctx, -rc, "cannot make a folder in '/tmp'");
	}
	pthread_mutex_init(&self->turn, NULL);
	self->started = true;
	return 0;
}

static void stop(struct mc_ctx *ctx)
{
	struct rrdgraph *self = ctx->self;

	if (!self->started)
		return;
	file_folder_free(self->folder);
	pthread_mutex_destroy(&self->turn);
}

static int fail(char *why)
{
	snprintf(why, MC_HISTORY_WHY, "librrd: %s", rrd_get_error());
	rrd_clear_error();
	return -EIO;
}

static bool take_image(const rrd_info_t *info, struct mc_picture *picture)
{
	for (; info != NULL; info = info->next)
		if (strcmp(info->key, "image") == 0) {
			picture->size = info->value.u_blo.size;
			picture->bytes = mc_alloc_bytes(info->value.u_blo.ptr,
							picture->size);
			return true;
		}
	return false;
}

static int draw_file(const struct mc_graph *graph, const char *path,
		     struct mc_picture *picture, char *why)
{
	struct command *command = mc_alloc(sizeof(*command));
	rrd_info_t *info;
	bool found;

	command_make(command, graph, path);
	info = rrd_graph_v(command->len, command->arguments);
	free(command);
	if (info == NULL)
		return fail(why);
	found = take_image(info, picture);
	rrd_info_free(info);
	snprintf(why, MC_HISTORY_WHY, "librrd has drawn nothing");
	return found ? 0 : -EIO;
}

static int draw(struct mc_ctx *ctx, const struct mc_graph *graph,
		struct mc_picture *picture, char *why)
{
	struct rrdgraph *self = ctx->self;
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s/rrd", self->folder);
	pthread_mutex_lock(&self->turn);
	rrd_clear_error();
	rc = file_write(path, graph->history) == 0
		     ? draw_file(graph, path, picture, why)
		     : fail(why);
	unlink(path);
	pthread_mutex_unlock(&self->turn);
	return rc;
}

static const struct mc_writer writer = {
	.draw = draw,
};

MC_PLUGIN(rrdgraph) = {
	MC_NAMED(rrdgraph),
	.help = "Draws histories as PNG by librrd, for the plugin web.",
	.self_size = sizeof(struct rrdgraph),
	.start = start,
	.stop = stop,
	.writer = &writer,
};
