/* SPDX-License-Identifier: MIT */
#include "message.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include <collector/kit/append.h>

#include "amount.h"
#include "siblings.h"

static const char *or_none(const char *text)
{
	return text != NULL ? text : "";
}

/* --- Collectd's texts ---------------------------------------------------- */

static void add_name(char *out, const struct mc_id *id)
{
	mc_append(out, MESSAGE_SIZE, "Host %s, plugin %s", id->host, id->plugin);
	if (*or_none(id->plugin_instance) != '\0')
		mc_append(out, MESSAGE_SIZE, " (instance %s)", id->plugin_instance);
	mc_append(out, MESSAGE_SIZE, " type %s", id->type);
	if (*or_none(id->type_instance) != '\0')
		mc_append(out, MESSAGE_SIZE, " (instance %s)", id->type_instance);
}

static const struct mc_bounds *bounds_of(const struct rule *rule, enum mc_state state)
{
	return state == MC_STATE_FAILURE ? &rule->failure : &rule->warning;
}

static const char *word_of(enum mc_state state)
{
	return state == MC_STATE_FAILURE ? "failure" : "warning";
}

static void add_inverted(char *out, const struct story *story)
{
	const struct rule *rule = story->verdict->rule;
	const struct mc_bounds *bounds = bounds_of(rule, story->state);
	const char *unit = rule->percentage ? "%" : "";

	mc_append(out, MESSAGE_SIZE, ": Data source \"%s\" is currently %f. ", story->source,
		  story->current);
	if (!isnan(bounds->min) && !isnan(bounds->max))
		mc_append(out, MESSAGE_SIZE, "That is within the %s region of %f%s and %f%s.",
			  word_of(story->state), bounds->min, unit, bounds->max, unit);
	else
		mc_append(out, MESSAGE_SIZE, "That is %s the %s threshold of %f%s.",
			  isnan(bounds->min) ? "below" : "above", word_of(story->state),
			  isnan(bounds->min) ? bounds->max : bounds->min, unit);
}

/* By how far it is beyond: below the lower bound, or above the upper one. */
static void add_beyond(char *out, const struct story *story)
{
	const struct rule *rule = story->verdict->rule;
	const struct mc_bounds *bounds = bounds_of(rule, story->state);
	double value = story->verdict->value;
	bool below = value < bounds->min;

	if (rule->percentage)
		mc_append(out, MESSAGE_SIZE, "%g (%.2f%%). That is %s the %s threshold of %.2f%%.",
			  story->current, value, below ? "below" : "above", word_of(story->state),
			  below ? bounds->min : bounds->max);
	else
		mc_append(out, MESSAGE_SIZE, "%f. That is %s the %s threshold of %f.", value,
			  below ? "below" : "above", word_of(story->state),
			  below ? bounds->min : bounds->max);
}

static void add_state(char *out, const struct story *story)
{
	const struct verdict *verdict = story->verdict;

	if (story->state == MC_STATE_OKAY) {
		mc_append(out, MESSAGE_SIZE,
			  ": All data sources are within range again. Current value "
			  "of \"%s\" is %f.",
			  story->source, story->current);
	} else if (verdict->unknowns > 0) {
		mc_append(out, MESSAGE_SIZE, ": Data source \"%s\" has been unknown %u times.",
			  story->source, verdict->unknowns);
	} else if (verdict->rule->invert) {
		add_inverted(out, story);
	} else if (verdict->ahead) {
		mc_append(out, MESSAGE_SIZE,
			  ": Data source \"%s\" is currently %f, and in %g hours it "
			  "will be ",
			  story->source, story->current,
			  (double)verdict->rule->forecast * 1e-9 / 3600);
		add_beyond(out, story);
	} else {
		mc_append(out, MESSAGE_SIZE, ": Data source \"%s\" %s ", story->source,
			  verdict->rule->rate ? "changes each second by" : "is currently");
		add_beyond(out, story);
	}
}

/* --- A Message ----------------------------------------------------------- */

static double bound_of(const struct story *story)
{
	const struct mc_bounds *bounds = bounds_of(story->verdict->rule, story->state);

	if (isnan(bounds->min) || story->verdict->value > bounds->max)
		return bounds->max;
	return bounds->min;
}

static void add_mount(char *out, const char *instance)
{
	mc_append(out, MESSAGE_SIZE, "/");
	if (strcmp(instance, "root") == 0)
		return;
	for (; *instance != '\0'; instance++)
		mc_append(out, MESSAGE_SIZE, "%c", *instance == '-' ? '/' : *instance);
}

static void add_number(char *out, double value)
{
	char amount[AMOUNT_SIZE];

	amount_write(value, "", amount);
	mc_append(out, MESSAGE_SIZE, "%s", amount);
}

static bool add_amount(char *out, const struct story *story, double value)
{
	const struct rule *rule = story->verdict->rule;
	const bool is_share = rule->is_share || rule->percentage;
	char amount[AMOUNT_SIZE];

	if (isnan(value))
		return false;
	amount_write(value, is_share ? "percent" : or_none(story->unit), amount);
	mc_append(out, MESSAGE_SIZE, "%s%s", amount, rule->rate ? " per second" : "");
	return true;
}

