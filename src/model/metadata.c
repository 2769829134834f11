/* SPDX-License-Identifier: MIT */
#include "model/metadata.h"

#include <math.h>
#include <string.h>

#include "base/alloc.h"
#include "base/text.h"

/* --- Copies ------------------------------------------------------------ */

static const char *text_of(const char *text)
{
	return text != NULL ? text : "";
}

/* How many bytes of a text are kept, without '\0'. */
static size_t kept(const char *text, size_t size_max)
{
	return text_fit(text_of(text), size_max - 1);
}

static char *add(char **at, const char *text, size_t size_max)
{
	size_t size = kept(text, size_max);
	char *copy = *at;

	memcpy(copy, text_of(text), size);
	copy[size] = '\0';
	text_make_printable(copy);
	*at += size + 1;
	return copy;
}

static size_t attributes_len(const struct mc_metadata *metadata)
{
	return metadata->attributes_len < MC_ATTRIBUTES_MAX ? metadata->attributes_len
							    : MC_ATTRIBUTES_MAX;
}

static size_t size_of(const struct mc_metadata *metadata)
{
	size_t len = attributes_len(metadata);
	size_t size = sizeof(struct metadata) + len * sizeof(struct mc_attribute) +
		      kept(metadata->label, MC_METADATA_LABEL_SIZE) + 1 +
		      kept(metadata->unit, MC_METADATA_LABEL_SIZE) + 1;

	for (size_t i = 0; i < len; i++)
		size += kept(metadata->attributes[i].name, MC_METADATA_LABEL_SIZE) + 1 +
			kept(metadata->attributes[i].value, MC_METADATA_TEXT_SIZE) + 1;
	return size;
}

struct metadata *metadata_copy(const struct mc_metadata *from)
{
	size_t len = attributes_len(from), size = size_of(from);
	struct metadata *copy = alloc_zero(size);
	char *at = (char *)&copy->attributes[len];

	copy->size = size;
	copy->content = *from;
	copy->content.label = add(&at, from->label, MC_METADATA_LABEL_SIZE);
	copy->content.unit = add(&at, from->unit, MC_METADATA_LABEL_SIZE);
	copy->content.attributes = copy->attributes;
	copy->content.attributes_len = len;
	for (size_t i = 0; i < len; i++)
		copy->attributes[i] = (struct mc_attribute){
			add(&at, from->attributes[i].name, MC_METADATA_LABEL_SIZE),
			add(&at, from->attributes[i].value, MC_METADATA_TEXT_SIZE),
		};
	return copy;
}

/* --- Order ------------------------------------------------------------- */

static int compare_sizes(size_t a, size_t b)
{
	return (a > b) - (a < b);
}

/* NaN is the least. */
static int compare_numbers(double a, double b)
{
	if (isnan(a) || isnan(b))
		return isnan(b) - isnan(a);
	return (a > b) - (a < b);
}

static int compare_bounds(const struct mc_bounds *a, const struct mc_bounds *b)
{
	int order = compare_numbers(a->min, b->min);

	return order != 0 ? order : compare_numbers(a->max, b->max);
}

static int compare_limits(const struct mc_metadata *a, const struct mc_metadata *b)
{
	int order = compare_bounds(&a->warning, &b->warning);

	if (order == 0)
		order = compare_bounds(&a->failure, &b->failure);
	if (order == 0)
		order = a->warning_inverted - b->warning_inverted;
	if (order == 0)
		order = a->failure_inverted - b->failure_inverted;
	if (order == 0)
		order = compare_sizes(a->unknown_after, b->unknown_after);
	return order;
}

static int compare_attributes(const struct mc_attribute *a, const struct mc_attribute *b)
{
	int order = strcmp(text_of(a->name), text_of(b->name));

	return order != 0 ? order : strcmp(text_of(a->value), text_of(b->value));
}

int metadata_compare(const struct mc_metadata *a, const struct mc_metadata *b)
{
	size_t len = attributes_len(a);
	int order = strcmp(text_of(a->label), text_of(b->label));

	if (order == 0)
		order = strcmp(text_of(a->unit), text_of(b->unit));
	if (order == 0)
		order = compare_limits(a, b);
	if (order == 0)
		order = compare_sizes(len, attributes_len(b));
	for (size_t i = 0; order == 0 && i < len; i++)
		order = compare_attributes(&a->attributes[i], &b->attributes[i]);
	return order;
}
