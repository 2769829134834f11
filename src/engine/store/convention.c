/* SPDX-License-Identifier: MIT */
/* A convention is a metric that is made when it is asked for, of the row for its series; equal
 * names and labels are one as long as somebody holds them, as those of other metrics. */
#include <collector/private/convention.h>

#include <collector/metadata.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "engine/store/metric.h"
#include "engine/store/store_internal.h"
#include "formats/protobuf.h"
#include "model/convention.h"

#define LABELS_MAX 8
#define TEXTS_SIZE 2048
#define INT_SIZE 11 /* Of an integer as an AnyValue. */
#define ANY_INT 3   /* Its field. */

struct text {
	const char *at;
	size_t size;
};

struct making {
	const struct mc_series *series;
	const struct mc_metadata *metadata; /* Of its first source, once it was looked at. */
	struct mc_metric_label labels[LABELS_MAX];
	size_t labels_len;
	unsigned char encoded[LABELS_MAX][INT_SIZE];
	char texts[TEXTS_SIZE]; /* Names and values of the labels. */
	size_t size;
};

static bool is(struct text text, const char *word)
{
	return strlen(word) == text.size && memcmp(text.at, word, text.size) == 0;
}

/* Splits off the text before the first 'end' as *part.  False at the end of the text. */
static bool split(struct text *rest, char end, struct text *part)
{
	const char *at = memchr(rest->at, end, rest->size);

	if (rest->size == 0)
		return false;
	*part = (struct text){ rest->at, at != NULL ? (size_t)(at - rest->at) : rest->size };
	rest->at += part->size + (at != NULL);
	rest->size -= part->size + (at != NULL);
	return true;
}

/* --- Values of attributes ------------------------------------------------- */

static const char *value_named(struct making *making, struct text name)
{
	char key[64];
	const char *value;

	if (is(name, "plugin_instance"))
		return mc_plugin_instance(making->series);
	if (is(name, "type_instance"))
		return mc_type_instance(making->series);
	if (making->metadata == NULL)
		making->metadata = mc_get_metadata(making->series, 0);
	snprintf(key, sizeof(key), "%.*s", (int)name.size, name.at);
	value = mc_metadata_attribute(making->metadata, key);
	return value != NULL ? value : "";
}

/* The first of "a|b" that is there, or "". */
static const char *first_value(struct making *making, struct text names)
{
	const char *value = "";
	struct text name;

	while (value[0] == '\0' && split(&names, '|', &name))
		value = value_named(making, name);
	return value;
}

/* A copy of the text, which ends with the making; NULL without room. */
static const char *keep(struct making *making, const char *text, size_t size)
{
	char *copy = making->texts + making->size;

	if (size >= TEXTS_SIZE - making->size)
		return NULL;
	memcpy(copy, text, size);
	copy[size] = '\0';
	making->size += size + 1;
	return copy;
}

/* Makes the label an integer if its value is one. */
static void encode(struct making *making, struct mc_metric_label *label)
{
	unsigned char *end = making->encoded[making->labels_len] + INT_SIZE, *at;
	char *rest;
	long number;

	errno = 0;
	number = strtol(label->value, &rest, 10);
	if (*rest != '\0' || errno != 0 || number < 0)
		return;
	at = protobuf_put_number(end, ANY_INT, (uint64_t)number);
	label->encoded = at;
	label->encoded_size = (size_t)(end - at);
}

/* Adds "name=value", where the value may stand for another one in braces. */
static void add_attribute(struct making *making, struct text value)
{
	struct mc_metric_label *label = &making->labels[making->labels_len];
	struct text name = { "", 0 }, type;
	bool integer = false;

	split(&value, '=', &name);
	*label = (struct mc_metric_label){ .name = keep(making, name.at, name.size) };
	if (value.size > 2 && value.at[0] == '{') {
		struct text inner = { value.at + 1, value.size - 2 };

		split(&inner, ':', &type);
		integer = is(inner, "int");
		value.at = first_value(making, type);
		value.size = strlen(value.at);
	}
	label->value = keep(making, value.at, value.size);
	if (value.size == 0 || label->name == NULL || label->value == NULL)
		return;
	if (integer)
		encode(making, label);
	making->labels_len++;
}

/* --- The plugin API ------------------------------------------------------- */

bool mc_get_convention(const struct mc_series *series, unsigned source,
		       const struct mc_metric_labels *resource, struct mc_convention *out)
{
	const struct convention *row = convention_find(series, source);
	struct making making = { .series = series };
	struct mc_metric metric;
	struct text rest, attribute;
	bool made;

	if (row == NULL)
		return false;
	rest = (struct text){ row->attributes, strlen(row->attributes) };
	while (making.labels_len < LABELS_MAX && split(&rest, ' ', &attribute))
		add_attribute(&making, attribute);
	metric = (struct mc_metric){
		.name = row->metric,
		.scope = "collectord",
		.kind = row->kind,
		.integer = row->divisor == 1 && row->kind != MC_METRIC_GAUGE,
		.labels = { making.labels, making.labels_len },
		.resource = *resource,
	};
	made = metric_make(series->store->metrics, &metric, &out->metric);
	mc_release_metadata(making.metadata);
	if (!made)
		return false;
	out->unit = row->unit;
	out->divisor = row->divisor;
	return true;
}

unsigned mc_convention_state(const struct mc_series *series)
{
	return atomic_load_explicit(&series->described, memory_order_relaxed);
}
