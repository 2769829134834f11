/* SPDX-License-Identifier: MIT */
/* Names and types are those of collectd's plugin. */
#include "put.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/number.h>
#include <collector/serve.h>

#include "info.h"

#define LEN(array) (sizeof(array) / sizeof((array)[0]))

struct putting {
	struct node *node;
	struct mc_batch *batch;
};

/* A text of its own, so that its lines can be ended. */
static char *copy_of(const struct resp_reply *reply)
{
	char *text = mc_alloc(reply->size + 1);

	memcpy(text, reply->text, reply->size);
	text[reply->size] = '\0';
	return text;
}

static struct mc_series *series_of(const struct putting *to, const char *type,
				   const char *type_instance)
{
	return mc_series(to->batch, MC_ID(.plugin_instance = to->node->name, .type = type,
					  .type_instance = type_instance));
}

/* --- INFO -------------------------------------------------------------------- */

static const struct {
	const char *field, *type, *type_instance;
	bool is_total;
} fields[] = {
	{ "uptime_in_seconds", "uptime", NULL, false },
	{ "connected_clients", "current_connections", "clients", false },
	{ "blocked_clients", "blocked_clients", NULL, false },
	{ "used_memory", "memory", NULL, false },
	{ "used_memory_lua", "memory_lua", NULL, false },
	{ "changes_since_last_save", "volatile_changes", NULL, false }, /* Until Redis 2.6. */
	{ "rdb_changes_since_last_save", "volatile_changes", NULL, false },
	{ "total_connections_received", "total_connections", NULL, true },
	{ "total_commands_processed", "total_operations", NULL, true },
	{ "expired_keys", "expired_keys", NULL, true },
	{ "evicted_keys", "evicted_keys", NULL, true },
	{ "pubsub_channels", "pubsub", "channels", false },
	{ "pubsub_patterns", "pubsub", "patterns", false },
	{ "connected_slaves", "current_connections", "slaves", false },
	{ "total_net_input_bytes", "total_bytes", "input", true },
	{ "total_net_output_bytes", "total_bytes", "output", true },
	{ "keyspace_hits", "cache_result", "hits", true },
	{ "keyspace_misses", "cache_result", "misses", true },
};

/* Fields of which several make a value. */
enum {
	CPU_USER,
	CPU_SYSTEM,
	CHILDREN_USER,
	CHILDREN_SYSTEM,
	HITS,
	MISSES,
	KEPT,
};
static const char *const kept_names[KEPT] = {
	"used_cpu_user",         "used_cpu_sys",  "used_cpu_user_children",
	"used_cpu_sys_children", "keyspace_hits", "keyspace_misses",
};

static void put_field(const struct putting *to, const struct info_field *field, double kept[KEPT])
{
	double level;
	int64_t total;

	if (!info_number(field->value, &level, &total))
		return;
	for (size_t i = 0; i < KEPT; i++)
		if (strcmp(field->name, kept_names[i]) == 0)
			kept[i] = level;
	for (size_t i = 0; i < LEN(fields); i++) {
		struct mc_series *series;

		if (strcmp(field->name, fields[i].field) != 0)
			continue;
		series = series_of(to, fields[i].type, fields[i].type_instance);
		if (fields[i].is_total && total >= 0)
			mc_derive(to->batch, series, total);
		else if (!fields[i].is_total)
			mc_gauge(to->batch, series, level);
		return;
	}
}

/* "db0:keys=4,expires=0,avg_ttl=0" */
static bool put_database(const struct putting *to, const struct info_field *field)
{
	double level;
	int64_t total;

	if (strncmp(field->name, "db", 2) != 0 || field->name[2] == '\0' ||
	    strspn(field->name + 2, "0123456789") != strlen(field->name + 2) ||
	    !info_item(field->value, "keys", &level, &total))
		return false;
	mc_gauge(to->batch, series_of(to, "records", field->name + 2), level);
	return true;
}

static void put_cpu(const struct putting *to, const char *whose, double user, double system)
{
	union mc_value values[2];

	/* Seconds; up to 2^53 microseconds are exact. */
	if (!(user >= 0 && user < 1e9 && system >= 0 && system < 1e9))
		return;
	values[0].derive = (int64_t)(user * 1e6);
	values[1].derive = (int64_t)(system * 1e6);
	mc_put(to->batch, series_of(to, "ps_cputime", whose), values, 2);
}

