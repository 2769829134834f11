/* SPDX-License-Identifier: MIT */
/* munin - asks nodes of Munin for the values of their plugins.
 *
 * The protocol is that of "Data exchange between master and node" in Munin's
 * guide, and what munin-node 2.0.73 does.  The thread of run() serves all
 * nodes; read() reports how they do. */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/lock.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/serve.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <unistd.h>

#include "node.h"
#include "plugins.h"
#include "settings.h"
#include "times.h"

enum { EVENTS_MAX = 256 };
/* How often it is looked whether a name has been found. */
static const mc_time lookup_pause = 100 * MC_MILLISECOND;

struct munin {
	struct mc_blocks group_settings, node_settings;
	const char *state_file; /* NULL: the default. */

	struct node_shared shared;
	struct times times;
	struct node *nodes;
	size_t nodes_len;
	int epoll;
	uint64_t published;         /* Passes that 'counts' has. */
	struct mc_spawner *spawner; /* NULL: no node has a Command. */

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

static mc_time next_due(const struct munin *munin)
{
	mc_time due = INT64_MAX;

	for (size_t i = 0; i < munin->nodes_len; i++) {
		const struct node *node = &munin->nodes[i];
		mc_time one = node_due(node);

		if (node->link.state == LINK_LOOKUP)
			one = mc_now() + lookup_pause;
		if (one < due)
			due = one;
	}
	if (munin->spawner != NULL && mc_spawner_due(munin->spawner) < due)
		due = mc_spawner_due(munin->spawner);
	return due;
}

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

static void work_events(struct munin *munin)
{
	struct epoll_event events[EVENTS_MAX];
	int len = epoll_wait(munin->epoll, events, EVENTS_MAX, 0);
	mc_time now = mc_now();

	for (int i = 0; i < len; i++)
		node_work(events[i].data.ptr, now);
}

/* Those whose time has come, and those that have no descriptor of ours. */
static void work_due(struct munin *munin)
{
	mc_time now = mc_now();

	if (munin->spawner != NULL)
		mc_spawner_work(munin->spawner);
	for (size_t i = 0; i < munin->nodes_len; i++) {
		struct node *node = &munin->nodes[i];

		if (node->settings->command.len > 0 || node->link.state == LINK_LOOKUP ||
		    now >= node_due(node))
			node_work(node, now);
	}
}

static int munin_run(struct mc_ctx *ctx)
{
	struct munin *munin = ctx->self;
	struct pollfd fds[] = {
		{ .fd = munin->epoll, .events = POLLIN },
		{ .fd = munin->spawner != NULL ? mc_spawner_fd(munin->spawner) : -1,
		  .events = POLLIN },
	};
	int rc;

	while ((rc = mc_wait(ctx, fds, 2, next_due(munin))) >= 0) {
		if (fds[0].revents != 0)
			work_events(munin);
		work_due(munin);
		if (munin->shared.batch != NULL)
			mc_commit(munin->shared.batch);
		munin->shared.batch = NULL;
		if (munin->published != munin->shared.counts.passes)
			publish(munin);
	}
	for (size_t i = 0; i < munin->nodes_len; i++)
		link_close(&munin->nodes[i].link);
	mc_spawner_free(munin->spawner);
	munin->spawner = NULL;
	for (size_t i = 0; i < munin->nodes_len; i++)
		link_forget_program(&munin->nodes[i].link);
	return rc == -ECANCELED ? 0 : mc_fail(ctx, -rc, "cannot wait");
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
	int rc = 0;

	pthread_mutex_init(&munin->lock, NULL);
	munin->shared.ctx = ctx;
	munin->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (munin->epoll < 0)
		return mc_fail(ctx, errno, "cannot make an epoll descriptor");
	make_groups(munin);
	munin->nodes = mc_alloc_array(munin->node_settings.len, sizeof(*munin->nodes));
	for (; munin->nodes_len < munin->node_settings.len; munin->nodes_len++) {
		struct node *node = &munin->nodes[munin->nodes_len];

		node_init(node, &munin->shared, &settings[munin->nodes_len]);
		node->link.epoll = munin->epoll;
		node->link.spawner = &munin->spawner;
		plugins_label_host(node);
	}
	start_times(munin);
	if (has_commands(munin))
		rc = mc_spawner_new(NULL, &munin->spawner);
	return rc < 0 ? mc_fail(ctx, -rc, "cannot run programs") : 0;
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
	mc_spawner_free(munin->spawner);
	free(munin->nodes);
	free(munin->shared.groups);
	if (munin->epoll > 0)
		close(munin->epoll);
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
