/* SPDX-License-Identifier: MIT */
#include "verdict.h"

#include <math.h>
#include <string.h>

size_t verdict_trends(const struct rules *rules, const struct mc_type *type)
{
	size_t len = 0;

	for (size_t i = 0; i < rules->len; i++)
		len += rules->items[i]->has_trend ? type->sources_len : 0;
	return len;
}

/* The sum of all sources; NaN: it is 0, or nothing is known. */
static double sum_of(const struct mc_sample *sample)
{
	double sum = 0;

	for (unsigned i = 0; i < sample->values_len; i++)
		if (!isnan(mc_rate(sample, i)))
			sum += mc_rate(sample, i);
	return sum != 0 ? sum : NAN;
}

static bool is_checked(const struct rule *rule, const struct mc_source *source)
{
	return rule->source == NULL || strcmp(rule->source, source->name) == 0;
}

/* A rule that compares something else than the values. */
static struct verdict look_ahead(const struct rule *rule, enum mc_state state, double value,
				 const struct trend *trend)
{
	struct verdict verdict = { .rule = rule, .value = value, .now = value };
	enum mc_state later;
	double then;

	if (rule->rate) {
		verdict.value = verdict.now = trend_slope(trend, rule->window);
		verdict.state = rule_compare(rule, state, verdict.value);
		return verdict;
	}
	verdict.state = rule_compare(rule, state, value);
	if (value < rule->forecast_from)
		return verdict;
	then = trend_forecast(trend, rule->window, rule->forecast);
	later = rule_compare(rule, state, then);
	if (later <= verdict.state)
		return verdict;
	verdict.state = later;
	verdict.value = then;
	verdict.ahead = true;
	return verdict;
}

/* One source of a sample, and what it is compared with. */
struct subject {
	double value;
	struct trend *trend; /* NULL: the rule has none. */
	double whole;        /* Value of 100 %, if the rule is_share. */
};

static struct verdict check_source(const struct rule *rule, enum mc_state state,
				   const struct mc_sample *sample, const struct subject *subject)
{
	double value = subject->value;
	struct verdict verdict;

	if (rule->is_share)
		value = 100 * value / subject->whole;
	if (subject->trend != NULL) {
		trend_add(subject->trend, sample->time, value, rule->window);
		return look_ahead(rule, state, value, subject->trend);
	}
	if (rule->percentage)
		value = 100 * value / sum_of(sample);
	verdict.state = rule_compare(rule, state, value);
	verdict.rule = rule;
	verdict.source = 0;
	verdict.value = verdict.now = value;
	verdict.ahead = false;
	verdict.unknowns = 0;
	return verdict;
}

struct verdict verdict_of(const struct rules *rules, enum mc_state state,
			  const struct mc_sample *sample, const struct mc_type *type,
			  const struct verdict_means *means)
{
	struct verdict worst = { .state = MC_STATE_UNKNOWN, .rule = rules->items[0] };
	struct trend *trends = means->trends;
	const double *whole = means->wholes;

	for (size_t i = 0; i < rules->len; i++) {
		const struct rule *rule = rules->items[i];
		struct subject subject = { .whole = rule->is_share ? *whole++ : NAN };

		for (unsigned s = 0; s < sample->values_len; s++) {
			struct verdict one;

			if (!is_checked(rule, &type->sources[s]))
				continue;
			subject.value = mc_rate(sample, s);
			subject.trend = rule->has_trend ? &trends[s] : NULL;
			one = check_source(rule, state, sample, &subject);
			one.source = s;
			if (one.state > worst.state)
				worst = one;
		}
		if (rule->has_trend)
			trends += type->sources_len;
	}
	return worst;
}
