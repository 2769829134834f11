/* SPDX-License-Identifier: MIT */
#include "formats/remote_write/remote_write.h"

#include <stdlib.h>

#include <collector/kit/alloc.h>

#include "formats/protobuf.h"

struct texts {
	struct remote_write_text *items;
	size_t len, room;
};

struct reading {
	enum remote_write_version version;
	remote_write_visit *visit;
	void *argument;
	struct texts symbols;
	struct texts labels; /* Of the present series. */
	struct remote_write_read_sample sample;
};

static void add(struct texts *texts, struct mc_otlp_span span)
{
	MC_ARRAY_GROW(texts->items, texts->len, texts->room);
	texts->items[texts->len++] = (struct remote_write_text){
		.at = (const char *)span.at,
		.size = (size_t)(span.end - span.at),
	};
}

static bool read_label(struct reading *reading, struct mc_otlp_span label)
{
	struct mc_otlp_span name = { label.at, label.at }, value = name;
	struct protobuf_field field;
	bool broken = false;

	while (protobuf_take(&label, &field, &broken)) {
		if (field.wire != PROTOBUF_BYTES)
			return false;
		if (field.number == 1)
			name = field.span;
		else if (field.number == 2)
			value = field.span;
	}
	add(&reading->labels, name);
	add(&reading->labels, value);
	return !broken;
}

static bool find_symbol(const struct reading *reading, uint64_t number,
			struct remote_write_text *text)
{
	if (number >= reading->symbols.len)
		return false;
	*text = reading->symbols.items[number];
	return true;
}

static bool read_number(struct reading *reading, uint64_t number)
{
	struct texts *labels = &reading->labels;
	struct remote_write_text text;

	if (!find_symbol(reading, number, &text))
		return false;
	MC_ARRAY_GROW(labels->items, labels->len, labels->room);
	labels->items[labels->len++] = text;
	return true;
}

static bool read_numbers(struct reading *reading, const struct protobuf_field *field)
{
	struct mc_otlp_span span = field->span;
	uint64_t number;

	if (field->wire == PROTOBUF_VARINT) /* Not packed. */
		return read_number(reading, field->value);
	if (field->wire != PROTOBUF_BYTES)
		return false;
	while (span.at < span.end)
		if (!protobuf_take_varint(&span, &number) || !read_number(reading, number))
			return false;
	return true;
}

static bool read_metadata(struct reading *reading, struct mc_otlp_span metadata)
{
	struct remote_write_read_sample *sample = &reading->sample;
	struct protobuf_field field;
	bool broken = false, valid = true;

	while (valid && protobuf_take(&metadata, &field, &broken)) {
		if (field.wire != PROTOBUF_VARINT)
			valid = false;
		else if (field.number == 1)
			sample->type = field.value;
		else if (field.number == 3)
			valid = find_symbol(reading, field.value, &sample->help);
		else if (field.number == 4)
			valid = find_symbol(reading, field.value, &sample->unit);
	}
	return valid && !broken;
}

/* All that a series has but its samples. */
static bool read_head(struct reading *reading, struct mc_otlp_span series)
{
	struct protobuf_field field;
	bool broken = false, valid = true, plain = reading->version == REMOTE_WRITE_1;

	reading->sample = (struct remote_write_read_sample){ .type = 0 };
	reading->labels.len = 0;
	while (valid && protobuf_take(&series, &field, &broken)) {
		if (field.number == 1 && plain)
			valid = field.wire == PROTOBUF_BYTES && read_label(reading, field.span);
		else if (field.number == 1)
			valid = read_numbers(reading, &field);
		else if (field.number == 5 && !plain)
			valid = field.wire == PROTOBUF_BYTES && read_metadata(reading, field.span);
	}
	return valid && !broken && reading->labels.len % 2 == 0;
}

static bool read_sample(struct reading *reading, struct mc_otlp_span span)
{
	struct remote_write_read_sample *sample = &reading->sample;
	struct protobuf_field field;
	bool broken = false;

	sample->labels = reading->labels.items;
	sample->labels_len = reading->labels.len;
	sample->bits = 0;
	sample->time = sample->start = 0;
	while (protobuf_take(&span, &field, &broken)) {
		if (field.number == 1 && field.wire == PROTOBUF_64BIT)
			sample->bits = field.value;
		else if (field.number == 2 && field.wire == PROTOBUF_VARINT)
			sample->time = (int64_t)field.value;
		else if (field.number == 3 && field.wire == PROTOBUF_VARINT)
			sample->start = (int64_t)field.value;
		else if (field.number <= 2)
			return false;
	}
	if (!broken)
		reading->visit(reading->argument, sample);
	return !broken;
}

static bool read_series(struct reading *reading, struct mc_otlp_span series)
{
	struct protobuf_field field;
	bool broken = false, valid = read_head(reading, series);

	while (valid && protobuf_take(&series, &field, &broken))
		if (field.number == 2)
			valid = field.wire == PROTOBUF_BYTES && read_sample(reading, field.span);
	return valid && !broken;
}

/* The fields of a request of that number, which are bytes. */
static bool read_fields(struct reading *reading, struct mc_otlp_span request, uint32_t number)
{
	struct protobuf_field field;
	bool broken = false, valid = true;

	while (valid && protobuf_take(&request, &field, &broken)) {
		if (field.number != number)
			continue;
		valid = field.wire == PROTOBUF_BYTES;
		if (valid && number == 4)
			add(&reading->symbols, field.span);
		else if (valid)
			valid = read_series(reading, field.span);
	}
	return valid && !broken;
}

bool remote_write_read(enum remote_write_version version, const void *bytes, size_t size,
		       remote_write_visit *visit, void *argument)
{
	struct reading reading = { .version = version, .visit = visit, .argument = argument };
	struct mc_otlp_span request = { bytes, (const unsigned char *)bytes + size };
	bool valid;

	if (version == REMOTE_WRITE_1)
		valid = read_fields(&reading, request, 1);
	else
		valid = read_fields(&reading, request, 4) && read_fields(&reading, request, 5);
	free(reading.symbols.items);
	free(reading.labels.items);
	return valid;
}
