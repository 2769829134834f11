/* SPDX-License-Identifier: MIT */
/* Names of series.
 *
 * Facts: Graphite's manual, "Functions", and answers of graphite-web 1.1.10. */
#include "functions.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/kit/regex.h>

#include "node.h"
#include "substitute.h"

static void take_name(struct curve *curve, char *name)
{
	free(curve->name);
	curve->name = name;
}

static struct curve *alias(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next)
		take_name(c, mc_alloc_copy(call->arguments[1].text));
	return curves;
}

static struct curve *by_node(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next)
		take_name(c, node_key(call, 1, c));
	return curves;
}

static struct curve *by_substitution(struct call *call)
{
	struct mc_regex *regex = substitute_regex(call, 1);
	bool anchored = call->arguments[1].text[0] == '^';
	struct curve *curves;

	if (regex == NULL)
		return NULL;
	curves = evaluation_take(call, 0);
	for (struct curve *c = curves; c != NULL; c = c->next)
		take_name(c, substitute(regex, anchored, c->name, call->arguments[2].text));
	mc_regex_free(regex);
	return curves;
}

/* --- Parts --------------------------------------------------------------- */

/* The text in the innermost parentheses, up to a comma: components 'start' to before 'stop',
 * which count from the end if negative; 'stop' 0 is the end. */
static char *part_of(const char *name, int start, int stop)
{
	const char *begin = strrchr(name, '('), *end = strchr(name, ')');
	struct mc_buffer out = { 0 };
	size_t size;
	int len = 1;

	begin = begin != NULL ? begin + 1 : name;
	end = end != NULL ? end : name + strlen(name);
	size = end > begin ? (size_t)(end - begin) : 0;
	for (size_t i = 0; i < size; i++)
		len += begin[i] == '.';
	start = start < 0 ? start + len : start;
	stop = stop <= 0 ? stop + len : stop;
	mc_buffer_add(&out, "", 0);
	for (int i = start > 0 ? start : 0; i < stop && i < len; i++) {
		if (out.size > 0)
			mc_buffer_add(&out, ".", 1);
		node_add(&out, begin, size, i);
	}
	out.at[strcspn(out.at, ",")] = '\0';
	return out.at;
}

static struct curve *by_metric(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next)
		take_name(c, part_of(c->name, -1, 0));
	return curves;
}

static struct curve *substr(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next)
		take_name(c, part_of(c->name, (int)call->arguments[1].number,
				     (int)call->arguments[2].number));
	return curves;
}

/* --- Letters -------------------------------------------------------------- */

static void change_letters(const struct call *call, char *name, int (*change)(int))
{
	int64_t size = (int64_t)strlen(name);

	for (int64_t i = 0; call->arguments[1].expression == NULL && i < size; i++)
		name[i] = (char)change((unsigned char)name[i]);
	for (unsigned i = 1; i < call->len && call->arguments[i].expression != NULL; i++) {
		int64_t at = (int64_t)call->arguments[i].number;

		at = at < 0 ? at + size : at;
		if (at >= 0 && at < size)
			name[at] = (char)change((unsigned char)name[at]);
	}
}

static struct curve *upper(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next)
		change_letters(call, c->name, toupper);
	return curves;
}

static struct curve *lower(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next)
		change_letters(call, c->name, tolower);
	return curves;
}

/* --- Values --------------------------------------------------------------- */

/* The shortest text that reads back the same. */
static void print_number(char text[32], double value)
{
	for (int digits = 1; digits <= 17; digits++) {
		snprintf(text, 32, "%.*g", digits, value);
		if (strtod(text, NULL) == value)
			break;
	}
	if (isnan(value))
		snprintf(text, 32, "None");
	else if (strspn(text, "-0123456789") == strlen(text))
		snprintf(text, 32, "%.1f", value);
}

static struct curve *legend_value(struct call *call)
{
	struct curve *curves = evaluation_take(call, 0);

