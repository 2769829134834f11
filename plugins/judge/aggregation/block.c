/* SPDX-License-Identifier: MIT */
#include "block.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <collector/kit/alloc.h>
#include <collector/kit/buffer.h>
#include <collector/kit/regex.h>

#include "kit/base/name_globs.h"

#define FUNCTION "%{aggregation}"

static const char *const field_words[BLOCK_FIELDS] = { "Host", "Plugin", "PluginInstance",
						       "TypeInstance" };

/* --- What the options say ------------------------------------------------ */

static bool is_regex(const char *text)
{
	return text != NULL && mc_regex_in_slashes(text);
}

/* The fields that several values of are taken. */
static unsigned open_fields(const struct block *block)
{
	unsigned fields = 0;

	for (unsigned i = 0; i < BLOCK_FIELDS; i++)
		if (block->wanted[i] == NULL || is_regex(block->wanted[i]))
			fields |= 1U << i;
	return fields;
}

/* The fields of GroupBy; false, and the position of the invalid word. */
static bool grouped_fields(const struct block *block, unsigned *fields, const char *const **wrong)
{
	*fields = 0;
	for (size_t i = 0; i < block->group_by.len; i++) {
		unsigned field = 0;

		*wrong = &block->group_by.items[i];
		while (field < BLOCK_FIELDS && strcasecmp(field_words[field], **wrong) != 0)
			field++;
		if (field == BLOCK_FIELDS)
			return false;
		*fields |= 1U << field;
	}
	return true;
}

static unsigned functions_len(const struct block *block)
{
	unsigned len = 0;

	for (unsigned i = 0; i < BLOCK_FUNCTIONS; i++)
		len += block->calculate[i];
	return len;
}

static bool regex_fault(const struct block *block, struct block_fault *fault)
{
	for (unsigned i = 0; i < BLOCK_FIELDS; i++) {
		struct mc_regex *regex;
		char reason[160] = "";

		if (!is_regex(block->wanted[i]))
			continue;
		regex = mc_regex_new_in_slashes(block->wanted[i], reason, sizeof(reason));
		fault->option = &block->wanted[i];
		if (regex == NULL) {
			snprintf(fault->text, sizeof(fault->text),
				 "is an invalid regular expression: %s", reason);
			return true;
		}
		mc_regex_free(regex);
	}
	return false;
}

static bool say(struct block_fault *fault, const void *option, const char *text)
{
	fault->option = option;
	snprintf(fault->text, sizeof(fault->text), "%s", text);
	return true;
}

bool block_fault(const struct block *block, struct block_fault *fault)
{
	unsigned open = open_fields(block), grouped;
	const char *const *wrong;

	if (block->type == NULL && block->series.len == 0)
		return say(fault, &block->type, "is missing");
	if (block->type != NULL && strchr(block->type, '/') != NULL)
		return say(fault, &block->type, "must be one type, not an expression");
	if (!grouped_fields(block, &grouped, &wrong))
		return say(fault, wrong,
			   "is not Host, Plugin, PluginInstance or "
			   "TypeInstance");
	if ((grouped & ~open) != 0)
		return say(fault, &block->group_by, "names a field that has only one value");
	if ((open & ~grouped) == 0 && block->series.len == 0)
		return say(fault, &block->group_by,
			   "leaves nothing to aggregate: Host, Plugin, "
			   "PluginInstance or TypeInstance must take several "
			   "values and not be grouped by");
	if (functions_len(block) == 0)
		return say(fault, &block->calculate[BLOCK_SUM],
			   "or another Calculate option must be true");
	if (block->attributes.len % 2 != 0)
		return say(fault, &block->attributes, "takes pairs of values: a name and its text");
	return regex_fault(block, fault);
}

/* --- Series -------------------------------------------------------------- */

static void describe(struct block *block)
{
	size_t len = block->attributes.len / 2;
	struct mc_attribute *attributes = mc_alloc_array(len + 1, sizeof(*attributes));

	for (size_t i = 0; i < len; i++)
		attributes[i] = (struct mc_attribute){ block->attributes.items[2 * i],
						       block->attributes.items[2 * i + 1] };
	block->metadata = (struct mc_metadata){
		.label = block->label,
		.unit = block->unit,
		.warning = { NAN, NAN },
		.failure = { NAN, NAN },
		.attributes = attributes,
		.attributes_len = len,
	};
}

void block_start(struct block *block, const struct mc_type *made)
{
	struct block_fault fault;
	const char *const *wrong;
	char reason[160];

	block->used = !block_fault(block, &fault) && (block->set_type == NULL || made != NULL);
	if (!block->used)
		return;
	block->made = made;
	describe(block);
	grouped_fields(block, &block->grouped, &wrong);
	for (unsigned i = 0; i < BLOCK_FIELDS; i++)
		if (is_regex(block->wanted[i]))
			block->regexes[i] =
				mc_regex_new_in_slashes(block->wanted[i], reason, sizeof(reason));
}

