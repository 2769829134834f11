/* SPDX-License-Identifier: MIT */
#include "settings.h"

#include <stdio.h>
#include <string.h>

#include <collector/kit/command.h>

#include "kit/net/certificate.h"
#include "overrides.h"

static const struct mc_option group_options[] = {
	{ "", MC_OPT_STRING(struct group_settings, name), .required = true, .sample = "example.org",
	  .help = "Group of nodes, as it stands in their names." },
	{ "Concurrent", MC_OPT_INT(struct group_settings, concurrent), .default_value = "2",
	  .min = 1, .max = 10000,
	  .help = "How many nodes of the group may run plugins at once: those "
		  "of one physical machine." },
	{ 0 },
};

static const struct mc_option node_options[] = {
	{ "", MC_OPT_STRING(struct node_settings, name), .required = true,
	  .sample = "example.org;host.example.org",
	  .help = "Name of the host, after its groups: \"group;host\"." },
	{ "Address", MC_OPT_STRING(struct node_settings, address), .sample = "192.0.2.1",
	  .help = "Name or address of the node; by default the host." },
	{ "Port", MC_OPT_STRING(struct node_settings, port), .default_value = "4949",
	  .help = "Port of the node." },
	{ "Command", MC_OPT_STRINGS(struct node_settings, command),
	  .help = "Program and arguments that speak with the node, instead of "
		  "a connection: \"ssh\" \"-T\" \"host\"." },
	{ "User", MC_OPT_STRING(struct node_settings, user),
	  .help = "User, and group after a colon, that Command runs as." },
	{ "UseNodeName", MC_OPT_BOOL(struct node_settings, use_node_name), .default_value = "true",
	  .help = "Asks for the plugins of the name that the node calls "
		  "itself, instead of the host's." },
	{ "Plugin", MC_OPT_SELECT(struct node_settings, plugins),
	  .help = "Name of a plugin to ask, or /expression/; by default "
		  "all." },
	{ "IgnoreSelected", MC_OPT_BOOL(struct node_settings, ignore_selected),
	  .default_value = "false", .help = "Asks all plugins but those of Plugin." },
	{ "Interval", MC_OPT_TIME(struct node_settings, interval), .default_value = "300", .min = 1,
	  .max = 86400, .help = "Seconds between two passes." },
	{ "Timeout", MC_OPT_TIME(struct node_settings, timeout), .default_value = "10", .min = 0.1,
	  .max = 3600, .help = "Seconds that a plugin may take, and the node to answer." },
	{ "TLS", MC_OPT_BOOL(struct node_settings, tls), .default_value = "false",
	  .help = "Speaks TLS with the node; without it no value is taken." },
	{ "CACert", MC_OPT_STRING(struct node_settings, ca),
	  .help = "File of certificates of authorities; by default those of "
		  "the system." },
	{ "TLSCertificate", MC_OPT_STRING(struct node_settings, certificate),
	  .help = "File of the certificate that is shown to the node." },
	{ "TLSKey", MC_OPT_STRING(struct node_settings, key),
	  .help = "File of its key.  A node without a key needs ours." },
	{ "VerifyPeer", MC_OPT_BOOL(struct node_settings, verify_peer), .default_value = "true",
	  .help = "The node must have a certificate of an authority." },
	{ "VerifyHost", MC_OPT_BOOL(struct node_settings, verify_host), .default_value = "true",
	  .help = "Its certificate must be for the host." },
	{ "Update", MC_OPT_BOOL(struct node_settings, update), .default_value = "true",
	  .help = "Asks the node; false for a host of totals, which has none." },
	{ "Config", MC_OPT_STRINGS(struct node_settings, config), .sample = "load.load.warning",
	  .help = "A line of \"config\" that counts instead of that of a plugin: SERVICE.KEY or "
		  "SERVICE.FIELD.KEY, and a text; repeatable.  Limits of a service are those of "
		  "its fields without any." },
	MC_QUOTA_SOURCE_OPTIONS(struct node_settings, limits, "node", "20000", "2000"),
	{ 0 },
};

const struct mc_block settings_group = {
	.size = sizeof(struct group_settings),
	.options = group_options,
};

