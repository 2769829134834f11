/* SPDX-License-Identifier: MIT */
/* mcelog: errors of memory that mcelog(8) counts, by its client socket (collectd.conf(5), "Plugin
 * mcelog"). */
#include <collector/check.h>
#include <collector/kit/alloc.h>
#include <collector/kit/map.h>
#include <collector/plugin.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answer.h"
#include "kit/net/dialogue.h"

#define MODULES_MAX 4096

struct memory { /* The Memory block. */
	const char *socket;
	bool persistent;
};

struct mcelog {
	struct mc_blocks memories; /* struct memory; the last counts. */
	const char *log_file;
	struct mc_quota_limits limits;

	struct memory memory;
	struct answer_module module; /* That is being read. */
	struct mc_map known;         /* struct known */
	bool connected;              /* It has answered since it failed last. */
};

struct known { /* A module, as it was at the last answer. */
	struct mc_map_node node;
	struct answer_module module;
};

/* --- Values and notifications ---------------------------------------------------------- */

static void put_total(struct mc_batch *batch, const struct answer_module *module, const char *kind,
		      const struct answer_errors *errors)
{
	char name[ANSWER_NAME_SIZE + 64];

	if (errors->total >= 0)
		mc_put_derive(batch, errors->total, .plugin_instance = module->name,
			      .type = "errors", .type_instance = kind);
	snprintf(name, sizeof(name), "%s_in_%s", kind, errors->period);
	if (errors->recent >= 0)
		mc_put_derive(batch, errors->recent, .plugin_instance = module->name,
			      .type = "errors", .type_instance = name);
}

static void notify(struct mc_ctx *ctx, const struct answer_module *module, bool corrected)
{
	const struct answer_errors *errors = corrected ? &module->corrected : &module->uncorrected;
	char total[32], recent[32];
	const struct mc_field fields[] = {
		{ corrected ? "corrected memory errors" : "uncorrected memory errors", total },
		{ corrected ? "corrected memory timed errors" : "uncorrected memory timed errors",
		  recent },
	};
	const struct mc_notification notification = {
		.severity = corrected ? MC_WARNING : MC_FAILURE,
		.id = { .plugin = "mcelog",
			.plugin_instance = module->name,
			.type = "errors",
			.type_instance = corrected ? "corrected_memory_errors"
						   : "uncorrected_memory_errors" },
		.message = fields[0].name,
		.fields = fields,
		.fields_len = 2,
	};

	snprintf(total, sizeof(total), "%" PRId64, errors->total > 0 ? errors->total : 0);
	snprintf(recent, sizeof(recent), "%" PRId64, errors->recent > 0 ? errors->recent : 0);
	mc_notify(ctx, &notification);
}

static void notify_status(struct mc_ctx *ctx, enum mc_severity severity, const char *message)
{
	const struct mc_notification notification = {
		.severity = severity,
		.id = { .plugin = "mcelog", .type = "gauge", .type_instance = "mcelog_status" },
		.message = message,
	};

	mc_notify(ctx, &notification);
}

/* Whether there are errors, and others than before. */
static bool is_news(const struct mcelog *self, const struct answer_errors *errors,
		    const struct answer_errors *before)
{
	if (errors->total <= 0 && errors->recent <= 0)
		return false;
	return self->memory.persistent || before == NULL || errors->total != before->total ||
	       errors->recent != before->recent;
}

/* NULL: it is one too many. */
static struct known *find(struct mcelog *self, const char *name)
{
	struct known *known = (struct known *)mc_map_find(&self->known, name, strlen(name));

	if (known != NULL || self->known.len == MODULES_MAX)
		return known;
	known = mc_alloc_zero(sizeof(*known));
	answer_begin(&known->module);
	memcpy(known->module.name, name, strlen(name) + 1);
	known->node.key = known->module.name;
	known->node.key_size = strlen(name);
	mc_map_add(&self->known, &known->node);
	return known;
}

static void take_module(struct dialogue *dialogue)
{
	struct mcelog *self = dialogue_argument(dialogue);
	const struct answer_module *module = &self->module;
	struct known *known = find(self, module->name);
	struct mc_batch *batch = dialogue_batch(dialogue);

	if (known == NULL)
		return;
	put_total(batch, module, "corrected_memory_errors", &module->corrected);
	put_total(batch, module, "uncorrected_memory_errors", &module->uncorrected);
	if (is_news(self, &module->corrected, &known->module.corrected))
		notify(dialogue_ctx(dialogue), module, true);
	if (is_news(self, &module->uncorrected, &known->module.uncorrected))
		notify(dialogue_ctx(dialogue), module, false);
	known->module.corrected = module->corrected;
	known->module.uncorrected = module->uncorrected;
}

