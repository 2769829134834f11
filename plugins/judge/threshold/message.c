/* SPDX-License-Identifier: MIT */
#include "message.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "amount.h"
#include "siblings.h"

struct text {
	char *at;
	size_t size, room;
};

static void add(struct text *text, const char *fmt, ...) MC_PRINTF(2, 3);
static void add(struct text *text, const char *fmt, ...)
{
	size_t room = text->room - text->size;
	va_list args;
	int n;

	va_start(args, fmt);
	n = vsnprintf(text->at + text->size, room, fmt, args);
	va_end(args);
	if (n > 0)
		text->size += (size_t)n < room ? (size_t)n : room - 1;
}

static const char *or_none(const char *text)
{
	return text != NULL ? text : "";
}

/* --- Collectd's texts ---------------------------------------------------- */

static void add_name(struct text *text, const struct mc_id *id)
{
	add(text, "Host %s, plugin %s", id->host, id->plugin);
	if (*or_none(id->plugin_instance) != '\0')
		add(text, " (instance %s)", id->plugin_instance);
	add(text, " type %s", id->type);
	if (*or_none(id->type_instance) != '\0')
		add(text, " (instance %s)", id->type_instance);
}

static const struct mc_bounds *bounds_of(const struct rule *rule, enum mc_state state)
{
	return state == MC_STATE_FAILURE ? &rule->failure : &rule->warning;
}

static const char *word_of(enum mc_state state)
{
	return state == MC_STATE_FAILURE ? "failure" : "warning";
}

static void add_inverted(struct text *text, const struct story *story)
{
	const struct rule *rule = story->verdict->rule;
	const struct mc_bounds *bounds = bounds_of(rule, story->state);
	const char *unit = rule->percentage ? "%" : "";

	add(text, ": Data source \"%s\" is currently %f. ", story->source, story->current);
	if (!isnan(bounds->min) && !isnan(bounds->max))
		add(text, "That is within the %s region of %f%s and %f%s.", word_of(story->state),
		    bounds->min, unit, bounds->max, unit);
	else
		add(text, "That is %s the %s threshold of %f%s.",
		    isnan(bounds->min) ? "below" : "above", word_of(story->state),
		    isnan(bounds->min) ? bounds->max : bounds->min, unit);
}

/* By how far it is beyond: below the lower bound, or above the upper one. */
static void add_beyond(struct text *text, const struct story *story)
{
	const struct rule *rule = story->verdict->rule;
	const struct mc_bounds *bounds = bounds_of(rule, story->state);
	double value = story->verdict->value;
	bool below = value < bounds->min;

	if (rule->percentage)
		add(text, "%g (%.2f%%). That is %s the %s threshold of %.2f%%.", story->current,
		    value, below ? "below" : "above", word_of(story->state),
		    below ? bounds->min : bounds->max);
	else
		add(text, "%f. That is %s the %s threshold of %f.", value,
		    below ? "below" : "above", word_of(story->state),
		    below ? bounds->min : bounds->max);
}

