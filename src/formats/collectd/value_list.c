/* SPDX-License-Identifier: MIT */
#include "formats/collectd/value_list.h"

#include <math.h>
#include <string.h>

#include <collector/print.h>

#include "kit/base/decimal.h"

static const char *const kinds[] = {
	[MC_GAUGE] = "gauge",
	[MC_COUNTER] = "counter",
	[MC_DERIVE] = "derive",
	[MC_ABSOLUTE] = "absolute",
};

static void add(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

static void add_seconds(struct mc_buffer *out, mc_time time)
{
	char text[MC_DECIMAL_SIZE];

	mc_buffer_add(out, text, mc_decimal_seconds(text, time));
}

/* --- Values -------------------------------------------------------------- */

static bool is_double(const struct mc_value_list *list, unsigned source, bool rates)
{
	return rates || list->type->sources[source].kind == MC_GAUGE;
}

/* The rate of a gauge is the gauge. */
static double number_of(const struct mc_value_list *list, unsigned source, bool rates)
{
	return list->values[source + (rates ? list->type->sources_len : 0)].gauge;
}

void mc_value_list_number(struct mc_buffer *out, const struct mc_value_list *list, unsigned source,
			  bool rates)
{
	union mc_value value = list->values[source];
	char text[MC_DECIMAL_SIZE];
	size_t size;

	if (is_double(list, source, rates))
		size = mc_decimal_short(text, number_of(list, source, rates));
	else if (list->type->sources[source].kind == MC_DERIVE)
		size = mc_print_i64(text, value.derive);
	else
		size = mc_print_u64(text, value.counter);
	mc_buffer_add(out, text, size);
}

/* --- JSON ---------------------------------------------------------------- */

/* In quotes. */
static void add_text(struct mc_buffer *out, const char *text)
{
	char *to;

	mc_buffer_reserve(out, out->size + 2 * strlen(text) + 3);
	to = out->at + out->size;
	*to++ = '"';
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			*to++ = '\\';
		*to++ = *text >= ' ' && *text <= '~' ? *text : '?';
	}
	*to++ = '"';
	*to = '\0';
	out->size = (size_t)(to - out->at);
}

static void add_part(struct mc_buffer *out, const char *key, const char *text)
{
	add(out, key);
	add_text(out, text != NULL ? text : "");
}

static void add_values(struct mc_buffer *out, const struct mc_value_list *list, bool rates)
{
	for (unsigned i = 0; i < list->type->sources_len; i++) {
		if (i > 0)
			add(out, ",");
		if (is_double(list, i, rates) && !isfinite(number_of(list, i, rates)))
			add(out, "null");
		else
			mc_value_list_number(out, list, i, rates);
	}
}

/* A list of texts: of each source its kind, or its name. */
static void add_sources(struct mc_buffer *out, const struct mc_type *type, bool are_kinds)
{
	for (unsigned i = 0; i < type->sources_len; i++) {
		const struct mc_source *source = &type->sources[i];

		if (i > 0)
			add(out, ",");
		add_text(out, are_kinds ? kinds[source->kind] : source->name);
	}
}

void mc_value_list_json_values(struct mc_buffer *out, const struct mc_value_list *list, bool rates)
{
	add(out, "{\"values\":[");
	add_values(out, list, rates);
}

void mc_value_list_json_sources(struct mc_buffer *out, const struct mc_value_list *list)
{
	add(out, "],\"dstypes\":[");
	add_sources(out, list->type, true);
	add(out, "],\"dsnames\":[");
	add_sources(out, list->type, false);
	add(out, "],\"time\":");
}

void mc_value_list_json_rest(struct mc_buffer *out, const struct mc_value_list *list)
{
	add(out, ",\"interval\":");
	add_seconds(out, list->interval);
	add_part(out, ",\"host\":", list->id.host);
	add_part(out, ",\"plugin\":", list->id.plugin);
	add_part(out, ",\"plugin_instance\":", list->id.plugin_instance);
	add_part(out, ",\"type\":", list->type->name);
	add_part(out, ",\"type_instance\":", list->id.type_instance);
	add(out, "}");
}

void mc_value_list_json(struct mc_buffer *out, const struct mc_value_list *list, bool rates)
{
	mc_value_list_json_values(out, list, rates);
	mc_value_list_json_sources(out, list);
	add_seconds(out, list->time);
	mc_value_list_json_rest(out, list);
}

/* --- PUTVAL -------------------------------------------------------------- */

/* In quotes where the command needs them. */
static void add_name(struct mc_buffer *out, const char *name)
{
	if (strpbrk(name, " \t\"\\") == NULL) {
		add(out, name);
		return;
	}
	add(out, "\"");
	for (; *name != '\0'; name++) {
		if (*name == '"' || *name == '\\')
			add(out, "\\");
		mc_buffer_add(out, name, 1);
	}
	add(out, "\"");
}

void mc_value_list_putval_head(struct mc_buffer *out, const struct mc_value_list *list)
{
	add(out, "PUTVAL ");
	add_name(out, list->name);
	add(out, " interval=");
	add_seconds(out, list->interval);
	add(out, " ");
}

void mc_value_list_putval(struct mc_buffer *out, const struct mc_value_list *list, bool rates)
{
	mc_value_list_putval_head(out, list);
	add_seconds(out, list->time);
	for (unsigned i = 0; i < list->type->sources_len; i++) {
		add(out, ":");
		mc_value_list_number(out, list, i, rates);
	}
}
