/* SPDX-License-Identifier: MIT */
#include "formats/catalogue/catalogue_part.h"

#include <endian.h>
#include <string.h>

#define FAMILY_FIXED 6

static uint8_t *put_text(uint8_t *out, const char *text, size_t size)
{
	memcpy(out, text, size);
	out[size] = '\0';
	return out + size + 1;
}

/* NULL if it does not end in the body, or is larger than 'max' with its '\0'. */
static const uint8_t *get_text(const uint8_t *at, const uint8_t *end, size_t max, const char **text)
{
	const uint8_t *last = memchr(at, '\0', (size_t)(end - at));

	if (last == NULL || (size_t)(last - at) >= max)
		return NULL;
	*text = (const char *)at;
	return last + 1;
}

/* Of the texts of a family the last one is its help. */
static size_t text_max(unsigned text)
{
	return text < 3 ? MC_METRIC_NAME_SIZE : MC_METRIC_HELP_SIZE;
}

size_t catalogue_part_write_family(uint8_t out[CATALOGUE_PART_FAMILY_MAX],
				   const struct mc_metric *metric, uint32_t scope_labels)
{
	const char *const texts[] = { metric->name, metric->scope, metric->scope_version,
				      metric->help };
	uint32_t number = htole32(scope_labels);
	uint8_t *at = out + FAMILY_FIXED;

	memcpy(out, &number, sizeof(number));
	out[4] = (uint8_t)metric->kind;
	out[5] = metric->delta;
	for (unsigned i = 0; i < 4 && texts[i] != NULL; i++)
		at = put_text(at, texts[i], strnlen(texts[i], text_max(i) - 1));
	return (size_t)(at - out);
}

bool catalogue_part_read_family(const uint8_t *body, size_t size, struct mc_metric *metric,
				uint32_t *scope_labels)
{
	struct mc_metric read = { .name = NULL };
	const char **const texts[] = { &read.name, &read.scope, &read.scope_version, &read.help };
	const uint8_t *at = body + FAMILY_FIXED, *end = body + size;
	uint32_t number;

	if (size < FAMILY_FIXED || body[4] > MC_METRIC_SUMMARY || body[5] > 1)
		return false;
	for (unsigned i = 0; i < 4 && at != NULL && (i < 3 || at != end); i++)
		at = get_text(at, end, text_max(i), texts[i]);
	if (at != end)
		return false;
	memcpy(&number, body, sizeof(number));
	read.kind = (enum mc_metric_kind)body[4];
	read.delta = body[5] != 0;
	*metric = read;
	*scope_labels = le32toh(number);
	return true;
}

size_t catalogue_part_write_labels(uint8_t out[UINT16_MAX], const struct mc_metric_labels *labels)
{
	size_t size = 0;

	for (size_t i = 0; i < labels->len; i++) {
		const struct mc_metric_label *label = &labels->items[i];
		size_t name = strlen(label->name), value = strlen(label->value);
		uint8_t *at = out + size;

		if (size + name + value + label->encoded_size + 4 > UINT16_MAX)
			return 0;
		at = put_text(at, label->name, name);
		at = put_text(at, label->value, value);
		*at++ = (uint8_t)label->encoded_size;
		*at++ = (uint8_t)(label->encoded_size >> 8);
		if (label->encoded_size > 0)
			memcpy(at, label->encoded, label->encoded_size);
		size += name + value + label->encoded_size + 4;
	}
	return size;
}

static const uint8_t *read_label(const uint8_t *at, const uint8_t *end,
				 struct mc_metric_label *label)
{
	at = get_text(at, end, MC_METRIC_NAME_SIZE, &label->name);
	if (at != NULL)
		at = get_text(at, end, MC_METRIC_VALUE_SIZE, &label->value);
	if (at == NULL || end - at < 2)
		return NULL;
	label->encoded_size = (size_t)at[0] | (size_t)at[1] << 8;
	at += 2;
	if (label->encoded_size >= MC_METRIC_VALUE_SIZE || (size_t)(end - at) < label->encoded_size)
		return NULL;
	label->encoded = label->encoded_size > 0 ? at : NULL;
	return at + label->encoded_size;
}

bool catalogue_part_read_labels(const uint8_t *body, size_t size,
				struct mc_metric_label items[MC_METRIC_LABELS_MAX], size_t *len)
{
	const uint8_t *end = body + size;
	size_t read = 0;

	while (body != NULL && body < end && read < MC_METRIC_LABELS_MAX)
		body = read_label(body, end, &items[read++]);
	if (body != end)
		return false;
	*len = read;
	return true;
}
