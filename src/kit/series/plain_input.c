/* SPDX-License-Identifier: MIT */
#include "kit/series/plain_input.h"

#include <stdio.h>

#include <collector/control.h>
#include <collector/serve.h>
#include <collector/writer.h>

static const struct mc_type *find_type(void *argument, const char *name)
{
	const struct mc_plain_input *input = argument;

	return mc_type_find(input->ctx, name);
}

/* Nearly every line is of a series that exists: one look-up finds it and its
 * type, and the batch it is for keeps it alive. */
static const struct mc_type *find_series(void *argument, const char *name, size_t size)
{
	struct mc_plain_input *input = argument;

	input->series = mc_find_for(mc_plain_input_batch(input), name, size);
	return input->series != NULL ? mc_type(input->series) : NULL;
}

void mc_plain_input_init(struct mc_plain_input *input, struct mc_ctx *ctx)
{
	*input = (struct mc_plain_input){ .ctx = ctx };
	input->context = (struct mc_plain_context){
		.find = find_type,
		.known = find_series,
		.argument = input,
	};
}

void mc_plain_input_done(struct mc_plain_input *input)
{
	mc_plain_input_end(input);
	mc_buffer_free(&input->line);
}

void mc_plain_input_end(struct mc_plain_input *input)
{
	if (input->batch != NULL)
		mc_commit(input->batch);
	input->batch = NULL;
}

struct mc_batch *mc_plain_input_batch(struct mc_plain_input *input)
{
	if (input->batch == NULL) {
		input->batch = mc_begin(input->ctx);
		input->context.now = mc_wall();
	}
	return input->batch;
}

mc_time mc_plain_input_now(struct mc_plain_input *input)
{
	mc_plain_input_batch(input);
	return input->context.now;
}

/* A series that cannot be made is counted, and logged, by the core. */
static void put_values(struct mc_plain_input *input)
{
	struct mc_plain *plain = &input->plain;
	struct mc_batch *batch = mc_plain_input_batch(input);
	struct mc_series *series = input->series;

	if (!plain->known)
		series = mc_series_named(batch, &plain->name);
	while (mc_plain_next(plain)) {
		mc_put_at(batch, series, plain->stamp, plain->values, plain->type->sources_len);
		/* Two values of "N" are not of one and the same moment. */
		input->context.now++;
	}
}

/* "Unknown command: x" */
static const char *input_fault(struct mc_plain_input *input)
{
	snprintf(input->fault, sizeof(input->fault), "prints what is refused (%s)",
		 input->plain.error);
	return input->fault;
}

const char *mc_plain_input_line(struct mc_plain_input *input, const struct mc_child_line *line,
				mc_time interval)
{
	struct mc_plain *plain = &input->plain;
	size_t blanks = strspn(line->text, " \t\r");

	if (line->text[blanks] == '#' || blanks >= line->size)
		return NULL;
	if (!line->whole)
		return "prints a line without an end";
	mc_buffer_clear(&input->line);
	mc_buffer_add(&input->line, line->text, line->size);
	input->context.interval = interval;
	mc_plain_input_batch(input);
	if (!mc_plain_parse(plain, input->line.at, line->size, &input->context))
		return input_fault(input);
	switch (plain->verb) {
	case MC_PLAIN_PUTVAL:
		put_values(input);
		return NULL;
	case MC_PLAIN_PUTNOTIF:
		mc_notify(input->ctx, &plain->notification);
		return NULL;
	default:
		return "prints a command that is not for programs";
	}
}
