/* SPDX-License-Identifier: MIT */
/* Facts: the OpenTelemetry specification, "Instrument unit", and its semantic conventions for
 * metrics: units are those of UCUM, case sensitive, and what is counted stands in braces. */
#include "formats/otlp/otlp_unit.h"

#include <stdio.h>

#include "base/text.h"

static const struct {
	const char *ours, *theirs;
} units[] = {
	{ "bytes", "By" },      { "bits", "bit" },  { "seconds", "s" }, { "s", "s" },
	{ "ms", "ms" },         { "us", "us" },     { "ns", "ns" },     { "minutes", "min" },
	{ "hours", "h" },       { "percent", "%" }, { "ratio", "1" },   { "celsius", "Cel" },
	{ "Hz", "Hz" },         { "watts", "W" },   { "volts", "V" },   { "amperes", "A" },
	{ "watt-hours", "Wh" }, { "joules", "J" },
};
#define UNITS_LEN (sizeof(units) / sizeof(*units))

/* Kinds of numbers that have no unit. */
static const char *const none[] = { "any", "code", "boolean", "address" };

/* The size of the unit without what it is per. */
static size_t numerator(const char *unit, size_t size)
{
	const char *slash = memchr(unit, '/', size);

	return slash != NULL ? (size_t)(slash - unit) : size;
}

static bool is(const char *text, size_t size, const char *word)
{
	return strlen(word) == size && memcmp(text, word, size) == 0;
}

size_t otlp_unit_write(char out[OTLP_UNIT_SIZE], const char *unit)
{
	size_t size, len;
	int written;

	if (unit == NULL)
		return 0;
	size = strlen(unit);
	for (size_t i = 0; i < sizeof(none) / sizeof(*none); i++)
		if (is(unit, size, none[i]))
			return 0;
	len = numerator(unit, size);
	for (size_t i = 0; i < UNITS_LEN; i++) {
		if (!is(unit, len, units[i].ours))
			continue;
		written = snprintf(out, OTLP_UNIT_SIZE, "%s%s", units[i].theirs, unit + len);
		return written < OTLP_UNIT_SIZE ? (size_t)written : 0;
	}
	written = snprintf(out, OTLP_UNIT_SIZE, "{%.*s}%s", (int)len, unit, unit + len);
	return size > 0 && written < OTLP_UNIT_SIZE ? (size_t)written : 0;
}

/* As otlp_unit_write(), of a metric; the unit of a sum is that of its rate without the "/s". */
static size_t write_metric(char out[OTLP_UNIT_SIZE], const char *unit, bool sum)
{
	size_t size = otlp_unit_write(out, unit);

	return sum && size > 2 && memcmp(out + size - 2, "/s", 2) == 0 ? size - 2 : size;
}

bool otlp_unit_is(struct mc_otlp_text said, const char *unit, bool sum)
{
	char text[OTLP_UNIT_SIZE];

	return write_metric(text, unit, sum) == said.size &&
	       (said.size == 0 || memcmp(text, said.at, said.size) == 0);
}

/* "bytes per second" and "bytes/second", as nodes of Munin say, are "bytes/s". */
static void shorten(char unit[MC_METADATA_LABEL_SIZE])
{
	static const char *const ends[] = { " per second", "/second" };
	size_t size = strlen(unit);

	for (unsigned i = 0; i < 2; i++) {
		size_t end = strlen(ends[i]);

		if (size > end && strcmp(unit + size - end, ends[i]) == 0)
			memcpy(unit + size - end, "/s", sizeof("/s"));
	}
}

size_t otlp_unit_of_metadata(char out[OTLP_UNIT_SIZE], const struct mc_metadata *metadata, bool sum)
{
	const char *text = mc_metadata_attribute(metadata, OTLP_UNIT_SPELLING);
	char unit[MC_METADATA_LABEL_SIZE];
	size_t size;

	if (text != NULL) {
		size = strlen(text);
		if (size >= OTLP_UNIT_SIZE)
			return 0;
		memcpy(out, text, size);
		return size;
	}
	text_copy(unit, sizeof(unit), metadata->unit);
	shorten(unit);
	return strpbrk(unit, " {}") == NULL ? write_metric(out, unit, sum) : 0;
}

static uint8_t put_unit(char out[OTLP_UNIT_SIZE + 2], const char *text, size_t size)
{
	if (size == 0)
		return 0;
	out[0] = PROTOBUF_TAG(OTLP_METRIC_UNIT, PROTOBUF_BYTES);
	out[1] = (char)size;
	memcpy(out + 2, text, size);
	return (uint8_t)(2 + size);
}

const struct otlp_unit *otlp_unit_find(struct otlp_unit known[OTLP_UNITS],
				       const struct mc_type *type)
{
	struct otlp_unit *unit = &known[((uintptr_t)type >> 5) % OTLP_UNITS];
	char text[OTLP_UNIT_SIZE];
	size_t size;

	if (unit->type == type)
		return unit;
	unit->type = type;
	size = write_metric(text, type->unit, false);
	unit->gauge_size = put_unit(unit->gauge, text, size);
	size = write_metric(text, type->unit, true);
	unit->sum_size = put_unit(unit->sum, text, size);
	return unit;
}

void otlp_unit_read(char out[OTLP_UNIT_SIZE], struct mc_otlp_text unit, bool sum)
{
	const char *text = unit.at;
	int written, size;
	size_t len;

	out[0] = '\0';
	if (unit.size == 0 || unit.size >= OTLP_UNIT_SIZE || !text_printable(unit.at, unit.size))
		return;
	len = numerator(unit.at, unit.size);
	size = (int)len;
	if (len > 2 && text[0] == '{' && text[len - 1] == '}') {
		text++;
		size -= 2;
	}
	for (size_t i = 0; i < UNITS_LEN; i++) {
		if (is(unit.at, len, units[i].theirs)) {
			text = units[i].ours;
			size = (int)strlen(text);
			break;
		}
	}
	written = snprintf(out, OTLP_UNIT_SIZE, "%.*s%.*s%s", size, text, (int)(unit.size - len),
			   unit.at + len, sum ? "/s" : "");
	if (written >= OTLP_UNIT_SIZE)
		out[0] = '\0';
}