/* The time until the bound is reached, if the trend goes on. */
static bool add_time_left(char *out, const struct story *story)
{
	const struct verdict *verdict = story->verdict;
	double seconds = (double)verdict->rule->forecast * 1e-9 * (bound_of(story) - verdict->now) /
			 (verdict->value - verdict->now);
	char amount[AMOUNT_SIZE];

	if (!verdict->ahead || !(seconds >= 0))
		return false;
	amount_write(seconds, "seconds", amount);
	mc_append(out, MESSAGE_SIZE, "%s", amount);
	return true;
}

/* The present value of a series beside this one. */
static bool add_sibling(char *out, const struct story *story, const char *name, size_t size)
{
	char type_instance[128], amount[AMOUNT_SIZE];
	double value;

	if (story->reading == NULL || size >= sizeof(type_instance))
		return false;
	memcpy(type_instance, name, size);
	type_instance[size] = '\0';
	value = siblings_value(story->reading, &story->id, type_instance);
	if (isnan(value))
		return false;
	amount_write(value, or_none(story->unit), amount);
	mc_append(out, MESSAGE_SIZE, "%s", amount);
	return true;
}

enum placeholder { PLACEHOLDER_NONE, PLACEHOLDER_EMPTY, PLACEHOLDER_KNOWN };

static enum placeholder known(bool is_known)
{
	return is_known ? PLACEHOLDER_KNOWN : PLACEHOLDER_EMPTY;
}

static bool is(const char *name, size_t size, const char *wanted)
{
	return strlen(wanted) == size && memcmp(name, wanted, size) == 0;
}

static enum placeholder add_value(char *out, const struct story *story, const char *name,
				  size_t size)
{
	if (is(name, size, "value"))
		mc_append(out, MESSAGE_SIZE, "%g", story->verdict->value);
	else if (is(name, size, "bound"))
		mc_append(out, MESSAGE_SIZE, "%g", bound_of(story));
	else if (is(name, size, "number"))
		add_number(out, story->verdict->now);
	else if (is(name, size, "amount"))
		return known(add_amount(out, story, story->verdict->now));
	else if (is(name, size, "limit"))
		return known(add_amount(out, story, bound_of(story)));
	else if (is(name, size, "mount"))
		add_mount(out, or_none(story->id.plugin_instance));
	else if (is(name, size, "time_left"))
		return known(add_time_left(out, story));
	else if (size > 3 && memcmp(name, "of:", 3) == 0)
		return known(add_sibling(out, story, name + 3, size - 3));
	else
		return PLACEHOLDER_NONE;
	return PLACEHOLDER_KNOWN;
}

static enum placeholder add_placeholder(char *out, const struct story *story, const char *name,
					size_t size)
{
	const struct {
		const char *name, *value;
	} parts[] = {
		{ "host", story->id.host },
		{ "plugin", story->id.plugin },
		{ "plugin_instance", story->id.plugin_instance },
		{ "type", story->id.type },
		{ "type_instance", story->id.type_instance },
		{ "source", story->source },
		{ "state", mc_state_name(story->state) },
	};

	for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
		if (!is(name, size, parts[i].name))
			continue;
		mc_append(out, MESSAGE_SIZE, "%s", or_none(parts[i].value));
		return PLACEHOLDER_KNOWN;
	}
	return add_value(out, story, name, size);
}

/* "%[" begins a part, up to "%]", that is left out if a value in it is unknown. */
static void add_template(char *out, const struct story *story, const char *at)
{
	size_t part = strlen(out);
	bool is_whole = true;

	while (*at != '\0') {
		const char *end = strncmp(at, "%{", 2) == 0 ? strchr(at, '}') : NULL;
		enum placeholder found = PLACEHOLDER_NONE;

		if (strncmp(at, "%[", 2) == 0 || strncmp(at, "%]", 2) == 0) {
			if (at[1] == ']' && !is_whole)
				out[part] = '\0';
			part = strlen(out);
			is_whole = true;
			at += 2;
			continue;
		}
		if (end != NULL)
			found = add_placeholder(out, story, at + 2, (size_t)(end - at - 2));
		if (found == PLACEHOLDER_NONE)
			mc_append(out, MESSAGE_SIZE, "%c", *at);
		is_whole &= found != PLACEHOLDER_EMPTY;
		at = found == PLACEHOLDER_NONE ? at + 1 : end + 1;
	}
}

static void add_message(char *out, const struct story *story)
{
	const struct rule *rule = story->verdict->rule;

	if (rule->name != NULL && story->state == MC_STATE_OKAY)
		mc_append(out, MESSAGE_SIZE, "over: ");
	add_template(out, story, rule->message);
}

/* --- All of it ------------------------------------------------------------ */

