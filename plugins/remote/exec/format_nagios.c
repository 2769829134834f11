/* SPDX-License-Identifier: MIT */
/* Check plugins of Nagios: performance data become values, a changed status a notification, and a
 * bad one stands among the alerts. */
#include "format.h"

#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/private/alerts.h>
#include <collector/serve.h>

#include "formats/perfdata/perfdata.h"
#include "programs.h"

#define STATUS_UNKNOWN 3
#define RUNS 5 /* The state ends after the time of this number without a run. */

struct check {
	struct mc_check_output output; /* Of the run of now. */
	struct mc_buffer data;         /* Its performance data, each of a line with '\0'. */
	int status;                    /* Of the last. */
};

static void begin(struct program *program)
{
	struct check *check = program->own;

	if (check == NULL)
		program->own = check = mc_alloc_zero(sizeof(*check));
	check->output = (struct mc_check_output){ 0 };
	mc_buffer_clear(&check->data);
}

/* The name of the check plugin. */
static const char *command_of(const struct program *program)
{
	const char *path = program->command.argv[0], *slash = strrchr(path, '/');

	return slash != NULL ? slash + 1 : path;
}

static bool put_item(struct program *program, const struct mc_perfdata_item *item,
		     enum mc_severity state)
{
	const char *label = item->label;
	char unit[MC_METADATA_LABEL_SIZE];
	struct mc_metadata metadata = mc_perfdata_describe(item, false, unit);
	double value = item->value * item->factor;
	const struct mc_metric_label labels[] = {
		{ .name = "label", .value = label },
		{ .name = "service", .value = program->instance },
		{ .name = "check_command", .value = command_of(program) },
	};
	const struct mc_metric metric = { .labels = { labels, sizeof(labels) / sizeof(*labels) } };
	/* Limits are of values, and of a counter the rates would be judged. */
	bool is_gauge = format_kind(program) == MC_GAUGE;

	if (mc_perfdata_contradicts(&metadata, value, state))
		mc_perfdata_unlimit(&metadata);
	return format_put(program,
			  &(struct format_value){ .type = item->type,
						  .label = strcmp(label, "/") == 0 ? "root" : label,
						  .number.number = value,
						  .metadata = is_gauge ? &metadata : NULL,
						  .metric = &metric });
}

/* The state, by which limits are taken or not, comes after the lines. */
static void take_line(struct program *program, const struct mc_child_line *line)
{
	struct check *check = program->own;
	const char *text = mc_check_output_line(&check->output, line->text);

	if (text != NULL)
		mc_buffer_add(&check->data, text, strlen(text) + 1);
}

static void put_items(struct program *program, const char *text, enum mc_severity state)
{
	struct mc_perfdata data;
	struct mc_perfdata_item item;
	enum mc_perfdata_found found;

	mc_perfdata_open(&data, text);
	while ((found = mc_perfdata_next(&data, &item)) != MC_PERFDATA_END)
		if (found != MC_PERFDATA_UNKNOWN &&
		    (found != MC_PERFDATA_ITEM || !put_item(program, &item, state)))
			mc_command_say(&program->command, "prints data that cannot be used", text);
}

static void put_all(struct program *program, enum mc_severity state)
{
	const struct mc_buffer *data = &((const struct check *)program->own)->data;

	for (size_t at = 0; at < data->size; at += strlen(data->at + at) + 1)
		put_items(program, data->at + at, state);
}

/* A check that could not be made does not know. */
static int status_of(const struct mc_child_end *end)
{
	if (end->errnum != 0 || end->signal != 0 || end->timed_out || end->flooded ||
	    end->status > STATUS_UNKNOWN)
		return STATUS_UNKNOWN;
	return end->status;
}

/* With each run: a state is kept over restarts. */
static void stand(const struct program *program, enum mc_severity severity, const char *text)
{
	struct mc_ctx *ctx = program->all->ctx;
	const char *host = program->host != NULL ? program->host : ctx->host;

	mc_stand(ctx, &(struct mc_standing){
			      .id = { .host = host,
				      .plugin = program->plugin,
				      .plugin_instance = program->instance,
				      .type = "check_state" },
			      .severity = severity,
			      .reason = text,
			      .lasting = RUNS * program->every.period,
			      .quiet = true,
		      });
}

/* OKAY is reported only after another state. */
static void take_end(struct program *program, const struct mc_child_end *end)
{
	static const enum mc_severity severities[] = { MC_OKAY, MC_WARNING, MC_FAILURE,
						       MC_FAILURE };
	struct check *check = program->own;
	const char *text =
		check->output.text[0] != '\0' ? check->output.text : "no text was printed";
	int status = status_of(end);
	bool changed = status != check->status;

	check->status = status;
	put_all(program, severities[status]);
	if (changed)
		mc_notify(program->all->ctx,
			  &(struct mc_notification){ .severity = severities[status],
						     .id = { .plugin = program->plugin,
							     .plugin_instance = program->instance },
						     .message = text });
	stand(program, severities[status], text);
}

static void done(struct program *program)
{
	struct check *check = program->own;

	if (check != NULL)
		mc_buffer_free(&check->data);
	free(check);
}

const struct format format_nagios = {
	.plugin = "exec",
	.status_max = STATUS_UNKNOWN,
	.begin = begin,
	.line = take_line,
	.end = take_end,
	.done = done,
};