/* Hits of the last interval in percent; unknown without any look-up. */
static void put_hit_ratio(const struct putting *to, double hits_now, double misses_now)
{
	struct node *node = to->node;
	int64_t hits, misses, old_hits = node->hits, old_misses = node->misses;
	double ratio = NAN;

	if (!(hits_now < 1e18 && misses_now < 1e18))
		return; /* One of them is not there. */
	node->hits = hits = (int64_t)hits_now;
	node->misses = misses = (int64_t)misses_now;
	if (old_hits != 0 && old_misses != 0 && hits >= old_hits && misses >= old_misses &&
	    hits + misses > old_hits + old_misses)
		ratio = 100.0 * (double)(hits - old_hits) /
			(double)(hits - old_hits + misses - old_misses);
	mc_gauge(to->batch, series_of(to, "percent", "hitratio"), ratio);
}

void put_info(struct dialogue *dialogue, const struct resp_reply *reply)
{
	const struct putting to = { dialogue_argument(dialogue), dialogue_batch(dialogue) };
	double kept[KEPT] = { NAN, NAN, NAN, NAN, NAN, NAN };
	char *text = copy_of(reply), *at = text;
	struct info_field field;

	while (info_next(&at, &field))
		if (!put_database(&to, &field))
			put_field(&to, &field, kept);
	put_hit_ratio(&to, kept[HITS], kept[MISSES]);
	if (to.node->report_cpu_usage) {
		put_cpu(&to, "daemon", kept[CPU_USER], kept[CPU_SYSTEM]);
		put_cpu(&to, "children", kept[CHILDREN_USER], kept[CHILDREN_SYSTEM]);
	}
	free(text);
}

/* "cmdstat_get:calls=21,usec=175,usec_per_call=8.33" */
void put_commands(struct dialogue *dialogue, const struct resp_reply *reply)
{
	static const char prefix[] = "cmdstat_";
	const struct putting to = { dialogue_argument(dialogue), dialogue_batch(dialogue) };
	char *text = copy_of(reply), *at = text;
	struct info_field field;
	double level;
	int64_t total;

	while (info_next(&at, &field)) {
		const char *command = field.name + sizeof(prefix) - 1;

		if (strncmp(field.name, prefix, sizeof(prefix) - 1) != 0 || *command == '\0')
			continue;
		if (info_item(field.value, "calls", &level, &total) && total >= 0)
			mc_derive(to.batch, series_of(&to, "commands", command), total);
		if (info_item(field.value, "usec", &level, &total) && total >= 0)
			mc_derive(to.batch, series_of(&to, "redis_command_cputime", command),
				  total);
	}
	free(text);
}

/* --- Queries ------------------------------------------------------------------ */

/* As collectd has it, with '_' for all but letters, digits and '-'. */
static void name_of(const struct node_query *query, char name[128])
{
	if (query->instance != NULL) {
		snprintf(name, 128, "%s", query->instance);
		return;
	}
	snprintf(name, 128, "%s", query->text);
	for (char *at = name; *at != '\0'; at++)
		if (!isalnum((unsigned char)*at) && *at != '-')
			*at = '_';
}

static bool value_of(const char *text, enum mc_kind kind, union mc_value *value)
{
	int64_t total;
	uint64_t count;

	if (kind == MC_GAUGE)
		return mc_number_double(text, &value->gauge);
	if (kind == MC_DERIVE) {
		if (!mc_number_signed(text, INT64_MIN, INT64_MAX, &total))
			return false;
		value->derive = total;
		return true;
	}
	if (!mc_number_unsigned(text, 10, UINT64_MAX, &count))
		return false;
	value->counter = count; /* Or absolute: they are of one kind. */
	return true;
}

bool put_query(struct dialogue *dialogue, const struct node_query *query,
	       const struct resp_reply *reply)
{
	const struct putting to = { dialogue_argument(dialogue), dialogue_batch(dialogue) };
	const struct mc_type *type = mc_type_find(dialogue_ctx(dialogue), query->type);
	char text[64], name[128];
	union mc_value value;

	if (reply->size >= sizeof(text) || type == NULL)
		return false;
	memcpy(text, reply->text, reply->size);
	text[reply->size] = '\0';
	if (!value_of(text, type->sources[0].kind, &value))
		return false;
	name_of(query, name);
	mc_put(to.batch, series_of(&to, query->type, name[0] != '\0' ? name : NULL), &value, 1);
	return true;
}