static void add_state(struct text *text, const struct story *story)
{
	const struct verdict *verdict = story->verdict;

	if (story->state == MC_STATE_OKAY) {
		add(text,
		    ": All data sources are within range again. Current value "
		    "of \"%s\" is %f.",
		    story->source, story->current);
	} else if (verdict->unknowns > 0) {
		add(text, ": Data source \"%s\" has been unknown %u times.", story->source,
		    verdict->unknowns);
	} else if (verdict->rule->invert) {
		add_inverted(text, story);
	} else if (verdict->ahead) {
		add(text,
		    ": Data source \"%s\" is currently %f, and in %g hours it "
		    "will be ",
		    story->source, story->current, (double)verdict->rule->forecast * 1e-9 / 3600);
		add_beyond(text, story);
	} else {
		add(text, ": Data source \"%s\" %s ", story->source,
		    verdict->rule->rate ? "changes each second by" : "is currently");
		add_beyond(text, story);
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

static void add_mount(struct text *text, const char *instance)
{
	add(text, "/");
	if (strcmp(instance, "root") == 0)
		return;
	for (; *instance != '\0'; instance++)
		add(text, "%c", *instance == '-' ? '/' : *instance);
}

static void add_number(struct text *text, double value)
{
	char amount[AMOUNT_SIZE];

	amount_write(value, "", amount);
	add(text, "%s", amount);
}

static bool add_amount(struct text *text, const struct story *story, double value)
{
	const struct rule *rule = story->verdict->rule;
	const bool is_share = rule->is_share || rule->percentage;
	char amount[AMOUNT_SIZE];

	if (isnan(value))
		return false;
	amount_write(value, is_share ? "percent" : or_none(story->unit), amount);
	add(text, "%s%s", amount, rule->rate ? " per second" : "");
	return true;
}

/* The time until the bound is reached, if the trend goes on. */
static bool add_time_left(struct text *text, const struct story *story)
{
	const struct verdict *verdict = story->verdict;
	double seconds = (double)verdict->rule->forecast * 1e-9 * (bound_of(story) - verdict->now) /
			 (verdict->value - verdict->now);
	char amount[AMOUNT_SIZE];

	if (!verdict->ahead || !(seconds >= 0))
		return false;
	amount_write(seconds, "seconds", amount);
	add(text, "%s", amount);
	return true;
}

/* The present value of a series beside this one. */
static bool add_sibling(struct text *text, const struct story *story, const char *name, size_t size)
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
	add(text, "%s", amount);
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

static enum placeholder add_value(struct text *text, const struct story *story, const char *name,
				  size_t size)
{
	if (is(name, size, "value"))
		add(text, "%g", story->verdict->value);
	else if (is(name, size, "bound"))
		add(text, "%g", bound_of(story));
	else if (is(name, size, "number"))
		add_number(text, story->verdict->now);
	else if (is(name, size, "amount"))
		return known(add_amount(text, story, story->verdict->now));
	else if (is(name, size, "limit"))
		return known(add_amount(text, story, bound_of(story)));
	else if (is(name, size, "mount"))
		add_mount(text, or_none(story->id.plugin_instance));
	else if (is(name, size, "time_left"))
		return known(add_time_left(text, story));
	else if (size > 3 && memcmp(name, "of:", 3) == 0)
		return known(add_sibling(text, story, name + 3, size - 3));
	else
		return PLACEHOLDER_NONE;
	return PLACEHOLDER_KNOWN;
}

static enum placeholder add_placeholder(struct text *text, const struct story *story,
					const char *name, size_t size)
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
		add(text, "%s", or_none(parts[i].value));
		return PLACEHOLDER_KNOWN;
	}
	return add_value(text, story, name, size);
}

/* "%[" begins a part, up to "%]", that is left out if a value in it is unknown. */
static void add_template(struct text *text, const struct story *story, const char *at)
{
	size_t part = text->size;
	bool is_whole = true;

	while (*at != '\0') {
		const char *end = strncmp(at, "%{", 2) == 0 ? strchr(at, '}') : NULL;
		enum placeholder found = PLACEHOLDER_NONE;

		if (strncmp(at, "%[", 2) == 0 || strncmp(at, "%]", 2) == 0) {
			if (at[1] == ']' && !is_whole)
				text->at[text->size = part] = '\0';
			part = text->size;
			is_whole = true;
			at += 2;
			continue;
		}
		if (end != NULL)
			found = add_placeholder(text, story, at + 2, (size_t)(end - at - 2));
		if (found == PLACEHOLDER_NONE)
			add(text, "%c", *at);
		is_whole &= found != PLACEHOLDER_EMPTY;
		at = found == PLACEHOLDER_NONE ? at + 1 : end + 1;
	}
}

static void add_message(struct text *text, const struct story *story)
{
	const struct rule *rule = story->verdict->rule;

	if (rule->name != NULL && story->state == MC_STATE_OKAY)
		add(text, "over: ");
	add_template(text, story, rule->message);
}

/* --- All of it ------------------------------------------------------------ */

