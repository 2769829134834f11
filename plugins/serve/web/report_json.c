/* SPDX-License-Identifier: MIT */
#include "report_json.h"

static struct mc_json *json_of(struct mc_report *base)
{
	return ((struct report_json *)base)->json;
}

static void begin(struct mc_report *base, const char *about)
{
	(void)about;
	mc_json_map(json_of(base), ((struct report_json *)base)->key);
}

static void text(struct mc_report *base, const char *key, const char *value)
{
	mc_json_text(json_of(base), key, value);
}

static void count(struct mc_report *base, const char *key, uint64_t value)
{
	mc_json_unsigned(json_of(base), key, value);
}

static void whole(struct mc_report *base, const char *key, int64_t value)
{
	mc_json_signed(json_of(base), key, value);
}

static void number(struct mc_report *base, const char *key, double value)
{
	mc_json_number(json_of(base), key, value);
}

static void seconds(struct mc_report *base, const char *key, mc_time value)
{
	mc_json_seconds(json_of(base), key, value);
}

static void truth(struct mc_report *base, const char *key, bool value)
{
	mc_json_bool(json_of(base), key, value);
}

static void end(struct mc_report *base)
{
	mc_json_map_end(json_of(base));
}

static const struct mc_report_calls calls = {
	begin, text, count, whole, number, seconds, truth, end
};

struct report_json report_json(struct mc_json *json)
{
	return (struct report_json){ .base.calls = &calls, .json = json };
}

void report_json_map(struct report_json *report, const char *key)
{
	report->key = key;
}

void report_json_list(struct report_json *report, const char *key)
{
	mc_json_list(report->json, key);
	report->key = NULL;
}

void report_json_list_end(struct report_json *report)
{
	mc_json_list_end(report->json);
}
