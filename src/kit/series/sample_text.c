/* SPDX-License-Identifier: MIT */
#include "kit/series/sample_text.h"

#include <math.h>

#include <collector/print.h>

#include "kit/base/decimal.h"
#include "kit/series/value_list_of.h"

static void add_time(struct mc_buffer *out, mc_time time)
{
	char text[MC_PRINT_SIZE];

	mc_buffer_add(out, text, mc_print_i64(text, (time + MC_SECOND / 2) / MC_SECOND));
}

/* A line for each source; a value that is not known has none. */
static void add_graphite(struct mc_buffer *out, const struct mc_sample_text *options,
			 const struct mc_value_list *list)
{
	unsigned len = list->type->sources_len;
	char rate[MC_DECIMAL_SIZE];

	for (unsigned i = 0; i < len; i++) {
		const struct mc_source *source = &list->type->sources[i];
		bool rates = options->store_rates && source->kind != MC_GAUGE;
		double number = list->values[rates ? len + i : i].gauge;

		if ((rates || source->kind == MC_GAUGE) && isnan(number))
			continue;
		mc_graphite_path(out, &options->path, &list->id,
				 len > 1 || options->append_source ? source->name : NULL);
		mc_buffer_add(out, " ", 1);
		if (rates)
			mc_buffer_add(out, rate, mc_decimal_fixed(rate, number));
		else
			mc_value_list_number(out, list, i, false);
		mc_buffer_add(out, " ", 1);
		add_time(out, list->time);
		mc_buffer_add(out, "\r\n", 2);
	}
}

void mc_sample_text(struct mc_buffer *out, const struct mc_sample_text *options,
		    const struct mc_sample *sample)
{
	const struct mc_value_list list = mc_value_list_of(sample);

	switch (options->format) {
	case MC_SAMPLE_COMMAND:
		mc_value_list_putval(out, &list, false);
		break;
	case MC_SAMPLE_GRAPHITE:
		add_graphite(out, options, &list);
		break;
	default:
		mc_buffer_add(out, "[", 1);
		mc_value_list_json(out, &list, options->store_rates);
		mc_buffer_add(out, "]", 1);
		break;
	}
}
