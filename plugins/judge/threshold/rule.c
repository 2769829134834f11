/* SPDX-License-Identifier: MIT */
/* Compares values with the bounds of a rule, as threshold of collectd 5.12 does
 * but for what manual.txt says. */
#include "rule.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/append.h>

bool rule_has_bounds(const struct mc_bounds *bounds)
{
	return !isnan(bounds->min) || !isnan(bounds->max);
}

bool rule_has_any_bounds(const struct rule *rule)
{
	return rule_has_bounds(&rule->warning) || rule_has_bounds(&rule->failure);
}

static bool contradict(const struct mc_bounds *bounds)
{
	return bounds->min > bounds->max; /* False without one. */
}

static const char *time_fault(const struct rule *rule, const void **option)
{
	*option = &rule->window;
	if (rule->window > 0 && !rule->rate && rule->forecast == 0)
		return "has an effect only with Rate or Forecast";
	*option = &rule->window;
	if (rule->rate && rule->window == 0)
		return "is needed for Rate";
	*option = &rule->rate;
	if (rule->rate && rule->forecast > 0)
		return "cannot be combined with Forecast";
	*option = &rule->percentage;
	if (rule->percentage && (rule->rate || rule->forecast > 0))
		return "cannot be combined with Rate or Forecast";
	*option = &rule->of;
	if (rule->of.len > 0 && rule->percentage)
		return "cannot be combined with Percentage";
	*option = &rule->invert;
	if (rule->invert && rule->forecast > 0)
		return "cannot be combined with Forecast";
	return NULL;
}

const char *rule_fault(const struct rule *rule, const void **option)
{
	*option = &rule->warning;
	if (contradict(&rule->warning))
		return "is more than WarningMax: every value would be bad";
	*option = &rule->failure;
	if (contradict(&rule->failure))
		return "is more than FailureMax: every value would be bad";
	*option = &rule->forecast;
	if (rule->forecast > 0 && !rule_has_any_bounds(rule))
		return "needs a bound that the value may reach";
	return time_fault(rule, option);
}

const char *rule_idle_option(const struct rule *rule, const void **option)
{
	const bool *const options[] = { &rule->rate, &rule->percentage, &rule->invert };

	if (rule_has_any_bounds(rule))
		return NULL;
	for (size_t i = 0; i < sizeof(options) / sizeof(options[0]); i++) {
		*option = options[i];
		if (*options[i])
			return "has no effect without bounds in this block";
	}
	return NULL;
}

const char *rule_idle_bound(const struct rule *rule, const void **option)
{
	if (rule->invert)
		return NULL;
	*option = &rule->warning.max;
	if (rule->warning.max > rule->failure.max)
		return "is more than FailureMax: there is no WARNING";
	*option = &rule->warning.min;
	if (rule->warning.min < rule->failure.min)
		return "is less than FailureMin: there is no WARNING";
	return NULL;
}

static void inherit_times(struct rule *rule, const struct rule *from)
{
	if (rule->hold == 0)
		rule->hold = from->hold;
	if (rule->clear_after == 0)
		rule->clear_after = from->clear_after;
	if (rule->remind_after == 0)
		rule->remind_after = from->remind_after;
	if (rule->flap > 0 || from->flap == 0)
		return;
	rule->flap = from->flap;
	rule->flap_window = from->flap_window;
}

void rule_inherit(struct rule *rule, const struct rule *from)
{
	rule->persist |= from->persist;
	rule->persist_okay |= from->persist_okay;
	rule->interesting &= from->interesting;
	if (rule->hits == 0)
		rule->hits = from->hits;
	if (rule->hysteresis == 0)
		rule->hysteresis = from->hysteresis;
	if (rule->message == NULL)
		rule->message = from->message;
	if (rule->unknown_after == 0)
		rule->unknown_after = from->unknown_after;
	inherit_times(rule, from);
}

/* Absent bounds are out of reach. */
static double bound(double value, double none, double shift)
{
	return isnan(value) ? none : value + shift;
}

/* Inside is bad if 'invert': what makes it harder to leave is then outwards. */
static void narrow(const struct rule *rule, enum mc_state state, struct limits *limits)
{
	double by = rule->invert ? -rule->hysteresis : rule->hysteresis;
	double failure = state == MC_STATE_FAILURE ? by : 0;
	double warning = state == MC_STATE_WARNING ? by : 0;

	*limits = (struct limits){
		.failure_min = bound(rule->failure.min, -INFINITY, failure),
		.failure_max = bound(rule->failure.max, INFINITY, -failure),
		.warning_min = bound(rule->warning.min, -INFINITY, warning),
		.warning_max = bound(rule->warning.max, INFINITY, -warning),
	};
}

