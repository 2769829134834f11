/* SPDX-License-Identifier: MIT */
#include "plugins.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/label.h>
#include <collector/serve.h>

#define CONFIG_PERIOD (3600 * MC_SECOND)
enum { PLUGINS_MAX = 1024, NAME_MAX_SIZE = 200, SERVICES_MAX = 4096 };

/* --- The list ------------------------------------------------------------ */

static struct node_plugin *find(const struct node *node, const char *name)
{
	for (size_t i = 0; i < node->plugins_len; i++)
		if (strcmp(node->plugins[i]->name, name) == 0)
			return node->plugins[i];
	return NULL;
}

static void free_plugin(struct node_plugin *plugin)
{
	mc_munin_answers_done(&plugin->answers);
	free(plugin->name);
	free(plugin);
}

/* --- Services ------------------------------------------------------------ */

struct owner { /* Of a service; key is its name. */
	struct mc_map_node node;
	struct node_plugin *plugin;
	char service[];
};

/* NULL: of all plugins. */
static void disown(struct node *node, const struct node_plugin *plugin)
{
	struct mc_map_node *one = mc_map_next(&node->owners, NULL);

	while (one != NULL) {
		struct owner *owner = (struct owner *)one;

		one = mc_map_next(&node->owners, one);
		if (plugin != NULL && owner->plugin != plugin)
			continue;
		mc_map_remove(&node->owners, &owner->node);
		owner->plugin->services_len--;
		free(owner);
	}
}

/* Whether the service is that plugin's: it is the first that has it. */
static bool owns(struct node *node, struct node_plugin *plugin, const char *service)
{
	size_t size = strlen(service);
	struct owner *owner = (struct owner *)mc_map_find(&node->owners, service, size);

	if (owner != NULL)
		return owner->plugin == plugin;
	/* Most of them are no more. */
	if (plugin->services_len == SERVICES_MAX)
		disown(node, plugin);
	plugin->services_len++;
	owner = mc_alloc_zero(sizeof(*owner) + size + 1);
	memcpy(owner->service, service, size);
	owner->node.key = owner->service;
	owner->node.key_size = size;
	owner->plugin = plugin;
	mc_map_add(&node->owners, &owner->node);
	return true;
}

/* --- The list, taken ----------------------------------------------------- */

static void list_plugin(struct node *node, const char *name)
{
	struct node_plugin *plugin = find(node, name);

	if (plugin == NULL) {
		if (node->plugins_len == PLUGINS_MAX || strlen(name) > NAME_MAX_SIZE)
			return;
		node->plugins = mc_alloc_resize(node->plugins, node->plugins_len + 1,
						sizeof(struct node_plugin *));
		plugin = mc_alloc_zero(sizeof(*plugin));
		plugin->name = mc_alloc_copy(name);
		plugin->answers.with_metadata = true;
		plugin->answers.overrides = node->overrides.items;
		plugin->answers.overrides_len = node->overrides.len;
		node->plugins[node->plugins_len++] = plugin;
	}
	plugin->listed = true;
}

void plugins_take_list(struct node *node, char *line)
{
	size_t kept = 0;
	char *name;

	for (size_t i = 0; i < node->plugins_len; i++)
		node->plugins[i]->listed = false;
	while ((name = strsep(&line, " \t\r")) != NULL)
		if (*name != '\0' &&
		    mc_selected(node->settings->plugins, node->settings->ignore_selected, name))
			list_plugin(node, name);
	for (size_t i = 0; i < node->plugins_len; i++) {
		if (node->plugins[i]->listed) {
			node->plugins[kept++] = node->plugins[i];
		} else {
			disown(node, node->plugins[i]);
			free_plugin(node->plugins[i]);
		}
	}
	node->plugins_len = kept;
}

void plugins_free(struct node *node)
{
	disown(node, NULL);
	for (size_t i = 0; i < node->plugins_len; i++)
		free_plugin(node->plugins[i]);
	mc_map_done(&node->owners);
	free(node->plugins);
	free(node->requests);
	node->plugins = NULL;
	node->requests = NULL;
	node->plugins_len = node->requests_len = node->requests_room = 0;
}

/* --- Requests ------------------------------------------------------------ */

void plugins_add_request(struct node *node, struct node_plugin *plugin, bool is_config)
{
	MC_ARRAY_GROW(node->requests, node->requests_len, node->requests_room);
	node->requests[node->requests_len++] = (struct node_request){ plugin, is_config };
	plugin->config_asked |= is_config;
}

