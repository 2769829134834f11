/* SPDX-License-Identifier: MIT */
#include "texts.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/print.h>

#include "kit/base/decimal.h"
#include "kit/series/value_list_of.h"

struct texts { /* Text before and after the values or the time. */
	mc_time interval;
	size_t head_size, tail_size;
	char bytes[];
};

static void add(struct mc_buffer *out, const char *text)
{
	mc_buffer_add(out, text, strlen(text));
}

/* InfluxDB and KairosDB have no value that is not known. */
static bool is_known(const struct mc_sample *sample, unsigned source, bool rates)
{
	if (rates)
		return isfinite(mc_rate(sample, source));
	return mc_type(sample->series)->sources[source].kind != MC_GAUGE ||
	       isfinite(sample->values[source].gauge);
}

/* --- Lines of InfluxDB ----------------------------------------------------- */

/* Of a measurement, or of the value of a tag: a line break cannot be escaped. */
static void add_escaped(struct mc_buffer *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == ',' || *text == '=' || *text == ' ')
			add(out, "\\");
		mc_buffer_add(out, iscntrl((unsigned char)*text) ? "?" : text, 1);
	}
}

static void add_tag(struct mc_buffer *out, const char *key, const char *value)
{
	if (*value == '\0')
		return;
	add(out, key);
	add_escaped(out, value);
	if (value[strlen(value) - 1] == '\\') /* It would escape what comes next. */
		out->at[out->size - 1] = '?';
}

static void add_line_head(struct mc_buffer *out, const struct mc_value_list *list)
{
	add_escaped(out, list->id.plugin);
	add_tag(out, ",host=", list->id.host);
	add_tag(out, ",instance=", list->id.plugin_instance);
	add_tag(out, ",type=", list->type->name);
	add_tag(out, ",type_instance=", list->id.type_instance);
	add(out, " ");
}

/* Writes a number to 'out', which has room for MC_DECIMAL_SIZE bytes; returns its size. */
static size_t print_number(char *out, const struct mc_sample *sample, unsigned source, bool rates)
{
	enum mc_kind kind = mc_type(sample->series)->sources[source].kind;
	union mc_value value = sample->values[source];

	if (rates)
		return mc_decimal_short(out, mc_rate(sample, source));
	if (kind == MC_GAUGE)
		return mc_decimal_short(out, value.gauge);
	return kind == MC_DERIVE ? mc_print_i64(out, value.derive)
				 : mc_print_u64(out, value.counter);
}

/* A field has one kind in all of a measurement, and a plugin may have counters and gauges: all are
 * numbers without a letter.  This is for each value: it asks for room once. */
static void add_line(struct mc_buffer *out, const struct texts *texts,
		     const struct mc_sample *sample, bool rates)
{
	const struct mc_type *type = mc_type(sample->series);
	size_t size = texts->head_size + MC_PRINT_SIZE + 2;
	char *to, *fields;

	for (unsigned i = 0; i < type->sources_len; i++)
		size += strlen(type->sources[i].name) + 2 + MC_DECIMAL_SIZE;
	mc_buffer_reserve(out, out->size + size + 1);
	to = out->at + out->size;
	memcpy(to, texts->bytes, texts->head_size);
	fields = to += texts->head_size;
	for (unsigned i = 0; i < type->sources_len; i++) {
		size_t length = strlen(type->sources[i].name);

		if (!is_known(sample, i, rates))
			continue;
		if (to > fields)
			*to++ = ',';
		memcpy(to, type->sources[i].name, length);
		to += length;
		*to++ = '=';
		to += print_number(to, sample, i, rates);
	}
	if (to == fields)
		return;
	*to++ = ' ';
	to += mc_print_i64(to, sample->time);
	*to++ = '\n';
	*to = '\0';
	out->size = (size_t)(to - out->at);
}

/* --- KairosDB --------------------------------------------------------------- */

/* Tags of KairosDB have few characters; collectd leaves the others out. */
static void add_clean(struct mc_buffer *out, const char *text)
{
	for (; *text != '\0'; text++)
		if ((*text & 0x80) == 0 &&
		    (isalnum((unsigned char)*text) || strchr("._-/", *text) != NULL))
			mc_buffer_add(out, text, 1);
}

static void add_inner(struct mc_buffer *out, const char *text)
{
	for (; *text != '\0'; text++) {
		if (*text == '"' || *text == '\\')
			add(out, "\\");
		mc_buffer_add(out, iscntrl((unsigned char)*text) ? "?" : text, 1);
	}
}

static void add_quoted(struct mc_buffer *out, const char *text)
{
	add(out, "\"");
	add_inner(out, text);
	add(out, "\"");
}

static void add_kairosdb_tags(struct mc_buffer *out, const struct texts_options *options,
			      const struct mc_value_list *list)
{
	char number[MC_PRINT_SIZE];

	if (options->ttl > 0) {
		add(out, ", \"ttl\": ");
		mc_buffer_add(out, number, mc_print_i64(number, options->ttl));
	}
	add(out, ", \"tags\":{\"host\": ");
	add_quoted(out, list->id.host);
	for (size_t i = 0; i + 1 < options->attributes.len; i += 2) {
		add(out, ", ");
		add_quoted(out, options->attributes.items[i]);
		add(out, ": ");
		add_quoted(out, options->attributes.items[i + 1]);
	}
	if (*list->id.plugin_instance != '\0') {
		add(out, ",\"plugin_instance\": \"");
		add_clean(out, list->id.plugin_instance);
		add(out, "\"");
	}
	add(out, ",\"type\": \"");
	add(out, list->type->name);
	add(out, "\"");
	if (*list->id.type_instance != '\0') {
		add(out, ",\"type_instance\": \"");
		add_clean(out, list->id.type_instance);
		add(out, "\"");
	}
}