const struct mc_block settings_node = {
	.size = sizeof(struct node_settings),
	.options = node_options,
};

const char *settings_host(const char *name)
{
	const char *last = strrchr(name, ';');

	return last != NULL ? last + 1 : name;
}

void settings_group_name(const char *name, char out[SETTINGS_NAME_SIZE])
{
	const char *host = settings_host(name);
	const char *dot = strchr(host, '.');

	if (host != name)
		snprintf(out, SETTINGS_NAME_SIZE, "%.*s", (int)(host - name - 1), name);
	else
		snprintf(out, SETTINGS_NAME_SIZE, "%s",
			 dot != NULL && dot[1] != '\0' ? dot + 1 : host);
}

static void check_config(struct mc_ctx *ctx, const struct mc_strings *config)
{
	size_t at;
	const char *fault = overrides_fault(config, &at);

	if (fault != NULL)
		mc_check_error(ctx, &config->items[at], "%s", fault);
}

static void check_node(struct mc_ctx *ctx, const struct node_settings *node)
{
	const char *host = settings_host(node->name);

	if (host[0] == '\0' || strlen(node->name) >= SETTINGS_NAME_SIZE)
		mc_check_error(ctx, &node->name, "has no host, or is too long");
	if (node->command.len > 0 && node->address != NULL)
		mc_check_error(ctx, &node->address, "is of no use beside Command");
	if (node->command.len > 0 && node->tls)
		mc_check_error(ctx, &node->tls, "is of no use with Command");
	check_config(ctx, &node->config);
	if (node->command.len == 0 && node->update)
		mc_check_address(ctx, node->address != NULL ? &node->address : &host, &node->port);
	if (node->user != NULL)
		mc_command_check_user(ctx, &node->user, true);
	if ((node->certificate == NULL) != (node->key == NULL))
		mc_check_error(ctx, node->key != NULL ? &node->key : &node->certificate,
			       "is of no use without the other of "
			       "TLSCertificate and TLSKey");
	mc_check_key_pair(ctx, &node->certificate, &node->key);
	mc_check_certificates(ctx, &node->ca);
	if (node->user != NULL && node->command.len == 0)
		mc_check_warn(ctx, &node->user, "has no effect without Command");
	if (node->ca != NULL && !node->tls)
		mc_check_warn(ctx, &node->ca, "has no effect without TLS true");
	if (node->certificate != NULL && !node->tls)
		mc_check_warn(ctx, &node->certificate, "has no effect without TLS true");
	if (node->plugins == NULL && node->ignore_selected)
		mc_check_warn(ctx, &node->ignore_selected, "has no effect without Plugin");
}

/* Whether a node takes its turns in that group. */
static bool is_used(const struct group_settings *group, const struct mc_blocks *nodes)
{
	const struct node_settings *node = nodes->items;
	size_t size = strlen(group->name);
	char name[SETTINGS_NAME_SIZE];

	for (size_t i = 0; i < nodes->len; i++) {
		settings_group_name(node[i].name, name);
		if (strncmp(name, group->name, size) == 0 &&
		    (name[size] == '\0' || name[size] == ';'))
			return true;
	}
	return false;
}

void settings_check(struct mc_ctx *ctx, const struct mc_blocks *groups,
		    const struct mc_blocks *nodes)
{
	const struct group_settings *group = groups->items;
	const struct node_settings *node = nodes->items;

	for (size_t i = 0; i < groups->len; i++) {
		for (size_t j = 0; j < i; j++)
			if (strcmp(group[i].name, group[j].name) == 0)
				mc_check_error(ctx, &group[i].name, "is given twice");
		if (!is_used(&group[i], nodes))
			mc_check_warn(ctx, &group[i].name, "is the group of no Node");
	}
	for (size_t i = 0; i < nodes->len; i++) {
		char key[SETTINGS_NAME_SIZE + 32];

		check_node(ctx, &node[i]);
		/* Two nodes of one host would share its series. */
		snprintf(key, sizeof(key), "munin host %s", settings_host(node[i].name));
		mc_check_only(ctx, &node[i].name, key);
	}
}
