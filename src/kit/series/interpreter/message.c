/* SPDX-License-Identifier: MIT */
#include "kit/series/interpreter/message.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#define WHOLE_MAX 1e15 /* A number with more digits is written as 1e+15. */

static struct mc_json *begin(const char *verb)
{
	struct mc_json *json = mc_json_new(false);

	mc_json_list(json, NULL);
	mc_json_text(json, NULL, verb);
	return json;
}

static struct mc_json *end(struct mc_json *json)
{
	mc_json_list_end(json);
	return json;
}

/* As Python reads a float: a number without a point is another type to it, and its JSON has
 * infinities.  Perl reads the same. */
static void put_double(struct mc_json *json, double value)
{
	char text[32];

	if (isnan(value)) {
		mc_json_digits(json, NULL, "NaN");
	} else if (isinf(value)) {
		mc_json_digits(json, NULL, value > 0 ? "Infinity" : "-Infinity");
	} else if (value == floor(value) && fabs(value) < WHOLE_MAX) {
		snprintf(text, sizeof(text), "%.1f", value);
		mc_json_digits(json, NULL, text);
	} else {
		mc_json_number(json, NULL, value);
	}
}

static void put_seconds(struct mc_json *json, const char *key, mc_time time)
{
	char text[48];

	snprintf(text, sizeof(text), "%" PRId64 ".%09" PRId64, time / MC_SECOND, time % MC_SECOND);
	mc_json_digits(json, key, time >= 0 ? text : "0.0");
}

static void put_text(struct mc_json *json, const char *key, const char *text)
{
	mc_json_text(json, key, text != NULL ? text : "");
}

/* --- Start ---------------------------------------------------------------- */

static void put_config_value(struct mc_json *json, const struct mc_config_value *value)
{
	switch (value->kind) {
	case MC_CONFIG_TEXT:
		mc_json_text(json, NULL, value->text);
		break;
	case MC_CONFIG_NUMBER:
		put_double(json, value->number);
		break;
	case MC_CONFIG_BOOLEAN:
		mc_json_bool(json, NULL, value->boolean);
		break;
	}
}

static void put_config(struct mc_json *json, const struct mc_config *config)
{
	mc_json_map(json, NULL);
	mc_json_text(json, "key", config->key);
	mc_json_list(json, "values");
	for (size_t i = 0; i < config->values_len; i++)
		put_config_value(json, &config->values[i]);
	mc_json_list_end(json);
	mc_json_list(json, "children");
	for (size_t i = 0; i < config->children_len; i++)
		put_config(json, &config->children[i]);
	mc_json_list_end(json);
	mc_json_map_end(json);
}

static void put_texts(struct mc_json *json, const char *key, const struct mc_strings *texts,
		      const char *but)
{
	mc_json_list(json, key);
	for (size_t i = 0; i < texts->len; i++)
		if (but == NULL || strcmp(texts->items[i], but) != 0)
			mc_json_text(json, NULL, texts->items[i]);
	mc_json_list_end(json);
}

struct mc_json *message_start(const struct message_settings *settings, const char *module)
{
	struct mc_json *json = begin("start");

	mc_json_map(json, NULL);
	mc_json_text(json, "import", module);
	put_texts(json, "others", &settings->imports, module);
	put_texts(json, "module_path", &settings->module_path, NULL);
	mc_json_bool(json, "log_traces", settings->log_traces);
	mc_json_list(json, "configs");
	for (size_t i = 0; i < settings->configs.len; i++)
		put_config(json, &settings->configs.items[i]);
	mc_json_list_end(json);
	mc_json_map_end(json);
	return end(json);
}

struct mc_json *message_stop(void)
{
	return end(begin("stop"));
}

struct mc_json *message_read(const char *callback)
{
	struct mc_json *json = begin("read");

	mc_json_text(json, NULL, callback);
	return end(json);
}

/* --- Types ---------------------------------------------------------------- */

static void put_bound(struct mc_json *json, double bound)
{
	if (isfinite(bound))
		put_double(json, bound);
	else
		mc_json_null(json, NULL);
}