void rule_start(struct rule *rule)
{
	for (int state = 0; state < MC_STATES; state++)
		narrow(rule, state, &rule->limits[state]);
	rule->judges_failure = rule_has_bounds(&rule->failure);
	rule->judges_warning = rule_has_bounds(&rule->warning);
	rule->has_trend = rule->rate || rule->forecast > 0;
	if (rule->window == 0) /* Of a forecast. */
		rule->window = rule->forecast / 2;
	rule->is_share = rule->of.len > 0;
	rule->needs_times = rule->hold > 0 || rule->clear_after > 0 || rule->flap > 0;
	rule->is_plain = !rule->has_trend && !rule->needs_times && !rule->percentage &&
			 !rule->is_share && !rule->invert && !rule->persist_okay &&
			 rule->source == NULL;
	rule->good_min = fmax(rule->limits[MC_STATE_OKAY].failure_min,
			      rule->limits[MC_STATE_OKAY].warning_min);
	rule->good_max = fmin(rule->limits[MC_STATE_OKAY].failure_max,
			      rule->limits[MC_STATE_OKAY].warning_max);
}

static enum mc_state compare_inverted(const struct rule *rule, const struct limits *limits,
				      double value)
{
	if (rule->judges_failure && value >= limits->failure_min && value <= limits->failure_max)
		return MC_STATE_FAILURE;
	if (rule->judges_warning && value >= limits->warning_min && value <= limits->warning_max)
		return MC_STATE_WARNING;
	return MC_STATE_OKAY;
}

enum mc_state rule_compare(const struct rule *rule, enum mc_state state, double value)
{
	const struct limits *limits = &rule->limits[state];

	if (__builtin_expect(isnan(value), 0))
		return MC_STATE_UNKNOWN;
	if (rule->invert)
		return compare_inverted(rule, limits, value);
	if (value < limits->failure_min || value > limits->failure_max)
		return MC_STATE_FAILURE;
	if (value < limits->warning_min || value > limits->warning_max)
		return MC_STATE_WARNING;
	return MC_STATE_OKAY;
}

/* --- For people ----------------------------------------------------------- */

static void add_bounds(char *out, size_t size, const struct rule *rule, const char *state,
		       const struct mc_bounds *bounds)
{
	const char *unit = rule->percentage || rule->is_share ? " %" : "";

	if (!rule_has_bounds(bounds))
		return;
	mc_append(out, size, "%s%s", out[0] != '\0' ? ", " : "", state);
	if (rule->invert && !isnan(bounds->min) && !isnan(bounds->max)) {
		mc_append(out, size, " from %g to %g%s", bounds->min, bounds->max, unit);
		return;
	}
	if (!isnan(bounds->min))
		mc_append(out, size, " %s %g%s", rule->invert ? "from" : "below", bounds->min,
			  unit);
	if (!isnan(bounds->min) && !isnan(bounds->max))
		mc_append(out, size, " or");
	if (!isnan(bounds->max))
		mc_append(out, size, " %s %g%s", rule->invert ? "up to" : "above", bounds->max,
			  unit);
}

static void add_time(char *out, size_t size, const char *name, mc_time time)
{
	if (time > 0)
		mc_append(out, size, ", %s %g s", name, (double)time * 1e-9);
}

void rule_describe(const struct rule *rule, char *out, size_t size)
{
	out[0] = '\0';
	add_bounds(out, size, rule, "WARNING", &rule->warning);
	add_bounds(out, size, rule, "FAILURE", &rule->failure);
	if (out[0] == '\0')
		mc_append(out, size, "no bounds");
	for (size_t i = 0; i < rule->of.len; i++)
		mc_append(out, size, "%s%s", i == 0 ? " of " : "+", rule->of.items[i]);
	if (rule->hysteresis > 0)
		mc_append(out, size, ", Hysteresis %g", rule->hysteresis);
	if (rule->unknown_after > 0)
		mc_append(out, size, ", unknown %lld times in a row",
			  (long long)rule->unknown_after);
	if (rule->hits > 1)
		mc_append(out, size, ", Hits %lld", (long long)rule->hits);
	if (rule->rate)
		mc_append(out, size, ", change per second");
	add_time(out, size, "Forecast", rule->forecast);
	if (rule->has_trend)
		add_time(out, size, "Window", rule->window);
	add_time(out, size, "For", rule->hold);
	add_time(out, size, "ClearFor", rule->clear_after);
	add_time(out, size, "RemindAfter", rule->remind_after);
	add_time(out, size, "Absent", rule->absent);
	if (rule->flap > 0)
		mc_append(out, size, ", Flap %lld in %g s", (long long)rule->flap,
			  (double)rule->flap_window * 1e-9);
}
