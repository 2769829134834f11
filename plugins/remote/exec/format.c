/* SPDX-License-Identifier: MIT */
#include "format.h"

#include <collector/kit/number.h>
#include <collector/serve.h>

#include "programs.h"

static bool fill_signed(const struct format_value *from, int64_t *to)
{
	if (from->digits != NULL &&
	    mc_number_signed(from->digits, INT64_MIN, INT64_MAX, to))
		return true;
	if (!(fabs(from->number) < 0x1p63))
		return false;
	*to = (int64_t)from->number;
	return true;
}

static bool fill_unsigned(const struct format_value *from, uint64_t *to)
{
	if (from->digits != NULL &&
	    mc_number_unsigned(from->digits, 10, UINT64_MAX, to))
		return true;
	if (!(from->number >= 0 && from->number < 0x1p64))
		return false;
	*to = (uint64_t)from->number;
	return true;
}

static bool fill(const struct mc_type *type, const struct format_value *from,
		 union mc_value *to)
{
	switch (type->sources[0].kind) {
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

bool format_put(struct program *program, const struct format_value *value)
{
	struct mc_plain_input *input = &program->all->input;
	const struct mc_id id = {
		.host = value->host,
		.plugin = program->plugin,
		.plugin_instance = value->instance != NULL ? value->instance
							   : program->instance,
		.type = program->type != NULL ? program->type : value->type,
		.type_instance = value->label,
	};
	const struct mc_type *type = mc_type_find(input->ctx, id.type);
	const struct mc_stamp stamp = {
		value->time != 0 ? value->time : input->context.now,
		value->interval != 0 ? value->interval : program->every.period,
	};
	struct mc_batch *batch = mc_plain_input_batch(input);
	union mc_value filled;

	if (type == NULL || type->sources_len != 1 ||
	    !fill(type, value, &filled))
		return false;
	mc_put_at(batch, mc_series(batch, id), stamp, &filled, 1);
	return true;
}
