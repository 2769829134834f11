/* SPDX-License-Identifier: MIT */
/* Facts: the semantic conventions of OpenTelemetry, "Service": service.instance.id is a random
 * UUID (version 4), or one made from names (version 5), or whatever a site sets; RFC 9562 for
 * UUIDs; metrics.proto of opentelemetry-proto 1.x for the start of a point. */
#include "formats/otlp/otlp_naming.h"

#include "formats/protobuf.h"

#define UUID_SIZE 36
#define UUID_VERSION 14 /* Where the digit of its version is. */

static bool is_hex(char c)
{
	return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F');
}

/* Versions 3 and 5 are made from names, so they stay the same. */
static bool is_random_uuid(struct mc_otlp_text text)
{
	if (text.size != UUID_SIZE)
		return false;
	for (size_t i = 0; i < UUID_SIZE; i++) {
		bool hyphen = i == 8 || i == 13 || i == 18 || i == 23;

		if (hyphen ? text.at[i] != '-' : !is_hex(text.at[i]))
			return false;
	}
	return text.at[UUID_VERSION] != '3' && text.at[UUID_VERSION] != '5';
}

bool otlp_naming_is_ephemeral(const struct mc_otlp_naming *naming, const struct otlp_pair *pair)
{
	if (naming == NULL)
		return false;
	for (size_t i = 0; i < naming->ephemeral_len; i++)
		if (otlp_text_is(pair->key, naming->ephemeral[i]))
			return !otlp_text_is(pair->key, "service.instance.id") ||
			       is_random_uuid(pair->text);
	return false;
}

bool otlp_naming_is(struct mc_otlp_text key, const char *word)
{
	size_t size = strlen(word);

	return size > 0 && word[size - 1] == '.' ? otlp_text_begins(key, word)
						 : otlp_text_is(key, word);
}

bool otlp_naming_is_without(const struct mc_otlp_map *map, struct mc_otlp_text key)
{
	if (map != NULL)
		for (size_t i = 0; i < map->without.len; i++)
			if (otlp_naming_is(key, map->without.items[i]))
				return true;
	return false;
}

/* --- Age ------------------------------------------------------------------ */

struct times {
	uint64_t begin, newest; /* 0: none. */
};

static void note_point(struct mc_otlp_span span, struct times *times)
{
	struct protobuf_field field;
	bool broken = false;

	while (protobuf_take(&span, &field, &broken)) {
		if (field.wire != PROTOBUF_64BIT || field.value == 0)
			continue;
		if (field.number == OTLP_POINT_START &&
		    (times->begin == 0 || field.value < times->begin))
			times->begin = field.value;
		if (field.number == OTLP_POINT_TIME && field.value > times->newest)
			times->newest = field.value;
	}
}

/* Whether the field leads from a resource to its points. */
static bool leads_on(unsigned depth, const struct protobuf_field *field)
{
	static const struct {
		unsigned first, last;
	} numbers[] = {
		{ OTLP_RESOURCES_SCOPES, OTLP_RESOURCES_SCOPES },
		{ OTLP_SCOPES_ITEMS, OTLP_SCOPES_ITEMS },
		{ OTLP_METRIC_GAUGE, OTLP_METRIC_SUMMARY },
		{ OTLP_DATA_POINTS, OTLP_DATA_POINTS },
	};

	return field->wire == PROTOBUF_BYTES && field->number >= numbers[depth].first &&
	       field->number <= numbers[depth].last;
}

mc_time mc_otlp_age(struct mc_otlp_span items)
{
	struct mc_otlp_span levels[4] = { items };
	struct times times = { 0 };
	struct protobuf_field field;
	unsigned depth = 0;
	bool broken = false;

	while (!broken) {
		if (!protobuf_take(&levels[depth], &field, &broken)) {
			if (depth-- == 0)
				break;
		} else if (leads_on(depth, &field)) {
			if (depth == 3)
				note_point(field.span, &times);
			else
				levels[++depth] = field.span;
		}
	}
	if (times.begin == 0 || times.begin > times.newest || times.newest > INT64_MAX)
		return -1;
	return (mc_time)(times.newest - times.begin);
}
