/* SPDX-License-Identifier: MIT */
#include "programs.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/serve.h>

#define OUTPUT_MAX ((size_t)16 << 20) /* Of one run of a <Program>. */
#define STATUS_UNKNOWN 3

/* --- Values of check plugins ---------------------------------------------- */

static bool fill(const struct mc_type *type, double number,
		 union mc_value *value)
{
	switch (type->sources[0].kind) {
	case MC_GAUGE:
		value->gauge = number;
		return true;
	case MC_DERIVE:
		value->derive = (int64_t)(fabs(number) < 0x1p63 ? number : 0);
		return fabs(number) < 0x1p63;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		value->counter =
			(uint64_t)(number >= 0 && number < 0x1p64 ? number : 0);
		return number >= 0 && number < 0x1p64;
	}
	return false;
}

static bool put_item(struct program *program, const struct nagios_item *item)
{
	struct mc_plain_input *input = &program->all->input;
	const struct mc_id id = {
		.plugin = program->plugin,
		.plugin_instance = program->instance,
		.type = program->type != NULL ? program->type : item->type,
		.type_instance =
			strcmp(item->label, "/") == 0 ? "root" : item->label,
	};
	const struct mc_type *type = mc_type_find(input->ctx, id.type);
	const struct mc_stamp stamp = { input->context.now,
					program->every.period };
	struct mc_batch *batch = mc_plain_input_batch(input);
	union mc_value value;

	if (type == NULL || type->sources_len != 1 ||
	    !fill(type, item->value, &value))
		return false;
	mc_put_at(batch, mc_series(batch, id), stamp, &value, 1);
	return true;
}

static void take_check_line(struct program *program, const char *line)
{
	const char *data = nagios_line(&program->output, line);
	struct nagios_item item;
	enum nagios_found found;

	while (data != NULL &&
	       (found = nagios_next(&data, &item)) != NAGIOS_END)
		if (found == NAGIOS_BAD ||
		    (found == NAGIOS_ITEM && !put_item(program, &item)))
			mc_command_say(&program->command,
				       "prints data that cannot be used", line);
}

/* A check that could not be made does not know. */
static int status_of(const struct mc_child_end *end)
{
	if (end->errnum != 0 || end->signal != 0 || end->timed_out ||
	    end->flooded || end->status > STATUS_UNKNOWN)
		return STATUS_UNKNOWN;
	return end->status;
}

/* That all is well is told only after something else. */
static void tell_status(struct program *program, int status)
{
	static const enum mc_severity severities[] = { MC_OKAY, MC_WARNING,
						       MC_FAILURE, MC_FAILURE };
	const char *text = program->output.text;
	bool changed = status != program->status;

	program->status = status;
	if (changed)
		mc_notify(
			program->all->ctx,
			&(struct mc_notification){
				.severity = severities[status],
				.id = { .plugin = program->plugin,
					.plugin_instance = program->instance },
				.message = text[0] != '\0'
						   ? text
						   : "no text was printed" });
}

/* --- What programs do ----------------------------------------------------- */

static void take_line(void *argument, const struct mc_child_line *line)
{
	struct program *program = argument;
	const char *fault;

	if (line->fd == 2) {
		mc_command_say(&program->command, NULL, line->text);
	} else if (program->format == PROGRAM_NAGIOS) {
		take_check_line(program, line->text);
	} else {
		fault = mc_plain_input_line(&program->all->input, line,
					    program->every.period);
		if (fault != NULL)
			mc_command_say(&program->command, fault, line->text);
	}
}

static void take_end(void *argument, const struct mc_child_end *end)
{
	struct program *program = argument;
	bool checks = program->format == PROGRAM_NAGIOS;

	program->running = false;
	program->all->running -= program->limited;
	mc_command_ended(&program->command, end, checks ? STATUS_UNKNOWN : 0);
	if (checks)
		tell_status(program, status_of(end));
}

/* --- Start and end -------------------------------------------------------- */