static int64_t milliseconds(mc_time time)
{
	return (time + MC_MILLISECOND / 2) / MC_MILLISECOND;
}

/* A metric for each source that is known. */
static void add_kairosdb(struct mc_buffer *out, const struct texts_options *options,
			 const struct texts *texts, const struct mc_sample *sample)
{
	const struct mc_value_list list = mc_value_list_of(sample);
	unsigned len = list.type->sources_len;
	char time[MC_PRINT_SIZE];

	for (unsigned i = 0; i < len; i++) {
		if (!is_known(sample, i, options->store_rates))
			continue;
		add(out, out->size == 0 ? "[" : ",");
		mc_buffer_add(out, texts->bytes, texts->head_size);
		mc_buffer_add(out, time, mc_print_i64(time, milliseconds(sample->time)));
		add(out, ",");
		mc_value_list_number(out, &list, i, options->store_rates);
		add(out, "]]");
		mc_buffer_add(out, texts->bytes + texts->head_size, texts->tail_size);
		if (len > 1) {
			add(out, ",\"ds\": \"");
			add(out, list.type->sources[i].name);
			add(out, "\"");
		}
		add(out, "}}");
	}
}

static void add_kairosdb_head(struct mc_buffer *out, const struct texts_options *options,
			      const struct mc_value_list *list)
{
	add(out, "{\"name\":\"");
	if (options->prefix != NULL && *options->prefix != '\0') {
		add_inner(out, options->prefix);
		add(out, ".");
	}
	add_inner(out, list->id.plugin);
	add(out, "\"");
	add(out, ", \"datapoints\": [[");
}

/* --- As collectd ------------------------------------------------------------ */

static void add_json(struct mc_buffer *out, const struct texts *texts,
		     const struct mc_sample *sample, bool rates)
{
	const struct mc_value_list list = mc_value_list_of(sample);
	char time[MC_DECIMAL_SIZE];

	add(out, out->size == 0 ? "[" : ",");
	mc_value_list_json_values(out, &list, rates);
	mc_buffer_add(out, texts->bytes, texts->head_size);
	mc_buffer_add(out, time, mc_decimal_seconds(time, sample->time));
	mc_buffer_add(out, texts->bytes + texts->head_size, texts->tail_size);
}

static void add_command(struct mc_buffer *out, const struct texts *texts,
			const struct mc_sample *sample, bool rates)
{
	const struct mc_value_list list = mc_value_list_of(sample);
	char time[MC_DECIMAL_SIZE];

	mc_buffer_add(out, texts->bytes, texts->head_size);
	mc_buffer_add(out, time, mc_decimal_seconds(time, sample->time));
	for (unsigned i = 0; i < list.type->sources_len; i++) {
		mc_buffer_add(out, ":", 1);
		mc_value_list_number(out, &list, i, rates);
	}
	mc_buffer_add(out, "\r\n", 2);
}

/* --- What is kept ------------------------------------------------------------ */

static void make_head(struct mc_buffer *out, const struct texts_options *options,
		      const struct mc_value_list *list)
{
	switch (options->format) {
	case TEXTS_COMMAND:
		mc_value_list_putval_head(out, list);
		break;
	case TEXTS_JSON:
		mc_value_list_json_sources(out, list);
		break;
	case TEXTS_KAIROSDB:
		add_kairosdb_head(out, options, list);
		break;
	default:
		add_line_head(out, list);
		break;
	}
}

static struct texts *make(const struct texts_options *options, const struct mc_sample *sample)
{
	const struct mc_value_list list = mc_value_list_of(sample);
	struct mc_buffer out = { 0 };
	struct texts head = { .interval = sample->interval };
	struct texts *made;

	mc_buffer_add(&out, &head, sizeof(head));
	make_head(&out, options, &list);
	head.head_size = out.size - sizeof(head);
	if (options->format == TEXTS_JSON)
		mc_value_list_json_rest(&out, &list);
	else if (options->format == TEXTS_KAIROSDB)
		add_kairosdb_tags(&out, options, &list);
	head.tail_size = out.size - sizeof(head) - head.head_size;
	memcpy(out.at, &head, sizeof(head));
	made = mc_alloc_bytes(out.at, out.size);
	mc_buffer_free(&out);
	return made;
}

void texts_add(struct mc_buffer *body, const struct texts_options *options,
	       const struct mc_sample *sample, struct texts **kept)
{
	if (*kept == NULL || (*kept)->interval != sample->interval) {
		free(*kept);
		*kept = make(options, sample);
	}
	switch (options->format) {
	case TEXTS_COMMAND:
		add_command(body, *kept, sample, options->store_rates);
		break;
	case TEXTS_JSON:
		add_json(body, *kept, sample, options->store_rates);
		break;
	case TEXTS_KAIROSDB:
		add_kairosdb(body, options, *kept, sample);
		break;
	default:
		add_line(body, *kept, sample, options->store_rates);
		break;
	}
}

void texts_end(struct mc_buffer *body, const struct texts_options *options)
{
	if (options->format == TEXTS_JSON || options->format == TEXTS_KAIROSDB)
		add(body, "]");
}

const char *texts_content_type(const struct texts_options *options)
{
	return options->format == TEXTS_COMMAND || options->format == TEXTS_INFLUX
		       ? "text/plain"
		       : "application/json";
}
