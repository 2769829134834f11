/* SPDX-License-Identifier: MIT */
/* A node: its requests, and its answers.
 *
 * A pass asks every plugin once.  Several requests are under way on one connection, and are
 * answered in their order.  A plugin that is late costs the connection, which is made again, and is
 * asked last in the passes that follow, so that it costs nothing but its own values.
 *
 *   IDLE --- the time has come ---> GREETING --> (STARTTLS) --> LIST
 *    ^ |                                                         |
 *    | +------------ connected still -------------+              |
 *    |                                            v              v
 *    +------ all is answered ------ ASKING <-- WAITING for the group
 *
 * Of a node with a spool that is fetched instead: LIST --> SPOOL --> IDLE.
 *
 * The thread of run(). */
#pragma once

#include <collector/kit/once.h>
#include <collector/kit/wait.h>
#include <collector/plugin.h>
#include <collector/quota.h>

#include "formats/munin/munin_answers.h"
#include "group.h"
#include "link.h"
#include "overrides.h"
#include "spool.h"

enum node_state {
	NODE_IDLE,
	NODE_GREETING, /* Connects, and reads banners. */
	NODE_STARTTLS, /* Has asked for TLS. */
	NODE_LIST,     /* Has asked what it can do, and for plugins. */
	NODE_WAITING,  /* For its turn in the group. */
	NODE_ASKING,
	NODE_SPOOL, /* Has asked for what the spool of the node has. */
};

struct node_plugin {
	char *name;
	struct mc_munin_answers answers;
	mc_time config_due; /* Monotonic. */
	mc_time next;       /* It is not asked before. */
	bool listed, late;
	bool config_asked;   /* In this pass. */
	size_t services_len; /* That it owns. */
	struct mc_once trouble;
};

struct node_request {
	struct node_plugin *plugin;
	bool is_config;
};

struct node_counts { /* Since the start, of all nodes. */
	uint64_t values, passes, passes_failed, late, bad_lines, requests;
};

struct node_shared { /* Shared by all nodes. */
	struct mc_ctx *ctx;
	struct mc_stream_room room;
	struct mc_spawner *spawner; /* NULL: no node has a Command. */
	struct mc_batch *batch;     /* Of this round; NULL: none yet. */
	struct node_counts counts;
	struct group *groups;
	size_t groups_len;
	struct times *times;
};

struct node {
	struct group_member member; /* The first. */
	struct node_shared *shared;
	const struct node_settings *settings;
	struct overrides overrides;
	struct mc_quota *quota;
	const char *host;
	char group_name[SETTINGS_NAME_SIZE];
	struct group *group;
	struct link link;
	struct mc_every pass;
	struct mc_loop_timer pass_timer;

	enum node_state state;
	bool under_way;                    /* A pass is. */
	bool reused;                       /* The connection is that of the pass before. */
	struct mc_loop_timer answer_timer; /* Of the answer that is waited for. */
	unsigned failures;                 /* In a row, of this pass. */
	bool up;                           /* The last pass was not in vain. */
	struct mc_once trouble;
	char own_name[SETTINGS_NAME_SIZE];
	unsigned lines; /* Of banners, or of what it can do. */
	mc_time list_due;

	struct node_plugin **plugins;
	size_t plugins_len;
	struct mc_map owners;          /* Which plugin has which service. */
	struct node_request *requests; /* Of the pass. */
	size_t requests_len, requests_room, sent, answered;
	size_t answer_size; /* Of the answer that comes. */
	bool answer_bad;    /* It is not to be used; */
	bool answer_odd;    /* a line of it cannot be. */
	struct spool spool;
};

/* It is asked from then on, in the room's loop. */
void node_init(struct node *, struct node_shared *, const struct node_settings *);
void node_done(struct node *);
