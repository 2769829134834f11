/* SPDX-License-Identifier: MIT */
/* The text of a series is taken apart in its place: a '\0' is written after each name and value,
 * where the character that ended it has been read.  A name may stand in quotes, since Prometheus 3;
 * that of the metric is then the first between the braces. */
#include "page.h"

#include <ctype.h>
#include <string.h>

#define NO_LABEL "no label"

struct reading {
	struct page_labels *labels;
	char *at;
};

static void skip(struct reading *reading)
{
	while (*reading->at == ' ' || *reading->at == '\t')
		reading->at++;
}

/* NULL: it is no text in quotes. */
static char *take_quoted(struct reading *reading)
{
	char *from = reading->at + 1, *to = from, *at = from;

	if (*reading->at != '"')
		return NULL;
	for (; *at != '"'; at++) {
		if (*at == '\0')
			return NULL;
		if (*at == '\\' && (at[1] == '\\' || at[1] == '"'))
			at++;
		else if (*at == '\\' && at[1] == 'n') {
			at[1] = '\n';
			at++;
		}
		*to++ = *at;
	}
	*to = '\0';
	reading->at = at + 1;
	return from;
}

static bool is_name(char c, bool first, bool colon)
{
	return isalpha((unsigned char)c) || c == '_' || (colon && c == ':') ||
	       (!first && isdigit((unsigned char)c));
}

/* Its end is the caller's to mark. */
static char *take_name(struct reading *reading, bool colon)
{
	char *from = reading->at;

	while (is_name(*reading->at, reading->at == from, colon))
		reading->at++;
	return from < reading->at ? from : NULL;
}

/* Sorted; false: there is one of that name. */
static bool add(struct page_labels *labels, const char *name, const char *value)
{
	size_t at = labels->len;
	int order = 1;

	while (at > 0 && (order = strcmp(name, labels->items[at - 1].name)) < 0)
		at--;
	if (at > 0 && order == 0)
		return false;
	memmove(&labels->items[at + 1], &labels->items[at],
		(labels->len - at) * sizeof(labels->items[0]));
	labels->items[at] = (struct mc_metric_label){ .name = name, .value = value };
	labels->len++;
	return true;
}

static const char *take_label(struct reading *reading)
{
	struct page_labels *labels = reading->labels;
	bool quoted = *reading->at == '"';
	char *name = quoted ? take_quoted(reading) : take_name(reading, false);
	char *end = reading->at, *value;

	if (name == NULL || *name == '\0')
		return NO_LABEL;
	skip(reading);
	if (*reading->at != '=') {
		if (labels->name != NULL || !quoted)
			return NO_LABEL;
		labels->name = name;
		return NULL;
	}
	reading->at++;
	skip(reading);
	value = take_quoted(reading);
	if (value == NULL)
		return NO_LABEL;
	if (!quoted)
		*end = '\0';
	if (*value == '\0')
		return NULL;
	if (labels->len == PAGE_LABELS_MAX)
		return "more labels than a series may have";
	return add(labels, name, value) ? NULL : "a label twice";
}

static const char *take_labels(struct reading *reading)
{
	const char *why;

	reading->at++;
	for (;;) {
		skip(reading);
		if (*reading->at == '}')
			break;
		why = take_label(reading);
		if (why != NULL)
			return why;
		skip(reading);
		if (*reading->at != ',' && *reading->at != '}')
			return NO_LABEL;
		if (*reading->at == ',')
			reading->at++;
	}
	return reading->at[1] == '\0' ? NULL : NO_LABEL;
}

const char *page_labels_read(struct page_labels *labels, char *text)
{
	struct reading reading = { labels, text };
	const char *why = NULL;
	char *end;

	labels->len = 0;
	labels->name = take_name(&reading, true);
	end = reading.at;
	skip(&reading);
	if (*reading.at == '{')
		why = take_labels(&reading);
	else if (*reading.at != '\0')
		why = "no name of a metric";
	if (labels->name == text)
		*end = '\0';
	if (why == NULL && (labels->name == NULL || labels->name[0] == '\0'))
		why = "no name of a metric";
	return why;
}
