/* SPDX-License-Identifier: MIT */
/* ovs_stats: counters of Open vSwitch's ports, by the protocol of its database (RFC 7047;
 * collectd.conf(5), "Plugin ovs_stats"). */
#include <collector/check.h>
#include <collector/kit/json.h>
#include <collector/plugin.h>

#include <stdio.h>
#include <string.h>

#include "answer.h"
#include "frame.h"
#include "kit/net/dialogue.h"

#define ANSWER_SIZE_MAX ((size_t)64 << 20) /* An interface has about one kilobyte. */

/* Open vSwitch writes its counters every five seconds, not more often (ovs-vswitchd.conf.db(5),
 * "stats-update-interval"): an answer counts as long, which is less than what it may be late. */
#define ANSWER_TIME (2500 * MC_MILLISECOND)

struct ovs_stats {
	const char *host, *port, *socket;
	struct mc_strings bridges;
	bool interfaces;
	struct mc_quota_limits limits;
	struct frame frame;
	struct answer last; /* The last rows; all zero: none. */
	mc_time last_time;  /* 0: none. */
};

/* --- Values ---------------------------------------------------------------------------- */

static void put_counters(struct mc_batch *batch, const char *name, const struct counters *counters)
{
	for (size_t i = 0; i < COUNTERS_SERIES; i++) {
		const struct counters_series *series = &counters_series[i];
		const int64_t *from = counters->values[i];
		unsigned len = series->names[1] != NULL ? 2 : 1;
		union mc_value values[2] = { { .derive = from[0] }, { .derive = from[1] } };

		if (from[0] < 0 || from[len - 1] < 0)
			continue;
		mc_put(batch,
		       mc_series(batch, MC_ID(.plugin_instance = name, .type = series->type,
					      .type_instance = series->type_instance)),
		       values, len);
	}
}

static void put_port(const struct ovs_stats *self, struct mc_batch *batch,
		     const struct answer *answer, const char *names[2],
		     const struct answer_row *port)
{
	struct counters sum;
	char name[512];

	counters_clear(&sum);
	for (size_t i = 0; i < port->uuids.len; i++) {
		const struct answer_row *interface =
			answer_find(answer, ANSWER_INTERFACES, port->uuids.items[i]);

		if (interface == NULL)
			continue;
		counters_add(&sum, interface->counters);
		if (!self->interfaces)
			continue;
		snprintf(name, sizeof(name), "%s.%s.%s", names[0], names[1], interface->name);
		put_counters(batch, name, interface->counters);
	}
	snprintf(name, sizeof(name), "%s.%s", names[0], names[1]);
	put_counters(batch, name, &sum);
}

static bool is_wanted(const struct ovs_stats *self, const char *bridge)
{
	for (size_t i = 0; i < self->bridges.len; i++)
		if (strcmp(self->bridges.items[i], bridge) == 0)
			return true;
	return self->bridges.len == 0;
}

static void put_rows(struct dialogue *dialogue, const struct answer *answer)
{
	const struct ovs_stats *self = dialogue_argument(dialogue);
	const struct answer_row *bridge = answer->rows[ANSWER_BRIDGES];

	for (; bridge != NULL; bridge = bridge->next) {
		for (size_t i = 0; is_wanted(self, bridge->name) && i < bridge->uuids.len; i++) {
			const struct answer_row *port =
				answer_find(answer, ANSWER_PORTS, bridge->uuids.items[i]);

			if (port != NULL)
				put_port(self, dialogue_batch(dialogue), answer,
					 (const char *[]){ bridge->name, port->name }, port);
		}
	}
}

/* --- Conversation ---------------------------------------------------------------------- */

static void forget_last(struct ovs_stats *self)
{
	answer_free(&self->last);
	self->last = (struct answer){ 0 };
	self->last_time = 0;
}

static void open_conversation(struct dialogue *dialogue)
{
	struct ovs_stats *self = dialogue_argument(dialogue);

	self->frame = (struct frame){ 0 };
}

static void on_failed(struct dialogue *dialogue)
{
	forget_last(dialogue_argument(dialogue));
}

static void ask(struct dialogue *dialogue)
{
	const struct ovs_stats *self = dialogue_argument(dialogue);

	if (self->last_time != 0 && mc_now() - self->last_time < ANSWER_TIME) {
		put_rows(dialogue, &self->last);
		dialogue_answered(dialogue);
		return;
	}
	dialogue_ask(dialogue, answer_question, strlen(answer_question));
}