/* A plugin whose values are rarer than passes is not asked in each. */
static bool is_due(const struct node *node, const struct node_plugin *plugin, mc_time now)
{
	return now >= plugin->next - node->settings->interval / 2;
}

static void add_requests(struct node *node, mc_time now, bool late)
{
	for (size_t i = 0; i < node->plugins_len; i++) {
		struct node_plugin *plugin = node->plugins[i];

		if (plugin->late != late || !is_due(node, plugin, now))
			continue;
		plugins_add_request(node, plugin,
				    now >= plugin->config_due || plugin->answers.wants_config);
	}
}

void plugins_make_requests(struct node *node, mc_time now)
{
	node->requests_len = node->sent = node->answered = 0;
	for (size_t i = 0; i < node->plugins_len; i++)
		node->plugins[i]->config_asked = false;
	add_requests(node, now, false);
	add_requests(node, now, true);
}

/* --- Values -------------------------------------------------------------- */

static struct mc_batch *batch_of(struct node_shared *shared)
{
	if (shared->batch == NULL)
		shared->batch = mc_begin(shared->ctx);
	return shared->batch;
}

static void describe(struct mc_batch *batch, struct mc_series *series,
		     const struct mc_munin_answers *answers, const struct mc_munin_field *field)
{
	struct mc_metric_label labels[MC_MUNIN_LABELS_MAX];
	const size_t len = mc_munin_labels(answers, field, labels);

	mc_set_metadata(batch, series, 0, field->metadata);
	mc_set_metric(batch, series, &(struct mc_metric){ .labels = { labels, len } });
}

bool plugins_put_value(struct node *node, struct mc_batch *batch, struct mc_munin_answers *answers,
		       const struct mc_munin_value *value, struct plugins_stamp stamp)
{
	struct mc_munin_field *field = value->field;
	struct mc_stamp out = {
		stamp.time != 0 ? stamp.time : mc_wall(),
		stamp.interval != 0 ? stamp.interval : node->settings->interval,
	};
	struct mc_series *series;
	union mc_value filled;

	if (!field->configured || (field->kind != MC_GAUGE && value->digits[0] == '\0'))
		return true;
	if (out.time > mc_wall() + MC_AHEAD_MAX || !mc_munin_value_fill(value, &filled))
		return false;
	if (stamp.aligned && stamp.interval > 0)
		out.time -= out.time % stamp.interval;
	mc_charge(batch, node->quota);
	series = mc_series(batch, MC_ID(node->host, "munin", field->service,
					mc_munin_type_name(field->kind), field->name));
	if (series == NULL)
		return true; /* It is counted, and logged, by the core. */
	if (field->metadata != NULL)
		describe(batch, series, answers, field);
	mc_munin_answers_take(answers, field, mc_now(), out.interval);
	mc_put_at(batch, series, out, &filled, 1);
	node->shared->counts.values++;
	return true;
}

const char *plugins_put(struct node *node, struct node_plugin *plugin)
{
	struct mc_munin_answers *answers = &plugin->answers;
	struct mc_batch *batch = answers->values_len > 0 ? batch_of(node->shared) : NULL;
	mc_time now = mc_wall();
	/* It is asked no more often than its node. */
	bool is_rare = answers->interval > node->settings->interval;
	const char *service = "", *others = NULL;
	bool is_own = false;

	for (size_t i = 0; i < answers->values_len; i++) {
		const struct mc_munin_value *value = &answers->values[i];
		struct plugins_stamp stamp = {
			.time = value->time != 0 ? value->time : now,
			.interval = is_rare ? answers->interval : 0,
		};

		if (answers->aligned)
			stamp.time -= stamp.time % answers->interval;
		if (strcmp(service, value->field->service) != 0) {
			service = value->field->service;
			is_own = owns(node, plugin, service);
		}
		if (!is_own)
			others = service;
		else if (!plugins_put_value(node, batch, answers, value, stamp))
			node->shared->counts.bad_lines++;
	}
	if (answers->is_config)
		plugin->config_due = mc_now() + CONFIG_PERIOD;
	if (answers->values_len > 0 && is_rare)
		plugin->next = mc_now() + answers->interval;
	return others;
}

/* --- The host ------------------------------------------------------------ */

void plugins_label_host(const struct node *node)
{
	mc_label(node->shared->ctx, node->host, &(struct mc_field){ "group", node->group_name }, 1);
}