static struct program *add(struct programs *programs,
			   const struct mc_command_words *words,
			   const char *const *env)
{
	struct program *program = &programs->items[programs->len++];
	struct mc_program *to_run = &program->command.program;

	program->all = programs;
	mc_command_init(&program->command, programs->ctx, words, env);
	program->every.period = programs->ctx->interval;
	to_run->line = take_line;
	to_run->ended = take_end;
	to_run->argument = program;
	return program;
}

/* What all have, and then its own; what comes first counts. */
static const char **make_env(const char *const *all,
			     const struct mc_strings *own)
{
	size_t len = 0;
	const char **env;

	while (all[len] != NULL)
		len++;
	env = mc_alloc_array(len + own->len + 1, sizeof(*env));
	for (size_t i = 0; i < own->len; i++)
		env[i] = own->items[i];
	for (size_t i = 0, to = own->len; i < len; i++) {
		size_t name = strcspn(all[i], "=") + 1;
		bool given = false;

		for (size_t j = 0; j < own->len; j++)
			given |= strncmp(all[i], own->items[j], name) == 0;
		if (!given)
			env[to++] = all[i];
	}
	return env;
}

static void add_block(struct programs *programs,
		      const struct program_block *block, const char *const *all)
{
	const char **env =
		block->env.len > 0 ? make_env(all, &block->env) : NULL;
	struct program *program =
		add(programs, &block->words, env != NULL ? env : all);
	struct mc_program *to_run = &program->command.program;

	program->env = env;
	program->command.name = block->name;
	program->format = (enum program_format)block->format;
	program->limited = true;
	program->plugin = block->plugin;
	program->instance = block->name;
	program->type = block->type;
	if (block->interval > 0)
		program->every.period = block->interval;
	to_run->time_max =
		block->timeout > 0 ? block->timeout : program->every.period;
	to_run->output_max = OUTPUT_MAX;
}

void programs_init(struct programs *programs, struct mc_ctx *ctx,
		   const struct mc_blocks *execs,
		   const struct mc_blocks *blocks, const char *const *env)
{
	const struct mc_command_words *words = execs->items;
	const struct program_block *block = blocks->items;

	programs->ctx = ctx;
	programs->items = mc_alloc_array(execs->len + blocks->len,
					 sizeof(*programs->items));
	mc_plain_input_init(&programs->input, ctx);
	for (size_t i = 0; i < execs->len; i++)
		add(programs, &words[i], env);
	for (size_t i = 0; i < blocks->len; i++)
		add_block(programs, &block[i], env);
}

void programs_done(struct programs *programs)
{
	if (programs->items == NULL)
		return;
	for (size_t i = 0; i < programs->len; i++) {
		mc_command_done(&programs->items[i].command);
		free(programs->items[i].env);
	}
	mc_plain_input_done(&programs->input);
	free(programs->items);
	programs->items = NULL;
}

/* --- When ----------------------------------------------------------------- */

/* One that runs for longer than its interval is started again when it ends. */
static bool may_start(const struct programs *programs,
		      const struct program *program)
{
	return !program->running &&
	       (!program->limited || programs->running < programs->running_max);
}

/* The one that has been due for the longest, or will be first. */
static struct program *next(const struct programs *programs)
{
	struct program *found = NULL;

	for (size_t i = 0; i < programs->len; i++) {
		struct program *program = &programs->items[i];

		if (may_start(programs, program) &&
		    (found == NULL || program->every.next < found->every.next))
			found = program;
	}
	return found;
}

mc_time programs_due(const struct programs *programs)
{
	const struct program *program = next(programs);

	return program != NULL ? program->every.next : INT64_MAX;
}

static void start(struct program *program, struct mc_spawner *spawner)
{
	program->output = (struct nagios_output){ 0 };
	if (!mc_command_start(&program->command, spawner, NULL))
		return;
	program->running = true;
	program->all->running += program->limited;
}

void programs_work(struct programs *programs, struct mc_spawner *spawner)
{
	mc_time now = mc_now();
	struct program *program;

	while ((program = next(programs)) != NULL &&
	       mc_every_due(&program->every, now)) {
		mc_every_done(&program->every, now);
		start(program, spawner);
	}
}