void block_stop(struct block *block)
{
	for (unsigned i = 0; i < BLOCK_FIELDS; i++)
		mc_regex_free(block->regexes[i]);
	memset(block->regexes, 0, sizeof(block->regexes));
	free((void *)block->metadata.attributes);
	block->metadata = (struct mc_metadata){ .label = NULL };
}

static const char *part_of(const struct mc_series *series, unsigned field)
{
	switch ((enum block_field)field) {
	case BLOCK_HOST:
		return mc_host(series);
	case BLOCK_PLUGIN:
		return mc_plugin(series);
	case BLOCK_PLUGIN_INSTANCE:
		return mc_plugin_instance(series);
	case BLOCK_TYPE_INSTANCE:
		return mc_type_instance(series);
	}
	return "";
}

static bool is_named(const struct block *block, const struct mc_series *series)
{
	const struct mc_id id = { mc_host(series), mc_plugin(series), mc_plugin_instance(series),
				  mc_type(series)->name, mc_type_instance(series) };

	return block->series.len == 0 || mc_name_globs_match(&block->series, &id, id.host);
}

static bool is_of_type(const struct block *block, const struct mc_type *type)
{
	return (block->type == NULL || strcmp(type->name, block->type) == 0) &&
	       (block->made == NULL || block->made->sources_len == type->sources_len);
}

bool block_takes(const struct block *block, const struct mc_series *series)
{
	if (!block->used || !is_of_type(block, mc_type(series)))
		return false;
	for (unsigned i = 0; i < BLOCK_FIELDS; i++) {
		const char *wanted = block->wanted[i];
		const char *part = part_of(series, i);

		if (block->regexes[i] != NULL &&
		    mc_regex_match(block->regexes[i], part, strlen(part)) <= 0)
			return false;
		if (wanted != NULL && block->regexes[i] == NULL && strcmp(wanted, part) != 0)
			return false;
	}
	return is_named(block, series);
}

const struct mc_type *block_type(const struct block *block, const struct mc_series *series)
{
	return block->made != NULL ? block->made : mc_type(series);
}

const struct mc_metadata *block_metadata(const struct block *block)
{
	const struct mc_metadata *metadata = &block->metadata;

	return metadata->label != NULL || metadata->unit != NULL || metadata->attributes_len > 0
		       ? metadata
		       : NULL;
}

/* --- Names ---------------------------------------------------------------- */

/* The common value of a field: that of the series if grouped; 'all' if the block does not set
 * it. */
static const char *common(const struct block *block, const struct mc_series *series, unsigned field,
			  const char *all)
{
	if (block->grouped & (1U << field))
		return part_of(series, field);
	return block->wanted[field] != NULL ? block->wanted[field] : all;
}

/* As collectd writes what has slashes: the first one goes, others become '_'. */
static char *escaped(const char *text)
{
	char *copy = mc_alloc_copy(text[0] == '/' && text[1] != '\0' ? text + 1 : text);

	for (char *c = copy; *c != '\0'; c++)
		if (*c == '/')
			*c = '_';
	return copy;
}

/* PLUGIN-INSTANCE-FUNCTION, without what is empty. */
static char *instance_of(const struct block *block, const struct mc_series *series)
{
	const char *plugin = common(block, series, BLOCK_PLUGIN, "");
	const char *instance = common(block, series, BLOCK_PLUGIN_INSTANCE, "");
	char *text = mc_alloc_printf("%s%s%s%s%s", plugin, *plugin != '\0' ? "-" : "", instance,
				     *instance != '\0' ? "-" : "", FUNCTION);
	char *copy = escaped(text);

	free(text);
	return copy;
}

void block_name(const struct block *block, const struct mc_series *series, struct block_name *name)
{
	const char *const *set = block->set;

	name->host = escaped(set[BLOCK_HOST] != NULL ? set[BLOCK_HOST]
						     : common(block, series, BLOCK_HOST, "global"));
	name->plugin = escaped(set[BLOCK_PLUGIN] != NULL ? set[BLOCK_PLUGIN] : "aggregation");
	name->plugin_instance = set[BLOCK_PLUGIN_INSTANCE] != NULL
					? escaped(set[BLOCK_PLUGIN_INSTANCE])
					: instance_of(block, series);
	name->type_instance = escaped(set[BLOCK_TYPE_INSTANCE] != NULL
					      ? set[BLOCK_TYPE_INSTANCE]
					      : common(block, series, BLOCK_TYPE_INSTANCE, ""));
}

void block_name_free(struct block_name *name)
{
	free(name->host);
	free(name->plugin);
	free(name->plugin_instance);
	free(name->type_instance);
	*name = (struct block_name){ 0 };
}

char *block_instance(const struct block_name *name, enum block_function function)
{
	static const char *const words[BLOCK_FUNCTIONS] = { "num", "sum", "average",
							    "min", "max", "stddev" };
	const char *at = name->plugin_instance, *found;
	struct mc_buffer out = { 0 };

	for (; (found = strstr(at, FUNCTION)) != NULL; at = found + strlen(FUNCTION)) {
		mc_buffer_add(&out, at, (size_t)(found - at));
		mc_buffer_add(&out, words[function], strlen(words[function]));
	}
	mc_buffer_add(&out, at, strlen(at));
	return out.at;
}
