/* SPDX-License-Identifier: MIT */
#include "format.h"

#include <stdlib.h>

#include <collector/kit/number.h>
#include <collector/serve.h>
#include <collector/writer.h>

#include "programs.h"

static bool fill_signed(const struct format_number *from, int64_t *to)
{
	if (from->digits != NULL && mc_number_signed(from->digits, INT64_MIN, INT64_MAX, to))
		return true;
	if (!(fabs(from->number) < 0x1p63))
		return false;
	*to = (int64_t)from->number;
	return true;
}

static bool fill_unsigned(const struct format_number *from, uint64_t *to)
{
	if (from->digits != NULL && mc_number_unsigned(from->digits, 10, UINT64_MAX, to))
		return true;
	if (!(from->number >= 0 && from->number < 0x1p64))
		return false;
	*to = (uint64_t)from->number;
	return true;
}

static bool fill(enum mc_kind kind, const struct format_number *from, union mc_value *to)
{
	switch (kind) {
	case MC_GAUGE:
		to->gauge = from->number;
		return true;
	case MC_DERIVE:
		return fill_signed(from, &to->derive);
	case MC_COUNTER:
	case MC_ABSOLUTE:
		return fill_unsigned(from, &to->counter);
	}
	return false;
}

bool format_is_ahead(const struct program *program, mc_time time)
{
	return time > mc_plain_input_now(&program->all->input) + MC_AHEAD_MAX;
}

/* The quota is made when the program is known by its name. */
struct mc_batch *format_batch(struct program *program)
{
	struct programs *all = program->all;
	struct mc_batch *batch = mc_plain_input_batch(&all->input);

	if (program->quota == NULL)
		program->quota = mc_quota_new(all->ctx, MC_QUOTA_SOURCE, program->command.name,
					      &all->limits);
	mc_charge(batch, program->quota);
	return batch;
}

/* One with a name of its own is sent on beside its host. */
static void set_metric(struct mc_batch *batch, struct mc_series *series,
		       const struct mc_metric *metric)
{
	const struct mc_metric_label host = { .name = "host.name", .value = mc_host(series) };
	struct mc_metric whole = *metric;

	if (metric->name != NULL)
		whole.resource = (struct mc_metric_labels){ &host, 1 };
	mc_set_metric(batch, series, &whole);
}

bool format_put(struct program *program, const struct format_value *value)
{
	struct mc_plain_input *input = &program->all->input;
	const struct mc_id id = {
		.host = value->host != NULL ? value->host : program->host,
		.plugin = program->plugin,
		.plugin_instance = value->instance != NULL ? value->instance : program->instance,
		.type = program->type != NULL ? program->type : value->type,
		.type_instance = value->label,
	};
	const struct mc_type *type = mc_type_find(input->ctx, id.type);
	const struct mc_stamp stamp = {
		value->time != 0 ? value->time : mc_plain_input_now(input),
		value->interval != 0 ? value->interval : program->every.period,
	};
	struct mc_batch *batch = format_batch(program);
	const unsigned len = value->second != NULL ? 2 : 1;
	struct mc_series *series;
	union mc_value filled[2];

	if (type == NULL || type->sources_len != len ||
	    !fill(type->sources[0].kind, &value->number, &filled[0]) ||
	    (len == 2 && !fill(type->sources[1].kind, value->second, &filled[1])))
		return false;
	series = mc_series(batch, id);
	if (value->metadata != NULL)
		mc_set_metadata(batch, series, 0, value->metadata);
	if (value->metric != NULL && series != NULL)
		set_metric(batch, series, value->metric);
	mc_put_at(batch, series, stamp, filled, len);
	return true;
}

enum mc_kind format_kind(const struct program *program)
{
	const struct mc_type *type =
		program->type != NULL ? mc_type_find(program->all->ctx, program->type) : NULL;

	return type != NULL ? type->sources[0].kind : MC_GAUGE;
}

bool format_claim(struct program *program, const char *instance)
{
	struct programs *all = program->all;
	char *series = claims_series(program->host != NULL ? program->host : all->ctx->host,
				     program->plugin, instance);
	bool is_own = claims_take(&all->claims, series, program) == program;

	free(series);
	return is_own;
}

void format_unclaim(struct program *program)
{
	claims_release(&program->all->claims, program);
	claims_take(&program->all->claims, program->series, program);
}
