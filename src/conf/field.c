/* SPDX-License-Identifier: MIT */
/* One value of the configuration and the field of a struct that it is for. */
#include "conf/field.h"

#include <math.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "conf/value.h"

/* The bounds in use: both 0 mean no bounds, but a time is never negative. */
static void bounds_of(const struct mc_option *option, double *min, double *max)
{
	bool none = option->min == 0 && option->max == 0;

	*min = none ? -INFINITY : option->min;
	*max = none ? INFINITY : option->max;
	if (none && option->type == MC_TIME)
		*min = 0;
}

static bool in_bounds(const struct mc_option *option, double number)
{
	double min, max;

	bounds_of(option, &min, &max);
	return number >= min && number <= max;
}

static bool set_word(const struct mc_option *option, const char *text, int *field)
{
	for (int i = 0; option->words[i] != NULL; i++) {
		if (strcasecmp(option->words[i], text) == 0) {
			*field = i;
			return true;
		}
	}
	return false;
}

static bool set_integer(const struct mc_option *option, const char *text, int64_t *field)
{
	int64_t number;

	if (!value_integer(text, &number) || !in_bounds(option, (double)number))
		return false;
	*field = number;
	return true;
}

static bool is_nan_preset(const struct mc_option *option)
{
	return option->type == MC_NUMBER && option->default_value != NULL &&
	       strcmp(option->default_value, "nan") == 0;
}

const char *field_preset(const struct mc_option *option)
{
	return is_nan_preset(option) ? NULL : option->default_value;
}

static bool set_number(const struct mc_option *option, const char *text, double *field)
{
	double number;

	if (text == option->default_value && is_nan_preset(option)) {
		*field = NAN;
		return true;
	}
	if (!value_number(text, &number) || !in_bounds(option, number))
		return false;
	*field = number;
	return true;
}

static bool set_time(const struct mc_option *option, const char *text, mc_time *field)
{
	mc_time time;

	if (!value_seconds(text, &time) || !in_bounds(option, (double)time / (double)MC_SECOND))
		return false;
	*field = time;
	return true;
}

bool field_set(const struct mc_option *option, const char *text, void *field, struct arena *arena)
{
	switch (option->type) {
	case MC_BOOL:
		return value_boolean(text, field);
	case MC_INT:
	case MC_INTS:
		return set_integer(option, text, field);
	case MC_NUMBER:
		return set_number(option, text, field);
	case MC_TIME:
		return set_time(option, text, field);
	case MC_WORD:
		return set_word(option, text, field);
	case MC_STRING:
	case MC_STRINGS:
		*(const char **)field = arena_copy(arena, text, strlen(text));
		return true;
	case MC_SELECT:
	case MC_BLOCKS:
	case MC_CONFIGS:
		break;
	}
	return false;
}

const char *field_range(const struct mc_option *option, char *out, size_t size)
{
	double min, max;

	out[0] = '\0';
	if (option->type != MC_INT && option->type != MC_INTS && option->type != MC_NUMBER &&
	    option->type != MC_TIME)
		return out;

	bounds_of(option, &min, &max);
	if (isfinite(min) && isfinite(max))
		snprintf(out, size, "from %.15g to %.15g", min, max);
	else if (isfinite(min))
		snprintf(out, size, "%.15g or more", min);
	else if (isfinite(max))
		snprintf(out, size, "%.15g or less", max);
	return out;
}

/* "'a', 'b' or 'c'" */
static void expected_words(const char *const *words, char *out, size_t size)
{
	size_t used = 0;

	out[0] = '\0';
	for (size_t i = 0; words[i] != NULL; i++) {
		const char *joint = i == 0 ? "" : words[i + 1] != NULL ? ", " : " or ";
		int n = snprintf(out + used, size - used, "%s'%s'", joint, words[i]);

		if (n < 0 || (size_t)n >= size - used)
			return;
		used += (size_t)n;
	}
}

const char *field_expected(const struct mc_option *option, char *out, size_t size)
{
	static const char *const names[] = {
		[MC_BOOL] = "true or false", [MC_INT] = "a whole number",
		[MC_NUMBER] = "a number",    [MC_TIME] = "a number of seconds",
		[MC_STRING] = "a text",      [MC_STRINGS] = "one or more texts",
		[MC_INTS] = "whole numbers", [MC_SELECT] = "a name or a '/regular expression/'",
		[MC_BLOCKS] = "a block",     [MC_CONFIGS] = "anything",
	};
	char range[80];

	if (option->type == MC_WORD) {
		expected_words(option->words, out, size);
		return out;
	}
	field_range(option, range, sizeof(range));
	snprintf(out, size, "%s%s%s", names[option->type],
		 range[0] == '\0'  ? ""
		 : range[0] == 'f' ? " "
				   : ", ",
		 range);
	return out;
}

bool field_is_scalar(enum mc_option_type type)
{
	return type != MC_STRINGS && type != MC_INTS && type != MC_SELECT && type != MC_BLOCKS &&
	       type != MC_CONFIGS;
}

const char *field_meant(const struct mc_option *option, const char *text)
{
	bool boolean;

	if (option->type != MC_BOOL || value_boolean(text, &boolean))
		return text;
	if (strcmp(text, "1") == 0)
		return "true";
	return strcmp(text, "0") == 0 ? "false" : text;
}

const char *field_instead(const struct mc_option *option, const char *last, char *out, size_t size)
{
	const char *stays = last != NULL ? last : field_preset(option);

	out[0] = '\0';
	if (option->lenient && stays != NULL)
		snprintf(out, size, "; it stays '%.80s'", stays);
	else if (option->lenient)
		snprintf(out, size, "; it is not used");
	return out;
}
