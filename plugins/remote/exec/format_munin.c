/* SPDX-License-Identifier: MIT */
/* Plugins of Munin: run with "config" once an hour, and when there is a field
 * that is not known, else without an argument.  Each field becomes a series
 * munin-SERVICE/TYPE-FIELD.  See formats/munin/munin_answers.h. */
#include "format.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/buffer.h>

#include "formats/munin/munin_answers.h"
#include "programs.h"

#define CONFIG_PERIOD (3600 * MC_SECOND)
enum { EXTRA_RUNS_MAX = 3 }; /* Fields that change each time have no end. */

struct munin_run {
	const char **argv; /* With "config" after it. */
	mc_time config_due;
	unsigned extra_runs; /* In a row, at once. */
	struct mc_munin_answers answers;
	struct mc_buffer line;
	const char *service; /* Of the value before this one; */
	bool is_own;         /* whether its series are this program's. */
	bool claims_anew;    /* With the next values: see put_all(). */
};

static struct munin_run *run_new(const struct program *program)
{
	struct munin_run *run = mc_alloc_zero(sizeof(*run));
	const char *const *argv = program->command.argv;
	size_t len = 0;

	while (argv[len] != NULL)
		len++;
	run->argv = mc_alloc_array(len + 2, sizeof(*run->argv));
	memcpy(run->argv, argv, len * sizeof(*argv));
	run->argv[len] = "config";
	run->answers.with_metadata = true;
	return run;
}

static void begin(struct program *program)
{
	struct munin_run *run = program->own;
	bool is_config;

	if (run == NULL)
		program->own = run = run_new(program);
	is_config = mc_now() >= run->config_due || run->answers.wants_config;
	mc_munin_answers_begin(&run->answers, program->instance, is_config);
	program->command.program.argv = is_config ? run->argv : program->command.argv;
}

static void take_line(struct program *program, const struct mc_child_line *line)
{
	struct munin_run *run = program->own;

	mc_buffer_clear(&run->line);
	mc_buffer_add(&run->line, line->text, line->size);
	if (!mc_munin_answers_line(&run->answers, run->line.at))
		mc_command_say(&program->command, "prints a line that cannot be used", line->text);
}

/* A plugin may print what are the series of another one. */
static bool is_own(struct program *program, const char *service)
{
	struct munin_run *run = program->own;

	if (run->service == NULL || strcmp(run->service, service) != 0) {
		run->service = service;
		run->is_own = format_claim(program, service);
	}
	return run->is_own;
}

/* The interval by update_rate; 0: the program's, which is not run more often. */
static mc_time rare_interval(const struct program *program)
{
	const struct munin_run *run = program->own;

	return run->answers.interval > program->every.period ? run->answers.interval : 0;
}

/* NULL, or why it cannot be put. */
static const char *put(struct program *program, const struct mc_munin_value *value)
{
	struct munin_run *run = program->own;
	struct mc_munin_field *field = value->field;
	struct format_value out = {
		.instance = field->service,
		.type = mc_munin_type_name(field->kind),
		.label = field->name,
		.number = { value->number, value->digits },
		.time = value->time,
		.interval = rare_interval(program),
		.metadata = field->metadata,
	};
	struct mc_metric_label labels[MC_MUNIN_LABELS_MAX];
	struct mc_metric metric = { .labels = { labels, 0 } };
	union mc_value filled;

	/* "config" is asked for its type, once: it may not know it.  An unknown value of a counter
	 * is left out. */
	if (!field->configured || (field->kind != MC_GAUGE && value->digits[0] == '\0'))
		return NULL;
	if (format_is_ahead(program, value->time))
		return FORMAT_AHEAD;
	if (!is_own(program, field->service))
		return "prints a value of a graph that is another program's";
	if (field->kind == MC_GAUGE && mc_munin_value_fill(value, &filled))
		out.number.number = filled.gauge;
	if (field->metadata != NULL) {
		metric.labels.len = mc_munin_labels(&run->answers, field, labels);
		out.metric = &metric;
	}
	if (!format_put(program, &out))
		return "prints a number that cannot be one of its type";
	mc_munin_answers_take(&run->answers, field, mc_now(),
			      out.interval != 0 ? out.interval : program->every.period);
	return NULL;
}

static void put_all(struct program *program)
{
	struct munin_run *run = program->own;

	/* With each "config" fields are forgotten, and so are graphs; but until its values come no
	 * other program gets them. */
	run->claims_anew |= run->answers.is_config;
	if (run->claims_anew && run->answers.values_len > 0) {
		format_unclaim(program);
		run->claims_anew = false;
	}
	run->service = NULL;
	for (size_t i = 0; i < run->answers.values_len; i++) {
		const struct mc_munin_value *value = &run->answers.values[i];
		const char *fault = put(program, value);

		if (fault != NULL)
			mc_command_say(&program->command, fault, value->field->name);
	}
}

/* With dirtyconfig "config" has brought values, too; else they are asked for at once. */
static void take_end(struct program *program, const struct mc_child_end *end)
{
	struct munin_run *run = program->own;
	struct mc_munin_answers *answers = &run->answers;

	if (!format_ended_well(end)) {
		run->extra_runs = 0;
		return;
	}
	mc_munin_answers_end(answers);
	if (answers->is_config)
		run->config_due = mc_now() + CONFIG_PERIOD;
	put_all(program);
	if ((answers->wants_config || (answers->is_config && answers->values_len == 0)) &&
	    run->extra_runs < EXTRA_RUNS_MAX) {
		run->extra_runs++;
		program->every.next = mc_now();
	} else {
		run->extra_runs = 0;
	}
	mc_munin_answers_forget(answers);
}

static void done(struct program *program)
{
	struct munin_run *run = program->own;

	if (run == NULL)
		return;
	mc_munin_answers_done(&run->answers);
	free(run->argv);
	mc_buffer_free(&run->line);
	free(run);
}

const struct format format_munin = {
	.plugin = "munin",
	.env = (const char *const[]){ "LC_ALL=C",
				      "LANG=C",
				      "PYTHONIOENCODING=utf8:replace",
				      "PATH=/usr/sbin:/usr/bin:/sbin:/bin",
				      "MUNIN_PREFIX=/usr",
				      "MUNIN_CONFDIR=/etc/munin",
				      "MUNIN_BINDIR=/usr/bin",
				      "MUNIN_SBINDIR=/usr/sbin",
				      "MUNIN_LIBDIR=/usr/share/munin",
				      "MUNIN_DBDIR=/var/lib/munin",
				      "MUNIN_LOGDIR=/var/log/munin",
				      "MUNIN_STATEDIR=/var/run/munin",
				      "MUNIN_SPOOLDIR=/var/lib/munin-async",
				      "MUNIN_USER=munin",
				      "MUNIN_GROUP=munin",
				      "MUNIN_PLUGINUSER=nobody",
				      "MUNIN_DEBUG=0",
				      "MUNIN_MASTER_IP=",
				      "MUNIN_CAP_MULTIGRAPH=1",
				      "MUNIN_CAP_DIRTYCONFIG=1",
				      NULL },
	.begin = begin,
	.line = take_line,
	.end = take_end,
	.done = done,
};
