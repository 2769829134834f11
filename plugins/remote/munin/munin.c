/* SPDX-License-Identifier: MIT */
/* munin - asks nodes of Munin for the values of their plugins.
 *
 * The protocol is that of "Data exchange between master and node" in Munin's
 * guide, and what munin-node 2.0.73 does.  The thread of run() serves all
 * nodes; read() reports how they do. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "node.h"
#include "plugins.h"
#include "settings.h"
#include "times.h"

struct munin {
	struct mc_blocks group_settings, node_settings;
	const char *state_file; /* NULL: the default. */

	struct mc_loop loop;
	struct node_shared shared;
	struct times times;
	struct node *nodes;
	size_t nodes_len;
	uint64_t published; /* Passes that 'counts' has. */

	pthread_mutex_t lock;
	struct node_counts counts MC_GUARDED_BY(lock); /* For read(). */
	unsigned up MC_GUARDED_BY(lock);
};

static const struct mc_option munin_options[] = {
	{ "Node", MC_OPT_BLOCKS(struct munin, node_settings), .block = &settings_node,
	  .help = "A node to ask." },
	{ "Group", MC_OPT_BLOCKS(struct munin, group_settings), .block = &settings_group,
	  .help = "Nodes that share a physical machine." },
	{ "StateFile", MC_OPT_STRING(struct munin, state_file),
	  .help = "File of what was fetched of spools, in BaseDir; by default "
		  "the name of the instance with \".state\"; empty: none.",
	  .sample = "munin.state" },
	{ 0 },
};

static void munin_check(struct mc_ctx *ctx)
{
	struct munin *munin = ctx->self;
	char key[512];

	settings_check(ctx, &munin->group_settings, &munin->node_settings);
	if (munin->state_file == NULL || munin->state_file[0] == '\0')
		return;
	mc_check_output(ctx, &munin->state_file);
	snprintf(key, sizeof(key), "state file %s", munin->state_file);
	mc_check_only(ctx, &munin->state_file, key);
}

/* --- Work ------------------------------------------------------------------
 */

static void publish(struct munin *munin)
{
	unsigned up = 0;

	for (size_t i = 0; i < munin->nodes_len; i++)
		up += munin->nodes[i].up;
	pthread_mutex_lock(&munin->lock);
	munin->counts = munin->shared.counts;
	munin->up = up;
	munin->published = munin->counts.passes;
	pthread_mutex_unlock(&munin->lock);
}

static void after_round(void *argument)
{
	struct munin *munin = argument;

	if (munin->shared.batch != NULL)
		mc_commit(munin->shared.batch);
	munin->shared.batch = NULL;
	if (munin->published != munin->shared.counts.passes)
		publish(munin);
}

static int munin_run(struct mc_ctx *ctx)
{
	struct munin *munin = ctx->self;
	int rc = mc_loop_run(&munin->loop);

	for (size_t i = 0; i < munin->nodes_len; i++)
		link_close(&munin->nodes[i].link);
	mc_spawner_free(munin->shared.spawner);
	munin->shared.spawner = NULL;
	for (size_t i = 0; i < munin->nodes_len; i++)
		link_forget_program(&munin->nodes[i].link);
	return rc;
}

/* --- Figures ---------------------------------------------------------------
 */

static void put_count(struct mc_batch *out, const char *what, uint64_t count)
{
	mc_put_derive(out, (int64_t)count, .type = "derive", .type_instance = what);
}

static int munin_read(struct mc_ctx *ctx, struct mc_batch *out)
{
	struct munin *munin = ctx->self;
	struct node_counts counts;
	unsigned up;

	pthread_mutex_lock(&munin->lock);
	counts = munin->counts;
	up = munin->up;
	pthread_mutex_unlock(&munin->lock);
	mc_put_gauge(out, up, .type = "gauge", .type_instance = "nodes_up");
	put_count(out, "values", counts.values);
	put_count(out, "requests", counts.requests);
	put_count(out, "passes", counts.passes);
	put_count(out, "passes_failed", counts.passes_failed);
	put_count(out, "late_plugins", counts.late);
	put_count(out, "bad_lines", counts.bad_lines);
	return 0;
}

/* --- Life ------------------------------------------------------------------
 */

static void make_groups(struct munin *munin)
{
	const struct group_settings *settings = munin->group_settings.items;
	struct node_shared *shared = &munin->shared;

	shared->groups = mc_alloc_array(munin->group_settings.len, sizeof(*shared->groups));
	shared->groups_len = munin->group_settings.len;
	for (size_t i = 0; i < shared->groups_len; i++)
		shared->groups[i] = (struct group){
			.name = settings[i].name,
			.concurrent = (unsigned)settings[i].concurrent,
		};
}

static bool has_commands(const struct munin *munin)
{
	for (size_t i = 0; i < munin->nodes_len; i++)
		if (munin->nodes[i].settings->command.len > 0)
			return true;
	return false;
}

static void start_times(struct munin *munin)
{
	struct times *times = &munin->times;
	struct mc_ctx *ctx = munin->shared.ctx;

	times->ctx = ctx;
	times->file.path = munin->state_file != NULL ? mc_alloc_copy(munin->state_file)
						     : mc_alloc_printf("%s.state", ctx->name);
	times->path = times->file.path;
	times->nodes = munin->nodes;
	times->nodes_len = munin->nodes_len;
	munin->shared.times = times;
	times_load(times);
}

static int munin_start(struct mc_ctx *ctx)
{
	struct munin *munin = ctx->self;
	const struct node_settings *settings = munin->node_settings.items;
	int rc;

	pthread_mutex_init(&munin->lock, NULL);
	munin->shared.ctx = munin->loop.ctx = ctx;
	munin->loop.after_round = after_round;
	munin->loop.argument = munin;
	rc = mc_loop_init(&munin->loop);
	if (rc != 0)
		return rc;
	munin->shared.room.loop = &munin->loop;
	mc_stream_client_room_init(&munin->shared.room);
	make_groups(munin);
	munin->nodes = mc_alloc_array(munin->node_settings.len, sizeof(*munin->nodes));
	for (; munin->nodes_len < munin->node_settings.len; munin->nodes_len++) {
		struct node *node = &munin->nodes[munin->nodes_len];

		node_init(node, &munin->shared, &settings[munin->nodes_len]);
		plugins_label_host(node);
	}
	start_times(munin);
	if (has_commands(munin))
		munin->shared.spawner = mc_spawner_new(&munin->loop, NULL);
	return 0;
}

static void munin_stop(struct mc_ctx *ctx)
{
	struct munin *munin = ctx->self;

	mc_commit_cancel(ctx);
	for (size_t i = 0; i < munin->nodes_len; i++) {
		spool_confirm(&munin->nodes[i]);
		node_done(&munin->nodes[i]);
	}
	if (munin->times.path != NULL)
		times_close(&munin->times);
	mc_spawner_free(munin->shared.spawner);
	free(munin->nodes);
	free(munin->shared.groups);
	mc_stream_room_done(&munin->shared.room);
	mc_loop_done(&munin->loop);
}

MC_PLUGIN(munin) = {
	MC_NAMED(munin),
	.help = "Asks nodes of Munin for the values of their plugins.",
	.self_size = sizeof(struct munin),
	.options = munin_options,
	.types = (const char *const[]){ "gauge", "derive", "counter", "absolute", NULL },
	.check = munin_check,
	.start = munin_start,
	.read = munin_read,
	.run = munin_run,
	.stop = munin_stop,
	.lenient = true,
};
