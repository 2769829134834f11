/* SPDX-License-Identifier: MIT */
#include "programs.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>

#include "formats/munin/munin.h"

#define OUTPUT_MAX ((size_t)16 << 20) /* Of one run of a <Program>. */

const char *const programs_formats[] = { "collectd", "nagios", "influx",  "json",
					 "munin",    "mrtg",   "metrics", NULL };

const int programs_format_munin = 4;

static const struct format *const formats[] = {
	&format_collectd, &format_nagios, &format_influx,  &format_json,
	&format_munin,    &format_mrtg,   &format_metrics,
};

unsigned programs_sources_max(int format)
{
	return formats[format]->sources_max > 0 ? formats[format]->sources_max : 1;
}

/* --- What programs do ----------------------------------------------------- */

static void take_line(void *argument, const struct mc_child_line *line)
{
	struct program *program = argument;

	if (line->fd == 2)
		mc_command_say(&program->command, NULL, line->text);
	else
		program->format->line(program, line);
}

static void take_end(void *argument, const struct mc_child_end *end)
{
	struct program *program = argument;
	const struct format *format = program->format;

	program->running = false;
	program->all->running -= program->limited;
	/* An error of the output as a whole is reported for this run, too. */
	if (format->end != NULL)
		format->end(program, end);
	mc_command_ended(&program->command, end, format->status_max);
}

/* --- Start and end -------------------------------------------------------- */

static struct program *add(struct programs *programs, const struct mc_command_words *words,
			   const char *const *env)
{
	struct program *program = &programs->items[programs->len++];
	struct mc_program *to_run = &program->command.program;

	program->all = programs;
	program->format = &format_collectd;
	mc_command_init(&program->command, programs->ctx, words, env);
	program->every.period = programs->ctx->interval;
	to_run->line = take_line;
	to_run->ended = take_end;
	to_run->argument = program;
	return program;
}

static bool is_given(const char **env, size_t len, const char *variable)
{
	size_t name = strcspn(variable, "=") + 1;

	for (size_t i = 0; i < len; i++)
		if (strncmp(env[i], variable, name) == 0)
			return true;
	return false;
}

/* Its own, those of its format, and those of all; the first counts. */
static const char **make_env(const struct mc_strings *own, const char *const *of_format,
			     const char *const *all)
{
	static const char *const none[] = { NULL };
	const char *const *const lists[] = { of_format != NULL ? of_format : none, all };
	size_t len = own->len, to = 0;
	const char **env;

	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; lists[i][j] != NULL; j++)
			len++;
	env = mc_alloc_array(len + 1, sizeof(*env));
	for (; to < own->len; to++)
		env[to] = own->items[to];
	for (size_t i = 0; i < 2; i++)
		for (size_t j = 0; lists[i][j] != NULL; j++)
			if (!is_given(env, to, lists[i][j]))
				env[to++] = lists[i][j];
	return env;
}

char *programs_series(const struct program_block *block, const char *host)
{
	const struct format *format = formats[block->format];
	char *name = mc_alloc_copy(block->name), *series = NULL;

	if (block->format == programs_format_munin)
		mc_munin_clean(name, false);
	if (format != &format_collectd)
		series =
			claims_series(block->host != NULL ? block->host : host,
				      block->plugin != NULL ? block->plugin : format->plugin, name);
	free(name);
	return series;
}

static void add_block(struct programs *programs, const struct program_block *block,
		      const char *const *all)
{
	const struct format *format = formats[block->format];
	const char **env = make_env(&block->env, format->env, all);
	struct program *program = add(programs, &block->words, env);
	struct mc_program *to_run = &program->command.program;

	program->env = env;
	program->command.name = block->name;
	program->format = format;
	program->keys = block->keys;
	program->limited = true;
	program->plugin = block->plugin != NULL ? block->plugin : format->plugin;
	program->host = block->host;
	program->instance = block->name;
	program->type = block->type;
	program->series = programs_series(block, programs->ctx->host);
	if (program->series != NULL)
		claims_take(&programs->claims, program->series, program);
	if (block->interval > 0)
		program->every.period = block->interval;
	to_run->time_max = block->timeout > 0 ? block->timeout : program->every.period;
	to_run->output_max = OUTPUT_MAX;
	to_run->line_max = format->line_max;
	to_run->never_root = !block->may_be_root;
}

void programs_init(struct programs *programs, struct mc_ctx *ctx, const struct mc_blocks *execs,
		   const struct mc_blocks *blocks, const char *const *env)
{
	const struct mc_command_words *words = execs->items;
	const struct program_block *block = blocks->items;

	programs->ctx = ctx;
	programs->items = mc_alloc_array(execs->len + blocks->len, sizeof(*programs->items));
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
		struct program *program = &programs->items[i];

		if (program->format->done != NULL)
			program->format->done(program);
		mc_command_done(&program->command);
		mc_quota_free(program->quota);
		free(program->env);
		free(program->series);
	}
	mc_plain_input_done(&programs->input);
	claims_done(&programs->claims);
	free(programs->items);
	programs->items = NULL;
}

/* --- When ----------------------------------------------------------------- */

/* One that runs for longer than its interval is started again when it ends. */
static bool may_start(const struct programs *programs, const struct program *program)
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
	if (program->format->begin != NULL)
		program->format->begin(program);
	if (!mc_command_start(&program->command, spawner, NULL))
		return;
	program->running = true;
	program->all->running += program->limited;
}

void programs_work(struct programs *programs, struct mc_spawner *spawner)
{
	mc_time now = mc_now();
	struct program *program;

	while ((program = next(programs)) != NULL && mc_every_due(&program->every, now)) {
		mc_every_done(&program->every, now);
		start(program, spawner);
	}
}