void message_write(const struct story *story, char out[MESSAGE_SIZE])
{
	struct text text = { out, 0, MESSAGE_SIZE };

	out[0] = '\0';
	if (story->verdict->rule->message != NULL) {
		add_message(&text, story);
		return;
	}
	add_name(&text, &story->id);
	add_state(&text, story);
}

void message_advice(const struct story *story, char out[MESSAGE_SIZE])
{
	struct text text = { out, 0, MESSAGE_SIZE };

	out[0] = '\0';
	if (story->verdict->rule->advice != NULL)
		add_template(&text, story, story->verdict->rule->advice);
}

void message_of_end(const struct mc_id *id, const char *why, char out[MESSAGE_SIZE])
{
	struct text text = { out, 0, MESSAGE_SIZE };

	out[0] = '\0';
	add_name(&text, id);
	add(&text, ": %s", why);
}

void message_of_flapping(const struct story *story, char out[MESSAGE_SIZE])
{
	const struct rule *rule = story->verdict->rule;
	struct text text = { out, 0, MESSAGE_SIZE };

	out[0] = '\0';
	add_name(&text, &story->id);
	add(&text,
	    ": The state changes too often. It is now %s, and nothing more is sent until it stays "
	    "the same for %g seconds.",
	    mc_state_name(story->state), (double)rule->flap_window * 1e-9);
}

/* --- A reason ------------------------------------------------------------- */

static void add_word(struct text *text, const char *word)
{
	if (*or_none(word) != '\0')
		add(text, " %s", word);
}

/* "if_octets rx of interface eth0 on web": the series, but for what goes without saying. */
static void add_subject(struct text *text, const struct story *story)
{
	const struct mc_id *id = &story->id;

	add(text, "%s", *or_none(id->type) != '\0' ? id->type : "all");
	add_word(text, id->type_instance);
	if (story->source != NULL && strcmp(story->source, "value") != 0)
		add_word(text, story->source);
	add(text, " of %s", *or_none(id->plugin) != '\0' ? id->plugin : "any plugin");
	if (strcmp(or_none(id->plugin), "df") == 0 && *or_none(id->plugin_instance) != '\0') {
		add(text, " ");
		add_mount(text, id->plugin_instance);
	} else {
		add_word(text, id->plugin_instance);
	}
	add(text, " on %s", *or_none(id->host) != '\0' ? id->host : "any host");
}

static void add_limit(struct text *text, const struct story *story, const char *word, double bound)
{
	add(text, ", %s ", word);
	add_amount(text, story, bound);
}

static void add_comparison(struct text *text, const struct story *story)
{
	const struct rule *rule = story->verdict->rule;
	const struct mc_bounds *bounds = bounds_of(rule, story->state);
	double value = story->verdict->value;

	if (rule->invert)
		add(text, ", in the %s region", word_of(story->state));
	else if (value < bounds->min)
		add_limit(text, story, "below", bounds->min);
	else if (value > bounds->max)
		add_limit(text, story, "above", bounds->max);
	else
		add_limit(text, story, "not yet back by the hysteresis of", rule->hysteresis);
	if (rule->forecast > 0)
		add(text, " in %g h", (double)rule->forecast * 1e-9 / 3600);
}

void message_reason(const struct story *story, char out[MESSAGE_SIZE])
{
	struct text text = { out, 0, MESSAGE_SIZE };
	char amount[AMOUNT_SIZE];

	out[0] = '\0';
	add_subject(&text, story);
	if (isnan(story->verdict->value)) {
		add(&text, " is unknown");
		return;
	}
	if (story->verdict->rule == NULL) {
		amount_write(story->verdict->value, or_none(story->unit), amount);
		add(&text, " is %s, before the start", amount);
		return;
	}
	add(&text, " is ");
	add_amount(&text, story, story->verdict->value);
	add_comparison(&text, story);
}

void message_missing(const struct story *story, double seconds, char out[MESSAGE_SIZE])
{
	struct text text = { out, 0, MESSAGE_SIZE };
	char amount[AMOUNT_SIZE];

	out[0] = '\0';
	add_subject(&text, story);
	amount_write(seconds, "seconds", amount);
	add(&text, " has had no value for %s", amount);
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
