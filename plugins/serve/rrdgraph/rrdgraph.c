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

#include <collector/history.h>
#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/plugin.h>
#include <collector/writer.h>

#include "command.h"
#include "file.h"

struct rrdgraph {
	bool started;
	/* Drawing of librrd is for one thread at a time.  This lock guards no data: nothing else
	 * ever waits for it. */
	pthread_mutex_t turn;
};

static int start(struct mc_ctx *ctx)
{
	struct rrdgraph *self = ctx->self;

	pthread_mutex_init(&self->turn, NULL);
	self->started = true;
	return 0;
}

static void stop(struct mc_ctx *ctx)
{
	struct rrdgraph *self = ctx->self;

	if (!self->started)
		return;
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
			picture->bytes = mc_alloc_bytes(info->value.u_blo.ptr, picture->size);
			return true;
		}
	return false;
}

static int draw_file(const struct mc_graph *graph, const char *path, struct mc_picture *picture,
		     char *why)
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

static int draw_in(const char *folder, const struct mc_graph *graph, struct mc_picture *picture,
		   char *why)
{
	char path[PATH_MAX];
	int rc;

	snprintf(path, sizeof(path), "%s/rrd", folder);
	rrd_clear_error();
	rc = file_write(path, graph->history) == 0 ? draw_file(graph, path, picture, why)
						   : fail(why);
	unlink(path);
	return rc;
}

/* The folder is there for one picture: a daemon that is killed leaves none. */
static int draw(struct mc_ctx *ctx, const struct mc_graph *graph, struct mc_picture *picture,
		char *why)
{
	struct rrdgraph *self = ctx->self;
	char folder[FILE_FOLDER_SIZE];
	int rc;

	pthread_mutex_lock(&self->turn);
	rc = file_folder_new(folder);
	if (rc == 0) {
		rc = draw_in(folder, graph, picture, why);
		file_folder_free(folder);
	} else {
		snprintf(why, MC_HISTORY_WHY, "cannot make a folder in '/tmp': %s", strerror(-rc));
	}
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