struct mc_json *message_type(const char *name, const struct mc_type *type)
{
	static const char *const kinds[] = {
		[MC_COUNTER] = "counter",
		[MC_GAUGE] = "gauge",
		[MC_DERIVE] = "derive",
		[MC_ABSOLUTE] = "absolute",
	};
	struct mc_json *json = begin("type");

	mc_json_text(json, NULL, name);
	if (type == NULL) {
		mc_json_null(json, NULL);
		return end(json);
	}
	mc_json_list(json, NULL);
	for (unsigned i = 0; i < type->sources_len; i++) {
		const struct mc_source *source = &type->sources[i];

		mc_json_list(json, NULL);
		mc_json_text(json, NULL, source->name);
		mc_json_text(json, NULL, kinds[source->kind]);
		put_bound(json, source->min);
		put_bound(json, source->max);
		mc_json_list_end(json);
	}
	mc_json_list_end(json);
	return end(json);
}

/* --- What writers get ----------------------------------------------------- */

static void put_value(struct mc_json *json, enum mc_kind kind, const union mc_value *value)
{
	switch (kind) {
	case MC_GAUGE:
		put_double(json, value->gauge);
		break;
	case MC_DERIVE:
		mc_json_signed(json, NULL, value->derive);
		break;
	case MC_COUNTER:
	case MC_ABSOLUTE:
		mc_json_unsigned(json, NULL, value->counter);
		break;
	}
}

static void put_sample(struct mc_json *json, const struct mc_sample *sample)
{
	const struct mc_series *series = sample->series;
	const struct mc_type *type = mc_type(series);

	mc_json_list(json, NULL);
	mc_json_text(json, NULL, mc_host(series));
	mc_json_text(json, NULL, mc_plugin(series));
	mc_json_text(json, NULL, mc_plugin_instance(series));
	mc_json_text(json, NULL, type->name);
	mc_json_text(json, NULL, mc_type_instance(series));
	put_seconds(json, NULL, sample->time);
	put_seconds(json, NULL, sample->interval);
	mc_json_list(json, NULL);
	for (unsigned i = 0; i < type->sources_len; i++)
		put_value(json, type->sources[i].kind, &sample->values[i]);
	mc_json_list_end(json);
	mc_json_list_end(json);
}

struct mc_json *message_values(const struct mc_batch *batch, uint64_t *len)
{
	struct mc_json *json = begin("write");

	*len = 0;
	MC_FOR_EACH_SAMPLE (sample, batch) {
		put_sample(json, sample);
		(*len)++;
	}
	return end(json);
}

struct mc_json *message_notification(const struct mc_notification *notification)
{
	const struct mc_id *id = &notification->id;
	struct mc_json *json = begin("notify");

	mc_json_map(json, NULL);
	mc_json_signed(json, "severity", notification->severity);
	put_seconds(json, "time", notification->time);
	put_text(json, "host", id->host);
	put_text(json, "plugin", id->plugin);
	put_text(json, "plugin_instance", id->plugin_instance);
	put_text(json, "type", id->type);
	put_text(json, "type_instance", id->type_instance);
	put_text(json, "message", notification->message);
	mc_json_map(json, "meta");
	for (unsigned i = 0; i < notification->fields_len; i++)
		mc_json_text(json, notification->fields[i].name, notification->fields[i].value);
	mc_json_map_end(json);
	mc_json_map_end(json);
	return end(json);
}

struct mc_json *message_flush(mc_time age, const char *name)
{
	struct mc_json *json = begin("flush");

	mc_json_number(json, NULL, age > 0 ? (double)age / (double)MC_SECOND : -1);
	if (name != NULL)
		mc_json_text(json, NULL, name);
	else
		mc_json_null(json, NULL);
	return end(json);
}

/* With the numbers of syslog(3), as collectd has them. */
struct mc_json *message_log(enum mc_level level, const char *line)
{
	static const int severities[] = {
		[MC_ERROR] = 3, [MC_WARN] = 4, [MC_NOTE] = 5, [MC_INFO] = 6, [MC_DEBUG] = 7
	};
	struct mc_json *json = begin("log");

	mc_json_signed(json, NULL, severities[level]);
	mc_json_text(json, NULL, line);
	return end(json);
}