/* --- Conversation ---------------------------------------------------------------------- */

static void on_failed(struct dialogue *dialogue)
{
	struct mcelog *self = dialogue_argument(dialogue);

	if (self->connected)
		notify_status(dialogue_ctx(dialogue), MC_FAILURE,
			      "Connection to mcelog socket is broken.");
	self->connected = false;
}

static void ask(struct dialogue *dialogue)
{
	static const char question[] = "dump all bios\n";
	struct mcelog *self = dialogue_argument(dialogue);

	answer_begin(&self->module);
	dialogue_ask(dialogue, question, sizeof(question) - 1);
}

static void take_line(struct dialogue *dialogue, char *line, size_t size)
{
	struct mcelog *self = dialogue_argument(dialogue);
	enum answer_line what = answer_read(&self->module, line);

	(void)size;
	if (what == ANSWER_BAD) {
		dialogue_fail(dialogue, "its answer is not one of mcelog: '%.100s'", line);
		return;
	}
	if (what == ANSWER_PART)
		return;
	if (self->module.name[0] != '\0')
		take_module(dialogue);
	answer_begin(&self->module);
	if (what != ANSWER_DONE)
		return;
	dialogue_answered(dialogue);
	if (!self->connected)
		notify_status(dialogue_ctx(dialogue), MC_OKAY, "Connected to mcelog server");
	self->connected = true;
}

static const struct dialogue_kind kind = {
	.ask = ask,
	.line = take_line,
	.failed = on_failed,
	.answer_max = DIALOGUE_SIZE_MAX,
};

/* --- Life ------------------------------------------------------------------------------ */

static void mcelog_check(struct mc_ctx *ctx)
{
	const struct mcelog *self = ctx->self;
	const struct memory *memories = self->memories.items;

	for (size_t i = 0; i < self->memories.len; i++)
		dialogue_check(ctx, NULL, NULL, &memories[i].socket);
}

static int mcelog_run(struct mc_ctx *ctx)
{
	struct mcelog *self = ctx->self;
	const struct memory *memories = self->memories.items;
	struct mc_map_node *node, *next;
	struct dialogue_target target = {
		.kind = &kind,
		.limits = &self->limits,
		.argument = self,
	};
	int rc;

	self->memory = self->memories.len > 0
			       ? memories[self->memories.len - 1]
			       : (struct memory){ .socket = "/var/run/mcelog-client" };
	target.host = self->memory.socket;
	rc = dialogue_run(ctx, &target, 1);
	for (node = mc_map_next(&self->known, NULL); node != NULL; node = next) {
		next = mc_map_next(&self->known, node);
		mc_map_remove(&self->known, node);
		free(node);
	}
	mc_map_done(&self->known);
	return rc;
}

static const struct mc_option memory_options[] = {
	{ .name = "McelogClientSocket",
	  MC_OPT_STRING(struct memory, socket),
	  .default_value = "/var/run/mcelog-client",
	  .help = "Unix socket of mcelog's clients." },
	{ .name = "PersistentNotification",
	  MC_OPT_BOOL(struct memory, persistent),
	  .default_value = "false",
	  .help = "Notifies errors of memory at each interval, not only when there are others." },
	{ 0 },
};

static const struct mc_option options[] = {
	{ .name = "Memory",
	  MC_OPT_BLOCKS(struct mcelog, memories),
	  .block = &(const struct mc_block){ .size = sizeof(struct memory),
					     .options = memory_options },
	  .help = "How mcelog is asked." },
	{ .name = "McelogLogfile",
	  MC_OPT_STRING(struct mcelog, log_file),
	  .sample = "/var/log/mcelog",
	  .no_effect = true,
	  .help = "the log of mcelog is not read, nor does collectd read it" },
	MC_QUOTA_SOURCE_OPTIONS(struct mcelog, limits, "server", "10000", "1000"),
	{ 0 },
};

MC_PLUGIN(mcelog) = {
	MC_NAMED(mcelog),
	.help = "Reads the errors of memory that mcelog counts.",
	.self_size = sizeof(struct mcelog),
	.options = options,
	.types = (const char *const[]){ "errors", NULL },
	.check = mcelog_check,
	.run = mcelog_run,
	.lenient = true,
};