	for (struct curve *c = curves; c != NULL; c = c->next)
		for (unsigned i = 1; i < call->len; i++) {
			const char *function = call->arguments[i].text;
			struct curve *copy = curve_copy(c);
			enum aggregate aggregate;
			char text[32] = "(?)";

			if (aggregate_find(function, &aggregate))
				print_number(text, aggregate_values(aggregate, copy->values,
								    copy->grid.len));
			curve_rename(c, "%s (%s: %s)", c->name, function, text);
			curve_free(copy);
		}
	return curves;
}

static void print_units(char text[96], double value, const char *units)
{
	if (isnan(value))
		snprintf(text, 96, "nan");
	else if (units != NULL)
		snprintf(text, 96, "%.2f %.40s", value, units);
	else
		snprintf(text, 96, "%.2f", value);
}

struct figures {
	char last[96], maximum[96], minimum[96];
};

static void print_figures(struct figures *figures, struct curve *curve, const char *units)
{
	double *values = curve->values;
	unsigned len = curve->grid.len;

	print_units(figures->last, aggregate_values(AGGREGATE_LAST, values, len), units);
	print_units(figures->maximum, aggregate_values(AGGREGATE_MAX, values, len), units);
	print_units(figures->minimum, aggregate_values(AGGREGATE_MIN, values, len), units);
}

/* The longer one of a width and that of a text of a whole number. */
static int wider(int width, double value, const char *units)
{
	char text[96];
	int size;

	print_units(text, isnan(value) || trunc(value) == 0 ? 3 : trunc(value), units);
	size = (int)strlen(text) + 3;
	return size > width ? size : width;
}

static struct curve *cacti(struct call *call)
{
	const char *units = call->arguments[2].text;
	struct curve *curves = evaluation_take(call, 0);
	int name = 0, last = 3, maximum = 3, minimum = 3;
	struct figures figures;

	for (struct curve *c = curves; c != NULL; c = c->next) {
		double *values = c->values;
		unsigned len = c->grid.len;

		name = (int)strlen(c->name) > name ? (int)strlen(c->name) : name;
		last = wider(last, aggregate_values(AGGREGATE_LAST, values, len), units);
		maximum = wider(maximum, aggregate_values(AGGREGATE_MAX, values, len), units);
		minimum = wider(minimum, aggregate_values(AGGREGATE_MIN, values, len), units);
	}
	for (struct curve *c = curves; c != NULL; c = c->next) {
		print_figures(&figures, c, units);
		curve_rename(c, "%*s Current:%*s Max:%*s Min:%*s ", -name, c->name, -last,
			     figures.last, -maximum, figures.maximum, -minimum, figures.minimum);
	}
	return curves;
}

/* --- The table ----------------------------------------------------------- */

#define LIST " seriesList:seriesList!"

const struct functions_row functions_alias[] = {
	{ "alias" LIST " newName:string!", "Names the series.", alias, NULL },
	{ "aliasByMetric" LIST, "Names each series by the last component of its path.", by_metric,
	  NULL },
	{ "aliasByNode" LIST " nodes:nodeOrTag!*", "Names each series by components of its path.",
	  by_node, NULL },
	{ "aliasByTags" LIST " tags:nodeOrTag!*", "Names each series by tags.", by_node, NULL },
	{ "aliasSub" LIST " search:string! replace:string!",
	  "Replaces what a regular expression matches in names.", by_substitution, NULL },
	{ "cactiStyle" LIST " system:string units:string",
	  "Adds the last, greatest and smallest value to names.", cacti, NULL },
	{ "legendValue" LIST " valuesTypes:string!*",
	  "Adds what a function makes of all values to names.", legend_value, NULL },
	{ "lower" LIST " pos:integer*", "Makes letters of names small.", lower, NULL },
	{ "substr" LIST " start:node=0 stop:node=0", "Names each series by a part of its path.",
	  substr, NULL },
	{ "upper" LIST " pos:integer*", "Makes letters of names capital.", upper, NULL },
	{ NULL, NULL, NULL, NULL },
};