/* Else the server ends the connection. */
static void echo(struct dialogue *dialogue, const char *id)
{
	struct mc_json *json = mc_json_new(false);
	const char *text;
	size_t size;

	mc_json_map(json, NULL);
	mc_json_text(json, "id", id);
	mc_json_null(json, "error");
	mc_json_list(json, "result");
	mc_json_list_end(json);
	mc_json_map_end(json);
	text = mc_json_bytes(json, &size);
	dialogue_ask(dialogue, text, size);
	mc_json_free(json);
}

/* False: the connection is closed. */
static bool take_message(struct dialogue *dialogue, const char *text, size_t size)
{
	struct ovs_stats *self = dialogue_argument(dialogue);
	struct answer answer;
	bool works = true;

	answer_read(&answer, text, size);
	switch (answer.kind) {
	case ANSWER_ROWS:
		put_rows(dialogue, &answer);
		dialogue_answered(dialogue);
		forget_last(self);
		self->last = answer;
		self->last_time = mc_now();
		return true;
	case ANSWER_ECHO:
		echo(dialogue, answer.id);
		break;
	case ANSWER_ERROR:
		dialogue_fail(dialogue, "it refuses: %s", answer.why);
		works = false;
		break;
	case ANSWER_BAD:
		dialogue_fail(dialogue, "its answer is not one of ovsdb-server");
		works = false;
		break;
	case ANSWER_OTHER:
		break;
	}
	answer_free(&answer);
	return works;
}

static size_t take(struct dialogue *dialogue, char *bytes, size_t size)
{
	struct ovs_stats *self = dialogue_argument(dialogue);
	size_t done = 0, one;

	while (done < size) {
		enum frame_state state = frame_look(&self->frame, bytes + done, size - done, &one);

		if (state == FRAME_BAD) {
			dialogue_fail(dialogue, "its answer is not one of ovsdb-server");
			return size;
		}
		if (state == FRAME_PART)
			break;
		if (!take_message(dialogue, bytes + done, one))
			return size;
		done += one;
	}
	return done;
}

static const struct dialogue_kind kind = {
	.opened = open_conversation,
	.ask = ask,
	.take = take,
	.failed = on_failed,
	.unasked = true,
	.answer_max = ANSWER_SIZE_MAX,
};

/* --- Life ------------------------------------------------------------------------------ */

static void ovs_stats_check(struct mc_ctx *ctx)
{
	const struct ovs_stats *self = ctx->self;

	dialogue_check(ctx, &self->host, &self->port, &self->socket);
}

static int ovs_stats_run(struct mc_ctx *ctx)
{
	struct ovs_stats *self = ctx->self;
	const struct dialogue_target target = {
		.kind = &kind,
		.host = self->socket != NULL ? self->socket : self->host,
		.port = self->socket != NULL ? NULL : self->port,
		.limits = &self->limits,
		.argument = self,
	};
	int rc = dialogue_run(ctx, &target, 1);

	forget_last(self);
	return rc;
}

static const struct mc_option options[] = {
	{ .name = "Address",
	  MC_OPT_STRING(struct ovs_stats, host),
	  .default_value = "localhost",
	  .help = "Name or address of the host of ovsdb-server." },
	{ .name = "Port",
	  MC_OPT_STRING(struct ovs_stats, port),
	  .default_value = "6640",
	  .help = "TCP port of it." },
	{ .name = "Socket",
	  MC_OPT_STRING(struct ovs_stats, socket),
	  .sample = "/run/openvswitch/db.sock",
	  .help = "Unix socket of it, which is asked instead." },
	{ .name = "Bridges",
	  MC_OPT_STRINGS(struct ovs_stats, bridges),
	  .sample = "br0",
	  .help = "Bridges whose ports are reported; by default all." },
	{ .name = "InterfaceStats",
	  MC_OPT_BOOL(struct ovs_stats, interfaces),
	  .default_value = "false",
	  .help = "Reports each interface of a port, too; a bond has several." },
	MC_QUOTA_SOURCE_OPTIONS(struct ovs_stats, limits, "server", "50000", "10000"),
	{ 0 },
};

MC_PLUGIN(ovs_stats) = {
	MC_NAMED(ovs_stats),
	.help = "Reads the counters of Open vSwitch's ports.",
	.self_size = sizeof(struct ovs_stats),
	.options = options,
	.types = (const char *const[]){ "if_collisions", "if_dropped", "if_errors", "if_octets",
					"if_packets", "if_rx_errors", "if_rx_octets",
					"if_tx_octets", NULL },
	.check = ovs_stats_check,
	.run = ovs_stats_run,
	.lenient = true,
};
