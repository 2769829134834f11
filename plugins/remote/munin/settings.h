/* SPDX-License-Identifier: MIT */
/* The options of the plugin, and what is wrong with them. */
#pragma once

#include <collector/plugin.h>
#include <collector/quota.h>

struct group_settings { /* <Group> */
	const char *name;
	int64_t concurrent;
};

struct node_settings {    /* <Node> */
	const char *name; /* "group;host" */
	const char *address, *port;
	struct mc_strings command;
	const char *user;
	bool use_node_name;
	struct mc_select *plugins;
	bool ignore_selected;
	mc_time interval, timeout;
	bool tls, verify_peer, verify_host;
	const char *ca, *certificate, *key;
	bool update;
	struct mc_strings config;
	struct mc_quota_limits limits;
};

extern const struct mc_block settings_group, settings_node;

/* In the check() of the plugin. */
void settings_check(struct mc_ctx *, const struct mc_blocks *groups, const struct mc_blocks *nodes);

#define SETTINGS_NAME_SIZE 256

/* The host of a node, "host" of "group;host" and of "host"; and its group,
 * which is what comes before the last ';', or else the domain of the host, or
 * the host itself, as in munin.conf(5).  The group points at 'name'. */
const char *settings_host(const char *name);
void settings_group_name(const char *name, char out[SETTINGS_NAME_SIZE]);