void message_write(const struct story *story, char out[MESSAGE_SIZE])
{

	out[0] = '\0';
	if (story->verdict->rule->message != NULL) {
		add_message(out, story);
		return;
	}
	add_name(out, &story->id);
	add_state(out, story);
}

void message_advice(const struct story *story, char out[MESSAGE_SIZE])
{

	out[0] = '\0';
	if (story->verdict->rule->advice != NULL)
		add_template(out, story, story->verdict->rule->advice);
}

void message_of_end(const struct mc_id *id, const char *why, char out[MESSAGE_SIZE])
{

	out[0] = '\0';
	add_name(out, id);
	mc_append(out, MESSAGE_SIZE, ": %s", why);
}

void message_of_flapping(const struct story *story, char out[MESSAGE_SIZE])
{
	const struct rule *rule = story->verdict->rule;

	out[0] = '\0';
	add_name(out, &story->id);
	mc_append(out, MESSAGE_SIZE,
		  ": The state changes too often. It is now %s, and nothing more is sent until it "
		  "stays "
		  "the same for %g seconds.",
		  mc_state_name(story->state), (double)rule->flap_window * 1e-9);
}

/* --- A reason ------------------------------------------------------------- */

static void add_word(char *out, const char *word)
{
	if (*or_none(word) != '\0')
		mc_append(out, MESSAGE_SIZE, " %s", word);
}

/* "if_octets rx of interface eth0 on web": the series, but for what goes without saying. */
static void add_subject(char *out, const struct story *story)
{
	const struct mc_id *id = &story->id;

	mc_append(out, MESSAGE_SIZE, "%s", *or_none(id->type) != '\0' ? id->type : "all");
	add_word(out, id->type_instance);
	if (story->source != NULL && strcmp(story->source, "value") != 0)
		add_word(out, story->source);
	mc_append(out, MESSAGE_SIZE, " of %s",
		  *or_none(id->plugin) != '\0' ? id->plugin : "any plugin");
	if (strcmp(or_none(id->plugin), "df") == 0 && *or_none(id->plugin_instance) != '\0') {
		mc_append(out, MESSAGE_SIZE, " ");
		add_mount(out, id->plugin_instance);
	} else {
		add_word(out, id->plugin_instance);
	}
	mc_append(out, MESSAGE_SIZE, " on %s", *or_none(id->host) != '\0' ? id->host : "any host");
}

static void add_limit(char *out, const struct story *story, const char *word, double bound)
{
	mc_append(out, MESSAGE_SIZE, ", %s ", word);
	add_amount(out, story, bound);
}

static void add_comparison(char *out, const struct story *story)
{
	const struct rule *rule = story->verdict->rule;
	const struct mc_bounds *bounds = bounds_of(rule, story->state);
	double value = story->verdict->value;

	if (rule->invert)
		mc_append(out, MESSAGE_SIZE, ", in the %s region", word_of(story->state));
	else if (value < bounds->min)
		add_limit(out, story, "below", bounds->min);
	else if (value > bounds->max)
		add_limit(out, story, "above", bounds->max);
	else
		add_limit(out, story, "not yet back by the hysteresis of", rule->hysteresis);
	if (rule->forecast > 0)
		mc_append(out, MESSAGE_SIZE, " in %g h", (double)rule->forecast * 1e-9 / 3600);
}

void message_reason(const struct story *story, char out[MESSAGE_SIZE])
{
	char amount[AMOUNT_SIZE];

	out[0] = '\0';
	add_subject(out, story);
	if (isnan(story->verdict->value)) {
		mc_append(out, MESSAGE_SIZE, " is unknown");
		return;
	}
	if (story->verdict->rule == NULL) {
		amount_write(story->verdict->value, or_none(story->unit), amount);
		mc_append(out, MESSAGE_SIZE, " is %s, before the start", amount);
		return;
	}
	mc_append(out, MESSAGE_SIZE, " is ");
	add_amount(out, story, story->verdict->value);
	add_comparison(out, story);
}

void message_missing(const struct story *story, double seconds, char out[MESSAGE_SIZE])
{
	char amount[AMOUNT_SIZE];

	out[0] = '\0';
	add_subject(out, story);
	amount_write(seconds, "seconds", amount);
	mc_append(out, MESSAGE_SIZE, " has had no value for %s", amount);
}

static void number(struct message_fields *fields, size_t i, const char *name, double value)
{
	char *text = fields->numbers[i - 1];

	snprintf(text, MESSAGE_NUMBER_SIZE, "%e", value);
	fields->items[i] = (struct mc_field){ name, text };
}

void message_fields(const struct story *story, struct message_fields *fields)
{
	const struct rule *rule = story->verdict->rule;

	fields->items[0] = (struct mc_field){ "DataSource", story->source };
	number(fields, 1, "CurrentValue", story->current);
	number(fields, 2, "WarningMin", rule->warning.min);
	number(fields, 3, "WarningMax", rule->warning.max);
	number(fields, 4, "FailureMin", rule->failure.min);
	number(fields, 5, "FailureMax", rule->failure.max);
}
